//go:build amd64

package kernel

import (
	"unsafe"

	"github.com/klauspost/cpuid/v2"
)

//go:generate go -C internal/asmgen run . -gen strip -out ../../strip_amd64.s -stubs ../../strip_amd64.go -pkg kernel
//go:generate go -C internal/asmgen run . -gen pack -out ../../pack_amd64.s -stubs ../../pack_amd64.go -pkg kernel
//go:generate go -C internal/asmgen run . -gen toom -out ../../toom_amd64.s -stubs ../../toom_amd64.go -pkg kernel
//go:generate go -C internal/asmgen run . -gen elem -out ../../elem_amd64.s -stubs ../../elem_amd64.go -pkg kernel
//go:generate go -C internal/asmgen run . -gen norm -out ../../norm_amd64.s -stubs ../../norm_amd64.go -pkg kernel
//go:generate go -C internal/asmgen run . -gen pool -out ../../pool_amd64.s -stubs ../../pool_amd64.go -pkg kernel
//go:generate go -C internal/asmgen run . -gen peak -out ../peak/peak_amd64.s -stubs ../peak/peak_amd64.go -pkg peak

// This file binds the assembly to the portable kernels. Each function returns
// how many elements, columns or rows the assembly has dealt with, from the
// first, or whether it ran; the portable code does the rest. Lengths are checked by the callers.
// Only the strips and the transforms have AVX-512 code: the other kernels are bound
// by memory, and take AVX2 on that path too.

var (
	pathAVX2   = path{name: "avx2", nr: 16}
	pathAVX512 = path{name: "avx512", nr: 32}
)

// asmPaths lists the assembly paths this processor can run, fastest first.
func asmPaths() []*path {
	switch {
	case !cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3):
		return nil
	case !cpuid.CPU.Supports(cpuid.AVX512F):
		return []*path{&pathAVX2}
	}
	return []*path{&pathAVX512, &pathAVX2}
}

func vector() bool { return current.Load() != &portable }

// p is the address of the first element; it does not check that there is one.
func p[T any](s []T) *T { return unsafe.SliceData(s) }

func strip32(s *strip[float32]) bool {
	e := &s.post
	switch current.Load() {
	case &pathAVX512:
		stripAVX512(s.m, s.k, len(s.ents), (*[2]int)(p(s.ents)), p(s.a), s.au, s.rs, s.ks, p(s.b), s.ldb, p(s.c), s.ldc, s.alpha, s.add,
			p(e.scale), p(e.shift), p(e.residual), e.floor)
	case &pathAVX2:
		stripAVX2(s.m, s.k, len(s.ents), (*[2]int)(p(s.ents)), p(s.a), s.au, s.rs, s.ks, p(s.b), s.ldb, p(s.c), s.ldc, s.alpha, s.add,
			p(e.scale), p(e.shift), p(e.residual), e.floor)
	default:
		return false
	}
	return true
}

func packRows32(dst []float32, nr int, src []float32, ld, rows int) int {
	switch {
	case !vector():
		return 0
	case nr == 32:
		packRows32AVX2(rows, p(dst), p(src), ld)
	default:
		packRows16AVX2(rows, p(dst), p(src), ld)
	}
	return rows
}

func packCols32(dst []float32, nr int, src []float32, ld, ahead, k int) int {
	switch {
	case !vector():
		return 0
	case nr == 32:
		packCols32AVX2(k, p(dst), p(src), ld, ahead)
	default:
		packCols16AVX2(k, p(dst), p(src), ld, ahead)
	}
	return k &^ 7
}

func moveRows32(dst []float32, ldd int, src []float32, lds, rows, n int) bool {
	if !vector() || n < 8 {
		return false
	}
	moveRowsAVX2(rows, n, p(dst), ldd, p(src), lds)
	return true
}

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

var linesAVX2 = lineFuncs{
	in: [lineKinds]lineFunc{
		in4L: in4LAVX2, in4R: in4RAVX2, in4LR: in4LRAVX2, in3L: in3LAVX2, in3R: in3RAVX2, in3LR: in3LRAVX2, inPair: inPairAVX2,
		grad4: grad4AVX2, grad3: grad3AVX2, gradPair: gradPairAVX2,
		taps6: taps6AVX2, tapsPair: tapsPairAVX2, tapGrad6: tapGrad6AVX2, tapGradPair: tapGradPairAVX2,
	},
	out: [lineKinds]outFunc{out4: out4AVX2, out3: out3AVX2, outPair: outPairAVX2},
}

