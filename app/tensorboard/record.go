package tensorboard

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is the checksum of the TFRecord format: CRC-32C, rotated and shifted so that a
// checksum over data that contains checksums remains a good one.
func masked(data []byte) uint32 {
	c := crc32.Checksum(data, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// writeRecord writes data as one record, in one call.
func writeRecord(w io.Writer, data []byte) error {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, masked(b))
	b = append(b, data...)
	b = binary.LittleEndian.AppendUint32(b, masked(data))
	_, err := w.Write(b)
	return err
}
