package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lineRegs are the registers of a transform along lines. Blocks are ss and ds
// bytes apart; one register points to the first of them, another to the fourth.
type lineRegs struct {
	isa
	name        string
	last        int // input that may be missing, beside the first
	left, right bool
	need        []int // constants
	body        func(l *lineRegs)

	src, src3, ss reg.GPVirtual
	dst, dst3, ds reg.GPVirtual
	c             map[int]reg.VecVirtual // constants
	disp          int                    // of the vector in its group
	post, add     bool                   // with an epilogue, with a residual
	scale, shift  reg.GPVirtual
	other, other3 reg.GPVirtual // the residual
	label         string
}

const lineParams = "lines, groups int, coef, dst *float32, ds, dl, dn int, src *float32, ss, sl, sn int"

func (s isa) line(l *lineRegs) {
	s.begin(l.name, lineParams, "transforms at least one line; strides count bytes.")
	l.isa, l.label = s, l.name
	l.loops()
}

// lineOut is line with the epilogue of a strip, if scale is not nil.
func (s isa) lineOut(l *lineRegs) {
	s.begin(l.name, lineParams+", scale, shift, residual *float32, floor float32", "transforms at least one line, with an epilogue unless scale is nil; strides count bytes.")
	l.isa = s
	p := ptr("scale")
	TESTQ(p, p)
	JZ(LabelRef(l.name))
	MOVQ(addr("residual"), p)
	TESTQ(p, p)
	JZ(LabelRef(l.name + "post"))
	l.label, l.post, l.add = l.name+"add", true, true
	l.loops()
	l.label, l.add = l.name+"post", false
	Label(l.label)
	l.loops()
	l.label, l.post = l.name, false
	Label(l.label)
	l.loops()
}

// loops runs the body for the vectors of all groups of all lines and returns.
func (l *lineRegs) loops() {
	lines, groups := ptr("lines"), GP64()
	srcLine, dstLine := ptr("src"), ptr("dst")
	l.ss, l.ds = ptr("ss"), ptr("ds")
	l.src, l.src3, l.dst, l.dst3 = GP64(), GP64(), GP64(), GP64()
	l.c = map[int]reg.VecVirtual{}
	if len(l.need) > 0 {
		coef := ptr("coef")
		for _, c := range l.need {
			l.c[c] = l.vec()
			VBROADCASTSS(at(coef, 4*c), l.c[c])
		}
	}
	Label(l.label + "line")
	MOVQ(srcLine, l.src)
	MOVQ(dstLine, l.dst)
	if l.post {
		l.scale, l.shift = ptr("scale"), ptr("shift")
	}
	MOVQ(addr("groups"), groups)
	Label(l.label + "group")
	fourth := func(p, step, p3 reg.GPVirtual) {
		LEAQ(Mem{Base: p, Index: step, Scale: 2}, p3)
		ADDQ(step, p3)
	}
	fourth(l.src, l.ss, l.src3)
	fourth(l.dst, l.ds, l.dst3)
	if l.add {
		l.other, l.other3 = ptr("residual"), GP64()
		ADDQ(l.dst, l.other)
		SUBQ(addr("dst"), l.other)
		fourth(l.other, l.ds, l.other3)
	}
	for l.disp = 0; l.disp < groupBytes; l.disp += l.bytes() {
		l.body(l)
	}
	ADDQ(addr("sn"), l.src)
	ADDQ(addr("dn"), l.dst)
	if l.post {
		ADDQ(U32(groupBytes), l.scale)
		ADDQ(U32(groupBytes), l.shift)
	}
	DECQ(groups)
	JNZ(LabelRef(l.label + "group"))
	ADDQ(addr("sl"), srcLine)
	ADDQ(addr("dl"), dstLine)
	DECQ(lines)
	JNZ(LabelRef(l.label + "line"))
	finish()
}

// block is block i of those that start at p, the fourth of them at p3.
func (l *lineRegs) block(p, p3, step reg.GPVirtual, i int) Mem {
	m := at(p, l.disp)
	if i >= 3 {
		m.Base = p3
	}
	if i%3 > 0 {
		m.Index, m.Scale = step, uint8(i%3)
	}
	return m
}

// has tells whether input i exists.
func (l *lineRegs) has(i int) bool {
	return (i > 0 || l.left) && (l.last == 0 || i < l.last || l.right)
}

// mem is input i. Without the first one, blocks start at the second.
func (l *lineRegs) mem(i int) Mem {
	if !l.left {
		i--
	}
	return l.block(l.src, l.src3, l.ss, i)
}

// groupBytes and unitBytes are the sizes of a group and a unit of transform.go.
const (
	groupBytes = 4 * 16
	unitBytes  = 4 * groupBytes
)

// in reads input i, and asks for the unit behind it in its block, which comes
// next: to the processor, reading a unit of each block looks like leaps.
func (l *lineRegs) in(i int) reg.VecVirtual {
	m := l.mem(i)
	v := l.load(m)
	if l.disp == 0 {
		m.Disp += unitBytes
		PREFETCHT0(m)
	}
	return v
}

// out writes output i.
func (l *lineRegs) out(i int, v reg.VecVirtual) {
	if l.post {
		VFMADD213PS(at(l.shift, l.disp), l.load(at(l.scale, l.disp)), v)
		if l.add {
			VADDPS(l.block(l.other, l.other3, l.ds, i), v, v)
		}
		VMAXPS(v, l.broadcast("floor"), v) // v if it is not a number
	}
	VMOVUPS(v, l.block(l.dst, l.dst3, l.ds, i))
}

// times returns c·x.
func (l *lineRegs) times(c int, x Op) reg.VecVirtual {
	v := l.vec()
	VMULPS(x, l.c[c], v)
	return v
}

// plus adds c·x to v.
func (l *lineRegs) plus(v reg.VecVirtual, c int, x Op) reg.VecVirtual {
	VFMADD231PS(x, l.c[c], v)
	return v
}

// copied returns a copy of v.
func (l *lineRegs) copied(v reg.VecVirtual) reg.VecVirtual {
	w := l.vec()
	VMOVAPS(v, w)
	return w
}

// both writes e + c·o to output i and e − c·o to the next one.
func (l *lineRegs) both(i int, e, o reg.VecVirtual, c int) {
	l.out(i, l.plus(l.copied(e), c, o))
	VFNMADD231PS(o, l.c[c], e)
	l.out(i+1, e)
}

// sums replaces x and y by their sum and difference.
func (l *lineRegs) sums(x, y reg.VecVirtual) (sum, difference reg.VecVirtual) {
	sum = l.vec()
	VADDPS(y, x, sum)
	VSUBPS(y, x, x)
	return sum, x
}
