package checkpoint

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Element is an element type of a tensor.
type Element interface {
	float32 | float64 | int64 | int32 | uint8
}

// Tensor is a named array in row-major order.
type Tensor struct {
	// Name is unique in a checkpoint; "__metadata__" is reserved by the format.
	Name string
	// Shape has no negative entry; its product is the length of Data. An empty
	// shape is a scalar, of length 1.
	Shape []int
	// Data is a []float32, []float64, []int64, []int32 or []uint8, or to be written a
	// [][]float32 whose parts follow one another.
	Data any
}

// NewTensor makes a Tensor of data. Without a shape it is a vector. It does not
// copy.
func NewTensor[T Element](name string, data []T, shape ...int) Tensor {
	if shape == nil {
		shape = []int{len(data)}
	}
	return Tensor{Name: name, Shape: shape, Data: data}
}

// PackedTensor makes a vector of parts that follow one another, to be written. It does
// not copy.
func PackedTensor(name string, parts [][]float32) Tensor {
	t := Tensor{Name: name, Data: parts}
	_, n, _ := t.describe()
	t.Shape = []int{n}
	return t
}

// dtype is a safetensors element type.
type dtype struct {
	name string
	size int
}

var (
	dtypeF64 = dtype{"F64", 8}
	dtypeI64 = dtype{"I64", 8}
	dtypeF32 = dtype{"F32", 4}
	dtypeI32 = dtype{"I32", 4}
	dtypeU8  = dtype{"U8", 1}

	dtypes = []dtype{dtypeF64, dtypeI64, dtypeF32, dtypeI32, dtypeU8}
)

// dtypeNamed returns the element type of the given name.
func dtypeNamed(name string) (dtype, bool) {
	i := slices.IndexFunc(dtypes, func(d dtype) bool { return d.name == name })
	if i < 0 {
		return dtype{}, false
	}
	return dtypes[i], true
}

// describe returns the element type and the length of t's data.
func (t *Tensor) describe() (dtype, int, error) {
	switch data := t.Data.(type) {
	case []float64:
		return dtypeF64, len(data), nil
	case []int64:
		return dtypeI64, len(data), nil
	case []float32:
		return dtypeF32, len(data), nil
	case [][]float32:
		n := 0
		for _, part := range data {
			n += len(part)
		}
		return dtypeF32, n, nil
	case []int32:
		return dtypeI32, len(data), nil
	case []uint8:
		return dtypeU8, len(data), nil
	}
	return dtype{}, 0, fmt.Errorf("tensor %q holds a %T, want []float32, []float64, []int64, []int32 or []uint8", t.Name, t.Data)
}

// elements returns the product of shape, or false where it is negative
// anywhere or overflows.
func elements(shape []int) (int, bool) {
	n := uint64(1)
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 || lo > math.MaxInt {
			return 0, false
		}
		n = lo
	}
	return int(n), true
}

// appendElements appends elements [from, to) of data to b, little-endian.
func appendElements(b []byte, data any, from, to int) []byte {
	switch data := data.(type) {
	case []float64:
		for _, v := range data[from:to] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	case []int64:
		for _, v := range data[from:to] {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
	case []float32:
		for _, v := range data[from:to] {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	case []int32:
		for _, v := range data[from:to] {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
	case []uint8:
		b = append(b, data[from:to]...)
	}
	return b
}

// decode fills data, a slice of one of the element types, from b.
func decode(data any, b []byte) {
	switch data := data.(type) {
	case []float64:
		for i := range data {
			data[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	case []int64:
		for i := range data {
			data[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
		}
	case []float32:
		for i := range data {
			data[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	case []int32:
		for i := range data {
			data[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
		}
	case []uint8:
		copy(data, b)
	}
}

// makeData allocates a slice of n elements.
func (d dtype) makeData(n int) any {
	switch d {
	case dtypeF64:
		return make([]float64, n)
	case dtypeI64:
		return make([]int64, n)
	case dtypeF32:
		return make([]float32, n)
	case dtypeI32:
		return make([]int32, n)
	default:
		return make([]uint8, n)
	}
}
