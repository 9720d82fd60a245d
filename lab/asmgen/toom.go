package main

import (
	"github.com/mmcloughlin/avo/reg"
)

// genToom writes the transforms along lines of blocks for the schemes of
// winograd_scheme.go: pairs, and segments of three and four pixels with the points
// 0, a, −a, b, −b and infinity, in this order. It knows their structure: the rows
// of a point and of its opposite are the sum and the difference of an even and an
// odd part, and their columns share the sum and the difference of two blocks. The
// numbers are handed over. Every block is read once.
func genToom(a architecture) {
	for _, s := range a.isas {
		s.toom()
	}
}

func (s isa) toom() {
	var list []*lineRegs // in the order of lineKind
	add := func(name string, body func(l *lineRegs), need ...int) *lineRegs {
		l := &lineRegs{isa: s, name: name, left: true, right: true, need: need, body: body}
		list = append(list, l)
		return l
	}
	ends := func(name string, last int, body func(l *lineRegs)) {
		for _, end := range []string{"L", "R", "LR"} { // the pixel before or behind the segment does not exist
			l := add(name+end, body, cA, cB, cMinusA2, cMinusB2, cA2B2, cMinusSum)
			l.last, l.left, l.right = last, end == "R", end == "L"
		}
	}
	ends("in4", 5, in4)
	ends("in3", 4, in3)
	add("inPair", inPair)
	add("out4", out4, cF0, cFA, cFA+1, cFA+2, cFA+3, cFB, cFB+1, cFB+2, cFB+3).ends = true
	add("out3", out3, cGA, cGA+1, cGA+2, cGB, cGB+1, cGB+2).ends = true
	add("outPair", outPair).ends = true
	add("grad4", grad4, cF0, cFA, cFA+1, cFA+2, cFA+3, cFB, cFB+1, cFB+2, cFB+3)
	add("grad3", grad3, cGA, cGA+1, cGA+2, cGB, cGB+1, cGB+2)
	add("gradPair", gradPair)
	add("taps6", taps6, cA, cB, cA2, cB2)
	add("tapsPair", tapsPair)
	add("tapGrad6", tapGrad6, cA, cB, cA2, cB2)
	add("tapGradPair", tapGradPair)
	s.begin("lines", "kind, lines, groups int, coef, dst *float32, ds, dl, dn int, src *float32, ss, sl, sn int, scale, shift, residual *float32, floor float32",
		"applies the map of a lineKind to at least one line, those of the kinds out with an epilogue unless scale is nil; strides count bytes.")
	kind := ptr("kind")
	for i, l := range list {
		s.jumpEqual(kind, i, l.name)
	}
	s.ret()
	for _, l := range list {
		l.write()
	}
}

// Places of the constants, as in newToomConstants.
const (
	cA        = 0
	cB        = 1
	cA2       = 2
	cB2       = 3
	cMinusA2  = 4
	cMinusB2  = 5
	cA2B2     = 6
	cMinusSum = 7
	cF0       = 8
	cFA       = 9  // times 1, a, a², a³
	cFB       = 13 // times 1, b, b², b³
	cGA       = 17 // times 1, a, a²
	cGB       = 20 // times 1, b, b²
)

// in4 evaluates (t² − a²)·(t² − b²) without one factor after the other; a
// polynomial without the factor t − a is t·(t + a)·(t² − b²).
func in4(l *lineRegs) {
	x := []reg.VecVirtual{1: l.in(1), 2: l.in(2), 3: l.in(3), 4: l.in(4)}
	zero := l.plus(l.copied(x[4]), cMinusSum, x[2])
	if l.has(0) {
		l.plus(zero, cA2B2, l.mem(0))
	}
	l.out(0, zero)
	inf := l.times(cA2B2, x[1])
	l.plus(inf, cMinusSum, x[3])
	if l.has(5) {
		l.add(l.mem(5), inf, inf)
	}
	l.out(5, inf)
	l.both(1, l.plus(l.copied(x[4]), cMinusB2, x[2]), l.plus(l.copied(x[3]), cMinusB2, x[1]), cA)
	l.both(3, l.plus(x[4], cMinusA2, x[2]), l.plus(x[3], cMinusA2, x[1]), cB)
}

// in3 is in4 without the point zero.
func in3(l *lineRegs) {
	x := []reg.VecVirtual{1: l.in(1), 2: l.in(2), 3: l.in(3)}
	inf := l.times(cMinusSum, x[2])
	odd := l.copied(x[2])
	if l.has(0) {
		first := l.in(0)
		l.plus(inf, cA2B2, first)
		l.plus(odd, cMinusB2, first)
		l.plus(x[2], cMinusA2, first)
	}
	if l.has(4) {
		l.add(l.mem(4), inf, inf)
	}
	l.out(4, inf)
	l.both(0, l.plus(l.copied(x[3]), cMinusB2, x[1]), odd, cA)
	l.both(2, l.plus(x[3], cMinusA2, x[1]), x[2], cB)
}

