package kernel

// NEON belongs to every arm64 processor.
var pathNEON = path{name: "neon", nr: 16, half: 8}

// asmPaths lists the assembly paths this processor can run, fastest first.
func asmPaths() []*path { return []*path{&pathNEON} }

func strip32(s *strip[float32], cols int) bool {
	e := &s.post
	switch path := current.Load(); {
	case path != &pathNEON:
		return false
	case cols == path.nr:
		stripNEON(s.m, s.k, len(s.ents), (*[2]int)(p(s.ents)), p(s.a), s.au, s.rs, s.ks, p(s.b), s.ldb, p(s.c), s.ldc, s.alpha, s.add,
			p(e.scale), p(e.shift), p(e.residual), e.floor)
	default:
		stripHalfNEON(s.m, s.k, len(s.ents), (*[2]int)(p(s.ents)), p(s.a), s.au, s.rs, s.ks, p(s.b), s.ldb, p(s.c), s.ldc, s.alpha, s.add,
			p(e.scale), p(e.shift), p(e.residual), e.floor)
	}
	return true
}

func packRows32(dst []float32, nr int, src []float32, ld, rows int) int {
	if !vector() || nr != pathNEON.nr {
		return 0
	}
	packRows16Vec(rows, p(dst), p(src), ld)
	return rows
}

func packCols32(dst []float32, nr int, src []float32, ld, ahead, k int) int {
	if !vector() || nr != pathNEON.nr {
		return 0
	}
	packCols16Vec(k, p(dst), p(src), ld, ahead)
	return k &^ 7
}

// lines are the transforms of the current path, nil on the portable one.
func lines() *lineFuncs {
	if current.Load() != &pathNEON {
		return nil
	}
	return &linesNEON
}

var linesNEON = lineFuncs{
	in: [lineKinds]lineFunc{
		in4L: in4LNEON, in4R: in4RNEON, in4LR: in4LRNEON, in3L: in3LNEON, in3R: in3RNEON, in3LR: in3LRNEON, inPair: inPairNEON,
		grad4: grad4NEON, grad3: grad3NEON, gradPair: gradPairNEON,
		taps6: taps6NEON, tapsPair: tapsPairNEON, tapGrad6: tapGrad6NEON, tapGradPair: tapGradPairNEON,
	},
	out: [lineKinds]outFunc{out4: out4NEON, out3: out3NEON, outPair: outPairNEON},
}
