package facts

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLineEnds: wherever the text is cut into reads, a carriage return is a line end where no \n follows and it
// is not quoted.
func TestLineEnds(t *testing.T) {
	const text = "a\rb\r\nc\n\rd,\"e\rf\"\"\r\r\n\"\rg\r\r"
	for quotes, want := range map[bool]string{
		false: "a\nb\r\nc\n\nd,\"e\nf\"\"\n\r\n\"\ng\n\n",
		true:  "a\nb\r\nc\n\nd,\"e\rf\"\"\r\xff\n\"\ng\n\n",
	} {
		for size := 1; size <= len(text); size++ {
			l := &lineEnds{in: bufio.NewReaderSize(strings.NewReader(text), 16), quotes: quotes}
			got := make([]byte, 0, len(text))
			for buffer := make([]byte, size); ; {
				n, err := l.Read(buffer)
				got = append(got, buffer[:n]...)
				if err == io.EOF {
					break
				}
				require.NoError(t, err)
			}
			assert.Equal(t, want, string(got), "reads of %d bytes", size)
		}
	}
	// A pair stays as it is, but between quotes encoding/csv would drop half of it. A byte that is no UTF-8 stays
	// none.
	l := &lineEnds{in: bufio.NewReader(strings.NewReader("a\r\n\"b\r\n\xff\"\r\n")), quotes: true}
	got, err := io.ReadAll(l)
	require.NoError(t, err)
	assert.Equal(t, "a\r\n\"b\xff\n\xfe\"\r\n", string(got))

	l = &lineEnds{in: bufio.NewReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("\ra"))))}
	_, err = io.ReadAll(l)
	assert.ErrorIs(t, err, iotest.ErrTimeout, "an error of the reader")
}
