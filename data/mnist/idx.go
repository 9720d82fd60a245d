package mnist

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// idxUint8 is the IDX element type of MNIST: unsigned byte.
const idxUint8 = 0x08

// maxPixels limits the number of pixels decoded from a picture or an IDX file.
const maxPixels = 1 << 28

// ReadIDX reads an IDX file of images, unsigned bytes in three dimensions, of any
// size: n images of height×width pixels, row by row, 0 to 255.
func ReadIDX(in *bufio.Reader) (pixels []uint8, n, height, width int, err error) {
	fail := func(format string, args ...any) ([]uint8, int, int, int, error) {
		return nil, 0, 0, 0, fmt.Errorf(format, args...)
	}
	head, err := in.Peek(16)
	if err != nil {
		return fail("IDX header of 16 bytes: %w", noEOF(err))
	}
	if magic := binary.BigEndian.Uint32(head); magic != idxUint8<<8|3 {
		return fail("IDX magic number is %#08x, want %#08x: images as unsigned bytes, three dimensions", magic, idxUint8<<8|3)
	}
	var dims []int
	size := 1
	for i := range 3 {
		d := int(binary.BigEndian.Uint32(head[4+4*i:]))
		if dims = append(dims, d); d > maxPixels/max(1, size) {
			return fail("IDX dimensions %v are more than %d bytes; read it in parts", dims, maxPixels)
		}
		size *= d
	}
	pixels, err = readIDX(in, nil, dims...)
	if err != nil {
		return fail("%w", err)
	}
	if size == 0 {
		return fail("IDX dimensions %v: no image", dims)
	}
	return pixels, dims[0], dims[1], dims[2], nil
}

// readGzipIDX decompresses one gzip member from r and reads it, as readIDX does, as an IDX file
// of unsigned bytes whose dimensions are exactly dims. The gzip checksum is
// verified; anything after the data, inside or behind the member, is an error.
func readGzipIDX(r io.Reader, data []uint8, dims ...int) ([]uint8, error) {
	// gzip.Reader reads no further than its own trailer from an io.ByteReader, so br then
	// still holds whatever follows the member.
	br := bufio.NewReaderSize(r, 1<<16)
	z, err := gzip.NewReader(br)
	if err != nil {
		return nil, fmt.Errorf("not a gzip file: %w", noEOF(err))
	}
	z.Multistream(false)
	data, err = readIDX(z, data, dims...)
	if err != nil {
		return nil, err
	}
	if _, err := br.ReadByte(); err != io.EOF {
		if err != nil {
			return nil, err
		}
		return nil, errors.New("trailing bytes after the gzip data")
	}
	return data, z.Close()
}

// readIDX reads an IDX file of unsigned bytes with exactly the dimensions dims into data. If
// data is nil it is allocated, after the header has been checked. r is read to its end.
func readIDX(r io.Reader, data []uint8, dims ...int) ([]uint8, error) {
	size := 1
	for _, d := range dims {
		size *= d
	}

	header := make([]byte, 4+4*len(dims))
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, fmt.Errorf("IDX header of %d bytes: %w", len(header), noEOF(err))
	}
	want := uint32(idxUint8<<8 | len(dims))
	if magic := binary.BigEndian.Uint32(header); magic != want {
		return nil, fmt.Errorf("IDX magic number is %#08x, want %#08x", magic, want)
	}
	for i, d := range dims {
		if got := binary.BigEndian.Uint32(header[4+4*i:]); uint64(got) != uint64(d) {
			return nil, fmt.Errorf("IDX dimension %d is %d, want %d", i, got, d)
		}
	}
	if data == nil {
		data = make([]uint8, size)
	}
	if n, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("IDX data ends after %d of %d bytes: %w", n, size, noEOF(err))
	}
	// One byte more is enough to notice a longer file, however much it would
	// unpack to; reading the end also makes gzip verify its checksum.
	switch n, err := io.ReadFull(r, header[:1]); {
	case n > 0:
		return nil, fmt.Errorf("trailing bytes after the %d bytes of IDX data", size)
	case err != io.EOF:
		return nil, err
	}
	return data, nil
}

var errCut = fmt.Errorf("the file is cut off (%w)", io.ErrUnexpectedEOF)

// noEOF turns the end of a file, which callers may take for a regular one, into errCut.
func noEOF(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errCut
	}
	return err
}
