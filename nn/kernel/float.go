package kernel

import (
	"fmt"
	"math"
	"unsafe"
)

// Float is the set of element types the kernels accept. float32 runs on the
// fastest path of the machine; float64 always runs on the portable one and
// serves as the reference in finite-difference tests.
type Float interface{ float32 | float64 }

// need panics unless a buffer has exactly the wanted length. Wrong lengths are
// programmer mistakes, and the assembly below does not check bounds itself.
func need(op, name string, have, want int) {
	if have != want {
		panic(fmt.Sprintf("kernel: %s: len(%s) = %d, want %d", op, name, have, want))
	}
}

// needOptional is need for a buffer that may also be nil.
func needOptional[T Float](op, name string, s []T, want int) {
	if s != nil {
		need(op, name, len(s), want)
	}
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// f32 views a buffer as float32; the result is nil for other types.
func f32[T Float](s []T) []float32 {
	f, _ := any(s).([]float32)
	return f
}

// is32 reports whether T is float32.
func is32[T Float]() bool {
	var z T
	_, ok := any(z).(float32)
	return ok
}

// vectors reports whether the kernels of T are the assembly's, as those of float32 are on most processors.
func vectors[T Float]() bool { return is32[T]() && vector() }

// at32 is the address of the first element of f32(s), for the assembly.
func at32[T Float](s []T) *float32 { return unsafe.SliceData(f32(s)) }

// floorOf returns the lower bound that a rectifier applies, or −∞ without one.
func floorOf[T Float](relu bool) T {
	if relu {
		return 0
	}
	return T(math.Inf(-1))
}

// where returns v if the condition holds, else zero. It moves bits, which takes no branch; signs
// of gradients cannot be predicted.
func where[T Float](condition bool, v T) T {
	if unsafe.Sizeof(v) == 4 {
		b := math.Float32bits(float32(v))
		if !condition {
			b = 0
		}
		return T(math.Float32frombits(b))
	}
	b := math.Float64bits(float64(v))
	if !condition {
		b = 0
	}
	return T(math.Float64frombits(b))
}
