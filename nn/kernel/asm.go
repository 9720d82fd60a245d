//go:build amd64 || arm64

package kernel

import "unsafe"

//go:generate go -C ../../lab/asmgen run . -gen strip -dir ../../nn/kernel -pkg kernel
//go:generate go -C ../../lab/asmgen run . -gen pack -dir ../../nn/kernel -pkg kernel
//go:generate go -C ../../lab/asmgen run . -gen toom -dir ../../nn/kernel -pkg kernel
//go:generate go -C ../../lab/asmgen run . -gen elem -dir ../../nn/kernel -pkg kernel
//go:generate go -C ../../lab/asmgen run . -gen norm -dir ../../nn/kernel -pkg kernel
//go:generate go -C ../../lab/asmgen run . -gen pool -dir ../../nn/kernel -pkg kernel
//go:generate go -C ../../lab/asmgen run . -gen peak -dir ../../nn/kernel/internal/peaktest -pkg peaktest

// This file binds the assembly to the portable kernels. Each function tells how many rows the
// assembly has dealt with, from the first, or whether it ran; the portable code does the rest.
// Lengths are checked by the callers. Functions whose names end in Vec, which the kernels call
// themselves, deal with the elements or columns before the last multiple of eight. They are bound
// by memory, and take AVX2 on amd64, with AVX-512 too, and NEON on arm64.

func vector() bool { return current.Load() != &portable }

// p is the address of the first element; it does not check that there is one.
func p[T any](s []T) *T { return unsafe.SliceData(s) }

func pass32(l *pass[float32], dst, src *blocks[float32], n int, e *epilogue[float32]) bool {
	if !vector() {
		return false
	}
	r := e.residual
	if r != nil {
		r = r[l.to.at*dst.step:]
	}
	lines32(int(l.kind), l.n, n, &toomConstants[0], p(dst.at[l.to.at*dst.step:]), 4*l.to.step*dst.step, 4*l.to.line*dst.step, 4*dst.next,
		p(src.at[l.from.at*src.step:]), 4*l.from.step*src.step, 4*l.from.line*src.step, 4*src.next, p(e.scale), p(e.shift), p(r), e.floor)
	return true
}

func moveRows32(dst []float32, ldd int, src []float32, lds, rows, n int) bool {
	if !vector() || n < 8 {
		return false
	}
	moveRowsVec(rows, n, p(dst), ldd, p(src), lds)
	return true
}