func inPair(l *lineRegs) {
	x, y := l.in(0), l.in(1)
	sum := l.vec()
	l.add(y, x, sum)
	l.out(0, sum)
	l.out(1, y)
	l.out(2, x)
}

func grad4(l *lineRegs) {
	y := []reg.VecVirtual{l.in(0), l.in(1), l.in(2), l.in(3)}
	l.out(0, l.times(cF0, y[0]))
	l.out(5, y[3])
	for i, c := range []int{cFA, cFB} {
		l.sumAndDifference(1+2*i, l.plus(l.times(c, y[0]), c+2, y[2]), l.plus(l.times(c+1, y[1]), c+3, y[3]))
	}
}

// grad3 has the opposite sign at the negative points.
func grad3(l *lineRegs) {
	y := []reg.VecVirtual{l.in(0), l.in(1), l.in(2)}
	l.out(4, y[2])
	for i, c := range []int{cGA, cGB} {
		l.sumAndDifference(2*i, l.times(c+1, y[1]), l.plus(l.times(c, y[0]), c+2, y[2]))
	}
}

// sumAndDifference writes x + y to output i and x − y to the next one.
func (l *lineRegs) sumAndDifference(i int, x, y reg.VecVirtual) {
	sum, difference := l.sums(x, y)
	l.out(i, sum)
	l.out(i+1, difference)
}

func gradPair(l *lineRegs) {
	x, y := l.in(0), l.in(1)
	sum := l.vec()
	l.add(y, x, sum)
	l.out(0, sum)
	l.out(1, x)
	l.out(2, y)
}

func taps6(l *lineRegs) {
	w := []reg.VecVirtual{l.in(0), l.in(1), l.in(2)}
	l.out(0, w[0])
	l.out(5, w[2])
	l.both(1, l.plus(l.copied(w[0]), cA2, w[2]), w[1], cA)
	l.both(3, l.plus(w[0], cB2, w[2]), w[1], cB)
}

func tapsPair(l *lineRegs) {
	w := []reg.VecVirtual{l.in(0), l.in(1), l.in(2)}
	l.out(0, w[1])
	l.sub(w[1], w[2], w[2])
	l.out(1, w[2])
	l.sub(w[1], w[0], w[0])
	l.out(2, w[0])
}

func tapGrad6(l *lineRegs) {
	sa, da := l.sums(l.in(1), l.in(2))
	sb, db := l.sums(l.in(3), l.in(4))
	first := l.in(0)
	l.add(sa, first, first)
	l.add(sb, first, first)
	l.out(0, first)
	l.out(1, l.plus(l.times(cA, da), cB, db))
	last := l.plus(l.times(cA2, sa), cB2, sb)
	l.add(l.mem(5), last, last)
	l.out(2, last)
}

func tapGradPair(l *lineRegs) {
	m := []reg.VecVirtual{l.in(0), l.in(1), l.in(2)}
	l.out(0, m[2])
	l.sub(m[1], m[0], m[0])
	l.sub(m[2], m[0], m[0])
	l.out(1, m[0])
	l.out(2, m[1])
}

func out4(l *lineRegs) {
	sa, da := l.sums(l.in(1), l.in(2))
	sb, db := l.sums(l.in(3), l.in(4))
	l.out(0, l.plus(l.plus(l.times(cF0, l.mem(0)), cFA, sa), cFB, sb))
	l.out(1, l.plus(l.times(cFA+1, da), cFB+1, db))
	l.out(2, l.plus(l.times(cFA+2, sa), cFB+2, sb))
	last := l.plus(l.times(cFA+3, da), cFB+3, db)
	l.add(l.mem(5), last, last)
	l.out(3, last)
}

func out3(l *lineRegs) {
	sa, da := l.sums(l.in(0), l.in(1))
	sb, db := l.sums(l.in(2), l.in(3))
	l.out(0, l.plus(l.times(cGA, da), cGB, db))
	l.out(1, l.plus(l.times(cGA+1, sa), cGB+1, sb))
	last := l.plus(l.times(cGA+2, da), cGB+2, db)
	l.add(l.mem(4), last, last)
	l.out(2, last)
}

func outPair(l *lineRegs) {
	first := l.in(0)
	x := l.copied(first)
	l.add(l.mem(1), x, x)
	l.out(0, x)
	l.add(l.mem(2), first, first)
	l.out(1, first)
}
