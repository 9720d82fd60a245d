//go:build amd64

package kernel

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

//go:generate go -C internal/asmgen run . -gen strip -out ../../strip_amd64.s -stubs ../../strip_amd64.go -pkg kernel
//go:generate go -C internal/asmgen run . -gen peak -out ../peak/peak_amd64.s -stubs ../peak/peak_amd64.go -pkg peak

var pathAVX2 = path{name: "avx2", nr: 16}

// asmPaths lists the assembly paths this processor can run, fastest first.
func asmPaths() []*path {
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3) {
		return []*path{&pathAVX2}
	}
	return nil
}

// asmStrip runs a strip in assembly, or reports that the current path has none.
func asmStrip(nr, m, k int, ents []entry, a []float32, au, rs, ks int, b, c []float32, ldc int, alpha float32, add bool) bool {
	if current.Load() != &pathAVX2 {
		return false
	}
	stripAVX2(m, k, len(ents), (*[2]int)(unsafe.SliceData(ents)), unsafe.SliceData(a), au, rs, ks,
		unsafe.SliceData(b), unsafe.SliceData(c), ldc, alpha, add)
	return true
}
