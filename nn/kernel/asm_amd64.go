package kernel

import "github.com/klauspost/cpuid/v2"

var (
	pathAVX2   = path{name: "avx2", nr: 16, half: 8}
	pathAVX512 = path{name: "avx512", nr: 32, half: 16}
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

func strip32(s *strip[float32], cols int) bool {
	e, path := &s.post, current.Load()
	half := cols != path.nr
	switch path {
	case &pathAVX512:
		stripAVX512(s.m, s.k, len(s.ents), (*[2]int)(p(s.ents)), p(s.a), s.au, s.rs, s.ks, p(s.b), s.ldb, p(s.c), s.ldc, s.alpha, s.add, half,
			p(e.scale), p(e.shift), p(e.residual), e.floor)
	case &pathAVX2:
		stripAVX2(s.m, s.k, len(s.ents), (*[2]int)(p(s.ents)), p(s.a), s.au, s.rs, s.ks, p(s.b), s.ldb, p(s.c), s.ldc, s.alpha, s.add, half,
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
		packRows32Vec(rows, p(dst), p(src), ld)
	default:
		packRows16Vec(rows, p(dst), p(src), ld)
	}
	return rows
}

func packCols32(dst []float32, nr int, src []float32, ld, ahead, k int) int {
	switch {
	case !vector():
		return 0
	case nr == 32:
		packCols32Vec(k, p(dst), p(src), ld, ahead)
	default:
		packCols16Vec(k, p(dst), p(src), ld, ahead)
	}
	return k &^ 7
}

// lines32 is linesAVX2 on the current path, which is not the portable one.
func lines32(kind, lines, groups int, coef, dst *float32, ds, dl, dn int, src *float32, ss, sl, sn int, scale, shift, residual *float32, floor float32) {
	if current.Load() == &pathAVX512 {
		linesAVX512(kind, lines, groups, coef, dst, ds, dl, dn, src, ss, sl, sn, scale, shift, residual, floor)
		return
	}
	linesAVX2(kind, lines, groups, coef, dst, ds, dl, dn, src, ss, sl, sn, scale, shift, residual, floor)
}
