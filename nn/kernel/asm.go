//go:build amd64 || arm64

package kernel

import "unsafe"

//go:generate go -C ../../lab/asmgen run . -gen strip -dir ../../nn/kernel -pkg kernel
//go:generate go -C ../../lab/asmgen run . -gen pack -dir ../../nn/kernel -pkg kernel
//go:generate go -C ../../lab/asmgen run . -gen toom -dir ../../nn/kernel -pkg kernel
//go:generate go -C ../../lab/asmgen run . -gen elem -dir ../../nn/kernel -pkg kernel
//go:generate go -C ../../lab/asmgen run . -gen norm -dir ../../nn/kernel -pkg kernel
//go:generate go -C ../../lab/asmgen run . -gen pool -dir ../../nn/kernel -pkg kernel
//go:generate go -C ../../lab/asmgen run . -gen peak -dir ../../nn/kernel/internal/peak -pkg peak

// This file binds the assembly to the portable kernels. Each function returns
// how many elements, columns or rows the assembly has dealt with, from the
// first, or whether it ran; the portable code does the rest. Lengths are checked by the callers.
// Functions whose names end in Vec are bound by memory, and take AVX2 on amd64, with AVX-512
// too, and NEON on arm64.

func vector() bool { return current.Load() != &portable }

// p is the address of the first element; it does not check that there is one.
func p[T any](s []T) *T { return unsafe.SliceData(s) }

// lineFunc transforms lines; see lineMap. outFunc has an epilogue, unless scale is
// nil.
type (
	lineFunc func(lines, groups int, coef, dst *float32, ds, dl, dn int, src *float32, ss, sl, sn int)
	outFunc  func(lines, groups int, coef, dst *float32, ds, dl, dn int, src *float32, ss, sl, sn int, scale, shift, residual *float32, floor float32)
)

// lineFuncs are the transforms of one path: a kind is in one of the lists.
type lineFuncs struct {
	in  [lineKinds]lineFunc
	out [lineKinds]outFunc
}

func pass32(l *pass[float32], dst, src *blocks[float32], n int, e *epilogue[float32]) bool {
	f := lines()
	if f == nil {
		return false
	}
	c, d, s := &toomConstants[0], p(dst.at[l.to.at*dst.step:]), p(src.at[l.from.at*src.step:])
	ds, dl, dn := 4*l.to.step*dst.step, 4*l.to.line*dst.step, 4*dst.next
	ss, sl, sn := 4*l.from.step*src.step, 4*l.from.line*src.step, 4*src.next
	if in := f.in[l.kind]; in != nil {
		in(l.n, n, c, d, ds, dl, dn, s, ss, sl, sn)
		return true
	}
	r := e.residual
	if r != nil {
		r = r[l.to.at*dst.step:]
	}
	f.out[l.kind](l.n, n, c, d, ds, dl, dn, s, ss, sl, sn, p(e.scale), p(e.shift), p(r), e.floor)
	return true
}

func moveRows32(dst []float32, ldd int, src []float32, lds, rows, n int) bool {
	if !vector() || n < 8 {
		return false
	}
	moveRowsVec(rows, n, p(dst), ldd, p(src), lds)
	return true
}

func scale32(alpha float32, x []float32) int {
	if !vector() {
		return 0
	}
	scaleVec(len(x), alpha, p(x))
	return len(x) &^ 7
}

func lerp32(t float32, x, y []float32) int {
	if !vector() {
		return 0
	}
	lerpVec(len(x), t, p(x), p(y))
	return len(x) &^ 7
}

func relu32(x, y []float32) int {
	if !vector() {
		return 0
	}
	reluVec(len(x), p(x), p(y))
	return len(x) &^ 7
}

func mask32(dy, y, dx []float32) int {
	if !vector() {
		return 0
	}
	maskVec(len(dy), p(dy), p(y), p(dx))
	return len(dy) &^ 7
}

func adam32(w, g, m, v []float32, k *[10]float32) int {
	if !vector() {
		return 0
	}
	adamVec(len(w), p(w), p(g), p(m), p(v), k)
	return len(w) &^ 7
}

func sumSquares32(x []float32) (float64, int) {
	if !vector() {
		return 0, 0
	}
	return sumSquaresVec(len(x), p(x)), len(x) &^ 7
}

func addBias32(x, bias []float32, floor float32, c int) int {
	if !vector() {
		return 0
	}
	addBiasVec(len(x)/c, c, p(x), p(bias), floor)
	return c &^ 7
}

func colSums32(x, sum []float32, c int) int {
	if !vector() || len(x) < c {
		return 0
	}
	colSumsVec(len(x)/c, c, p(x), p(sum))
	return c &^ 7
}

func colMoments32(x, shift, sum, squares []float32, c int) int {
	if !vector() || len(x) < c {
		return 0
	}
	colMomentsVec(len(x)/c, c, p(x), p(shift), p(sum), p(squares))
	return c &^ 7
}

func bnApply32(x, mean, scale, shift, residual, y []float32, floor float32, c int) int {
	if !vector() {
		return 0
	}
	bnApplyVec(len(x)/c, c, p(x), p(mean), p(scale), p(shift), p(residual), p(y), floor)
	return c &^ 7
}

func bnReduce32(dy, x, y, mean, sz, sx []float32, c int) int {
	if !vector() || len(dy) < c {
		return 0
	}
	bnReduceVec(len(dy)/c, c, p(dy), p(x), p(y), p(mean), p(sz), p(sx))
	return c &^ 7
}

func bnBack32(dy, x, y, mean, kz, kx, k0, dx, dres []float32, c int) int {
	if !vector() {
		return 0
	}
	bnBackVec(len(dy)/c, c, p(dy), p(x), p(y), p(mean), p(kz), p(kx), p(k0), p(dx), p(dres))
	return c &^ 7
}

func poolMax32(list []tapAt, x, y []float32, index []uint8) int {
	if !vector() {
		return 0
	}
	poolMaxVec(len(y), len(list), (*[2]int)(p(list)), p(x), p(y), p(index))
	return len(y) &^ (poolLanes - 1)
}

func poolRow32(list []tapAt, n, wide, pixel, step int, x, y []float32, index []uint8) int {
	if !vector() {
		return 0
	}
	for i := range n {
		poolMaxVec(wide, len(list), (*[2]int)(p(list)), p(x), p(y[i*pixel:]), p(index[i*pixel:]))
		for k := range list {
			list[k][0] += step
		}
	}
	return n
}

func poolAdd32(list []tapAt, dy []float32, index []uint8, dx []float32) int {
	if !vector() {
		return 0
	}
	poolAddVec(len(dx), len(list), (*[2]int)(p(list)), p(dy), p(index), p(dx))
	return len(dx) &^ 7
}