var linesAVX512 = lineFuncs{
	in: [lineKinds]lineFunc{
		in4L: in4LAVX512, in4R: in4RAVX512, in4LR: in4LRAVX512, in3L: in3LAVX512, in3R: in3RAVX512, in3LR: in3LRAVX512, inPair: inPairAVX512,
		grad4: grad4AVX512, grad3: grad3AVX512, gradPair: gradPairAVX512,
		taps6: taps6AVX512, tapsPair: tapsPairAVX512, tapGrad6: tapGrad6AVX512, tapGradPair: tapGradPairAVX512,
	},
	out: [lineKinds]outFunc{out4: out4AVX512, out3: out3AVX512, outPair: outPairAVX512},
}

func pass32(l *pass[float32], dst, src *blocks[float32], n int, e *epilogue[float32]) bool {
	var f *lineFuncs
	switch current.Load() {
	case &pathAVX512:
		f = &linesAVX512
	case &pathAVX2:
		f = &linesAVX2
	default:
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

func scale32(alpha float32, x []float32) int {
	if !vector() {
		return 0
	}
	scaleAVX2(len(x), alpha, p(x))
	return len(x) &^ 7
}

func lerp32(t float32, x, y []float32) int {
	if !vector() {
		return 0
	}
	lerpAVX2(len(x), t, p(x), p(y))
	return len(x) &^ 7
}

func relu32(x, y []float32) int {
	if !vector() {
		return 0
	}
	reluAVX2(len(x), p(x), p(y))
	return len(x) &^ 7
}

func mask32(dy, y, dx []float32) int {
	if !vector() {
		return 0
	}
	maskAVX2(len(dy), p(dy), p(y), p(dx))
	return len(dy) &^ 7
}

func adam32(w, g, m, v []float32, k *[10]float32) int {
	if !vector() {
		return 0
	}
	adamAVX2(len(w), p(w), p(g), p(m), p(v), k)
	return len(w) &^ 7
}

func sumSquares32(x []float32) (float64, int) {
	if !vector() {
		return 0, 0
	}
	return sumSquaresAVX2(len(x), p(x)), len(x) &^ 7
}

func addBias32(x, bias []float32, floor float32, c int) int {
	if !vector() {
		return 0
	}
	addBiasAVX2(len(x)/c, c, p(x), p(bias), floor)
	return c &^ 7
}

func colSums32(x, sum []float32, c int) int {
	if !vector() || len(x) < c {
		return 0
	}
	colSumsAVX2(len(x)/c, c, p(x), p(sum))
	return c &^ 7
}

func colMoments32(x, shift, sum, squares []float32, c int) int {
	if !vector() || len(x) < c {
		return 0
	}
	colMomentsAVX2(len(x)/c, c, p(x), p(shift), p(sum), p(squares))
	return c &^ 7
}

func bnApply32(x, mean, scale, shift, residual, y []float32, floor float32, c int) int {
	if !vector() {
		return 0
	}
	bnApplyAVX2(len(x)/c, c, p(x), p(mean), p(scale), p(shift), p(residual), p(y), floor)
	return c &^ 7
}

func bnReduce32(dy, x, y, mean, sz, sx []float32, c int) int {
	if !vector() || len(dy) < c {
		return 0
	}
	bnReduceAVX2(len(dy)/c, c, p(dy), p(x), p(y), p(mean), p(sz), p(sx))
	return c &^ 7
}

func bnBack32(dy, x, y, mean, kz, kx, k0, dx, dres []float32, c int) int {
	if !vector() {
		return 0
	}
	bnBackAVX2(len(dy)/c, c, p(dy), p(x), p(y), p(mean), p(kz), p(kx), p(k0), p(dx), p(dres))
	return c &^ 7
}

func poolMax32(list []tapAt, x, y []float32, index []uint8) int {
	if !vector() {
		return 0
	}
	poolMaxAVX2(len(y), len(list), (*[2]int)(p(list)), p(x), p(y), p(index))
	return len(y) &^ 31
}

func poolAdd32(list []tapAt, dy []float32, index []uint8, dx []float32) int {
	if !vector() {
		return 0
	}
	poolAddAVX2(len(dx), len(list), (*[2]int)(p(list)), p(dy), p(index), p(dx))
	return len(dx) &^ 7
}
