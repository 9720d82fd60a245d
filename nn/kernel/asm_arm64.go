package kernel

// NEON belongs to every arm64 processor.
var pathNEON = path{name: "neon", nr: 16, half: 8}

// asmPaths lists the assembly paths this processor can run, fastest first.
func asmPaths() []*path { return []*path{&pathNEON} }

func strip32(s *strip[float32], cols int) bool {
	if current.Load() != &pathNEON {
		return false
	}
	e := &s.post
	stripNEON(s.m, s.k, len(s.ents), (*[2]int)(p(s.ents)), p(s.a), s.au, s.rs, s.ks, p(s.b), s.ldb, p(s.c), s.ldc, s.alpha, s.add, cols != pathNEON.nr,
		p(e.scale), p(e.shift), p(e.residual), e.floor)
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

// lines32 is linesNEON.
func lines32(kind, lines, groups int, coef, dst *float32, ds, dl, dn int, src *float32, ss, sl, sn int, scale, shift, residual *float32, floor float32) {
	linesNEON(kind, lines, groups, coef, dst, ds, dl, dn, src, ss, sl, sn, scale, shift, residual, floor)
}
