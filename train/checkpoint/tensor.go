package checkpoint

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/x448/float16"
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
	name  string
	size  int          // of an element in bytes
	slice reflect.Type // of Tensor.Data
	// widen reads elements that Tensor.Data has in another form; nil where it has them as they are.
	widen func(dst any, src []byte) error
}

var dtypeF32 = dtype{"F32", 4, reflect.TypeFor[[]float32](), nil}

var dtypes = []dtype{
	{"F64", 8, reflect.TypeFor[[]float64](), nil}, {"I64", 8, reflect.TypeFor[[]int64](), nil}, dtypeF32,
	{"I32", 4, reflect.TypeFor[[]int32](), nil}, {"U8", 1, reflect.TypeFor[[]uint8](), nil},
	// read, never written
	{"F16", 2, reflect.TypeFor[[]float32](), widened(func(b []byte) float32 { return float16.Frombits(binary.LittleEndian.Uint16(b)).Float32() })},
	{"BF16", 2, reflect.TypeFor[[]float32](), widened(func(b []byte) float32 { return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16) })},
	{"BOOL", 1, reflect.TypeFor[[]uint8](), nil},
	{"I8", 1, reflect.TypeFor[[]int64](), widened(func(b []byte) int64 { return int64(int8(b[0])) })},
	{"I16", 2, reflect.TypeFor[[]int64](), widened(func(b []byte) int64 { return int64(int16(binary.LittleEndian.Uint16(b))) })},
	{"U16", 2, reflect.TypeFor[[]int64](), widened(func(b []byte) int64 { return int64(binary.LittleEndian.Uint16(b)) })},
	{"U32", 4, reflect.TypeFor[[]int64](), widened(func(b []byte) int64 { return int64(binary.LittleEndian.Uint32(b)) })},
	{"U64", 8, reflect.TypeFor[[]int64](), func(dst any, src []byte) error {
		for i := range dst.([]int64) {
			v := binary.LittleEndian.Uint64(src[8*i:])
			if v > math.MaxInt64 {
				return fmt.Errorf("its element %d, %d, is beyond the integers of 64 bits with a sign", i, v)
			}
			dst.([]int64)[i] = int64(v)
		}
		return nil
	}},
}

// widened reads numbers, each from its bytes.
func widened[T Element](one func(b []byte) T) func(dst any, src []byte) error {
	return func(dst any, src []byte) error {
		to := dst.([]T)
		for i := range to {
			to[i] = one(src[i*len(src)/len(to):])
		}
		return nil
	}
}

// describe returns the element type and the length of t's data.
func (t *Tensor) describe() (dtype, int, error) {
	if parts, ok := t.Data.([][]float32); ok {
		n := 0
		for _, part := range parts {
			n += len(part)
		}
		return dtypeF32, n, nil
	}
	for _, d := range dtypes {
		if d.slice == reflect.TypeOf(t.Data) {
			return d, reflect.ValueOf(t.Data).Len(), nil
		}
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

// little reports whether this machine's numbers lie in memory as in a file, from the low byte on.
var little = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// memory returns the bytes that a slice of one of the element types occupies.
func memory(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
}

// appendElements appends elements [from, to) of data, a slice of one of the element types, to b.
func appendElements(b []byte, data any, from, to int) []byte {
	v := reflect.ValueOf(data).Slice(from, to)
	if little {
		return append(b, memory(v)...)
	}
	b, _ = binary.Append(b, binary.LittleEndian, v.Interface()) // it takes every element type
	return b
}

// decode fills data, a slice of one of the element types, from b, which is as long.
func decode(data any, b []byte) {
	if little {
		copy(memory(reflect.ValueOf(data)), b)
		return
	}
	_, _ = binary.Decode(b, binary.LittleEndian, data) // it takes every element type
}
