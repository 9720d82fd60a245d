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
	e := &s.post
	switch path := current.Load(); {
	case path == &pathAVX512 && cols == path.nr:
		stripAVX512(s.m, s.k, len(s.ents), (*[2]int)(p(s.ents)), p(s.a), s.au, s.rs, s.ks, p(s.b), s.ldb, p(s.c), s.ldc, s.alpha, s.add,
			p(e.scale), p(e.shift), p(e.residual), e.floor)
	case path == &pathAVX512:
		stripHalfAVX512(s.m, s.k, len(s.ents), (*[2]int)(p(s.ents)), p(s.a), s.au, s.rs, s.ks, p(s.b), s.ldb, p(s.c), s.ldc, s.alpha, s.add,
			p(e.scale), p(e.shift), p(e.residual), e.floor)
	case path == &pathAVX2 && cols == path.nr:
		stripAVX2(s.m, s.k, len(s.ents), (*[2]int)(p(s.ents)), p(s.a), s.au, s.rs, s.ks, p(s.b), s.ldb, p(s.c), s.ldc, s.alpha, s.add,
			p(e.scale), p(e.shift), p(e.residual), e.floor)
	case path == &pathAVX2:
		stripHalfAVX2(s.m, s.k, len(s.ents), (*[2]int)(p(s.ents)), p(s.a), s.au, s.rs, s.ks, p(s.b), s.ldb, p(s.c), s.ldc, s.alpha, s.add,
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

// lines are the transforms of the current path, nil on the portable one.
func lines() *lineFuncs {
	switch current.Load() {
	case &pathAVX512:
		return &linesAVX512
	case &pathAVX2:
		return &linesAVX2
	}
	return nil
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
