// Package npytest makes .npy files for tests.
package npytest

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"hinge/data/npy"
)

// File returns a file of version 1 with the fields of its header as written and numbers
// that encoding/binary knows.
func File(descr string, fortran bool, shape string, data any) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n", descr, map[bool]string{true: "True", false: "False"}[fortran], shape)
	b := []byte(npy.Magic + "\x01\x00")
	b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	out := bytes.NewBuffer(append(b, header...))
	order := binary.ByteOrder(binary.LittleEndian)
	if descr[0] == '>' {
		order = binary.BigEndian
	}
	if err := binary.Write(out, order, data); err != nil {
		panic(err)
	}
	return out.Bytes()
}
