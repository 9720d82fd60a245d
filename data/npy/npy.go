package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"regexp"
	"strconv"
	"strings"

	"github.com/x448/float16"
)

// Magic begins every .npy file.
const Magic = "\x93NUMPY"

// maxNumbers bounds the numbers of an array, maxHeader the bytes of its header.
const maxNumbers, maxHeader = 1 << 30, 1 << 16

// The fields of the header, which is written as a Python dict.
var (
	descrField   = regexp.MustCompile(`'descr':\s*'([<>|=])([a-z])([0-9]+)'`)
	fortranField = regexp.MustCompile(`'fortran_order':\s*(True|False)`)
	shapeField   = regexp.MustCompile(`'shape':\s*\(([0-9, ]*)\)`)
)

// Array is an array in C order.
type Array struct {
	// Shape are the lengths of its axes, at least one, none of them zero.
	Shape []int
	// Bytes holds the numbers of an array of unsigned bytes, Values the numbers of any other.
	Bytes  []uint8
	Values []float32
}

// Read reads an array to the end of in.
func Read(in io.Reader) (*Array, error) {
	h, err := readHeader(in)
	if err != nil {
		return nil, err
	}
	a := &Array{Shape: h.shape}
	switch {
	case len(h.shape) == 0 || h.n == 0:
		return nil, fmt.Errorf("an array of shape (%s)", h.dims)
	case h.kind == "u1":
		if a.Bytes, err = io.ReadAll(io.LimitReader(in, int64(h.n))); err == nil && len(a.Bytes) < h.n {
			err = fmt.Errorf("the array ends after %d of %d numbers", len(a.Bytes), h.n)
		}
	default:
		a.Values, err = values(in, h)
		for i, v := range a.Values {
			if w := float64(v); math.IsNaN(w) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("number %d is %v, want a finite one", i, v)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return a, ends(in, h)
}

// ends reports that there is something behind the array, or that its end is damaged.
func ends(in io.Reader, h *header) error {
	switch _, err := io.ReadFull(in, make([]byte, 1)); err {
	case io.EOF:
		return nil
	case nil:
		return fmt.Errorf("there are bytes after the array of shape %v", h.shape)
	default:
		return fmt.Errorf("after the array of shape %v: %w", h.shape, err)
	}
}

// header is the part of the file before the numbers.
type header struct {
	dims    string // as written
	shape   []int
	n       int    // numbers
	kind    string // of a number, without its byte order
	order   binary.ByteOrder
	convert func(b []byte) float64
	bytes   int // of a number
}

// readHeader reads the header.
func readHeader(in io.Reader) (*header, error) {
	descr, dims, err := readFields(in)
	if err != nil {
		return nil, err
	}
	h := &header{dims: dims, kind: descr[1:]}
	if h.shape, h.n, err = shape(dims); err != nil {
		return nil, err
	}
	h.order = binary.LittleEndian
	if descr[0] == '>' {
		h.order = binary.BigEndian
	}
	if h.convert, h.bytes = Number(h.kind, h.order); h.convert == nil {
		return nil, fmt.Errorf("numbers of the type %s; save the array as float32", h.kind)
	}
	return h, nil
}

// readFields returns the type of the numbers, byte order first, and the text of the shape.
func readFields(in io.Reader) (descr, dims string, err error) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(in, head); err != nil || string(head[:6]) != Magic {
		return "", "", fmt.Errorf("it does not begin as a .npy file does")
	}
	size := make([]byte, 2)
	if head[6] > 1 {
		size = make([]byte, 4)
	}
	if _, err := io.ReadFull(in, size); err != nil {
		return "", "", fmt.Errorf("the header ends after its magic: the file is cut off")
	}
	length := uint32(binary.LittleEndian.Uint16(size))
	if len(size) == 4 {
		length = binary.LittleEndian.Uint32(size)
	}
	if length > maxHeader {
		return "", "", fmt.Errorf("a header of %d bytes", length)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(in, header); err != nil {
		return "", "", fmt.Errorf("the header ends before its %d bytes: the file is cut off", length)
	}
	d, fortran, lengths := descrField.FindSubmatch(header), fortranField.FindSubmatch(header), shapeField.FindSubmatch(header)
	switch {
	case d == nil || fortran == nil || lengths == nil:
		return "", "", fmt.Errorf("the header %q is not that of an array of numbers; save it as one, not as objects", strings.TrimSpace(string(header)))
	case string(fortran[1]) == "True":
		return "", "", fmt.Errorf("the array is in Fortran order; save numpy.ascontiguousarray of it")
	}
	return string(d[1]) + string(d[2]) + string(d[3]), string(lengths[1]), nil
}

// shape reads the shape of an array of n numbers.
func shape(dims string) (shape []int, n int, err error) {
	n = 1
	for _, field := range strings.FieldsFunc(dims, func(r rune) bool { return r == ',' || r == ' ' }) {
		d, err := strconv.Atoi(field)
		if err != nil || d > maxNumbers/max(n, 1) {
			return nil, 0, fmt.Errorf("an array of shape (%s)", dims)
		}
		shape = append(shape, d)
		n *= d
	}
	return shape, n, nil
}

// Number returns what reads a number of a type, such as f4 or i8, and its size in bytes; nil and 0
// where numpy's type is none of numbers, or a larger one.
func Number(kind string, o binary.ByteOrder) (convert func(b []byte) float64, bytes int) {
	switch kind {
	case "f2":
		return func(b []byte) float64 { return float64(float16.Frombits(o.Uint16(b)).Float32()) }, 2
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

// values reads the numbers.
func values(in io.Reader, h *header) ([]float32, error) {
	out, buf := make([]float32, 0, min(h.n, 1<<20)), make([]byte, h.bytes)
	for i := range h.n {
		if _, err := io.ReadFull(in, buf); err != nil {
			return nil, fmt.Errorf("the array ends after %d of %d numbers", i, h.n)
		}
		v := h.convert(buf)
		whole := int64(v)
		if h.kind == "i8" { // beyond what v holds
			whole = int64(h.order.Uint64(buf))
		}
		if h.kind[0] == 'i' && !Holds(whole) {
			width := h.n / h.shape[0]
			return nil, fmt.Errorf("row %d, column %d: single precision does not hold the whole number %d: subtract what the numbers have in common, or save the array as float32", i/width+1, i%width+1, whole)
		}
		out = append(out, float32(v))
	}
	return out, nil
}

// Holds reports whether single precision holds a whole number, which has 24 bits there.
func Holds(n int64) bool {
	size := uint64(max(n, -n))
	return bits.Len64(size)-bits.TrailingZeros64(size) <= 24
}
