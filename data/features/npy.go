package features

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// npyMagic begins every .npy file.
const npyMagic = "\x93NUMPY"

// maxNumbers bounds the numbers of an array, maxHeader the bytes of its header.
const maxNumbers, maxHeader = 1 << 30, 1 << 16

// The fields of the header, which is written as a Python dict.
var (
	npyDescr   = regexp.MustCompile(`'descr':\s*'([<>|=])([a-z])([0-9]+)'`)
	npyFortran = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape':\s*\(([0-9, ]*)\)`)
)

// readNPY reads an array of numpy in the versions 1 to 3 of its format.
func readNPY(path string, in *bufio.Reader) (*Table, error) {
	fail := func(format string, args ...any) (*Table, error) {
		return nil, &Error{File: path, Msg: fmt.Sprintf(format, args...)}
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(in, head); err != nil {
		return fail("the header ends after its magic: %v", err)
	}
	size := make([]byte, 2)
	if head[6] > 1 {
		size = make([]byte, 4)
	}
	if _, err := io.ReadFull(in, size); err != nil {
		return fail("the header ends after its magic: %v", err)
	}
	length := uint32(binary.LittleEndian.Uint16(size))
	if len(size) == 4 {
		length = binary.LittleEndian.Uint32(size)
	}
	if length > maxHeader {
		return fail("a header of %d bytes", length)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(in, header); err != nil {
		return fail("the header ends before its %d bytes: %v", length, err)
	}
	descr, fortran, dims := npyDescr.FindSubmatch(header), npyFortran.FindSubmatch(header), npyShape.FindSubmatch(header)
	switch {
	case descr == nil || fortran == nil || dims == nil:
		return fail("the header %q is not that of an array of numbers; save it as one, not as objects", strings.TrimSpace(string(header)))
	case string(fortran[1]) == "True":
		return fail("the array is in Fortran order; save numpy.ascontiguousarray of it")
	}
	shape, n, err := npyDims(string(dims[1]))
	if err != nil {
		return fail("%v", err)
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if descr[1][0] == '>' {
		order = binary.BigEndian
	}
	kind := string(descr[2]) + string(descr[3])
	convert, bytes := npyNumber(kind, order)
	if convert == nil {
		return fail("numbers of the type %s; save the array as float32", kind)
	}
	t := &Table{Shape: shape[1:], rows: shape[0]}
	pixels := kind == "u1" && len(shape) > 2
	if pixels {
		if t.pixels, err = io.ReadAll(io.LimitReader(in, int64(n))); err == nil && len(t.pixels) < n {
			err = fmt.Errorf("the array ends after %d of %d numbers", len(t.pixels), n)
		}
	} else {
		t.values, err = npyValues(in, n, convert, bytes)
	}
	if err != nil {
		return fail("%v", err)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return fail("there are bytes after the array of shape %v", shape)
	}
	return t, nil
}

// npyDims reads the shape of an array; one axis is one feature an entity.
func npyDims(text string) (shape []int, n int, err error) {
	n = 1
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		d, err := strconv.Atoi(field)
		if err != nil || d < 1 || d > maxNumbers/n {
			return nil, 0, fmt.Errorf("an array of shape (%s)", text)
		}
		shape = append(shape, d)
		n *= d
	}
	if len(shape) == 1 {
		shape = append(shape, 1)
	}
	if len(shape) < 2 || len(shape) > 4 || len(shape) == 4 && shape[1] != 3 {
		return nil, 0, fmt.Errorf("an array of shape (%s); want (entities, features), (entities, height, width) or (entities, 3, height, width)", text)
	}
	return shape, n, nil
}

// npyNumber returns what reads a number of a type, and its size in bytes.
func npyNumber(kind string, o binary.ByteOrder) (convert func(b []byte) float64, bytes int) {
	switch kind {
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) }, 4
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(o.Uint64(b)) }, 8
	case "u1", "b1":
		return func(b []byte) float64 { return float64(b[0]) }, 1
	case "i1":
		return func(b []byte) float64 { return float64(int8(b[0])) }, 1
	case "u2":
		return func(b []byte) float64 { return float64(o.Uint16(b)) }, 2
	case "i2":
		return func(b []byte) float64 { return float64(int16(o.Uint16(b))) }, 2
	case "i4":
		return func(b []byte) float64 { return float64(int32(o.Uint32(b))) }, 4
	case "i8":
		return func(b []byte) float64 { return float64(int64(o.Uint64(b))) }, 8
	}
	return nil, 0
}

// npyValues reads n numbers; memory grows with what there is, not with what the
// header says.
func npyValues(in io.Reader, n int, convert func([]byte) float64, bytes int) ([]float32, error) {
	values, buf := make([]float32, 0, min(n, 1<<20)), make([]byte, bytes)
	for i := range n {
		if _, err := io.ReadFull(in, buf); err != nil {
			return nil, fmt.Errorf("the array ends after %d of %d numbers", i, n)
		}
		v := float32(convert(buf))
		if w := float64(v); math.IsNaN(w) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("number %d is %v, want a finite one", i, v)
		}
		values = append(values, v)
	}
	return values, nil
}
