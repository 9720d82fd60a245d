package npytest

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFile compares with what numpy.save writes, except for its padding: magic, version, length
// of the header, header, numbers in their order of bytes.
func TestFile(t *testing.T) {
	header := "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 1), }\n"
	want := append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(header)), 0}, header...)
	want = append(want, 0, 1, 0xff, 0xfe)
	assert.Equal(t, want, File(">i2", true, "2, 1", []int16{1, -2}))
	if got := File("<i2", false, "1,", []int16{1}); !bytes.HasSuffix(got, []byte("False, 'shape': (1,), }\n\x01\x00")) {
		t.Errorf("%q", got)
	}
}
