package main

import (
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
	ends        bool  // with an epilogue
	need        []int // constants
	body        func(l *lineRegs)

	src, src3, dst, dst3 reg.GPVirtual
	ss, ds               stride
	c                    map[int]reg.VecVirtual // constants
	disp                 int                    // of the vector in its group
	post, added          bool                   // with an epilogue, with a residual
	scale, shift         reg.GPVirtual
	floor                reg.VecVirtual
	other, other3        reg.GPVirtual // the residual
	label                string
}

// write writes the transform, behind its name as a label. One that ends a convolution has the
// epilogue of a strip, if scale is not nil.
func (l *lineRegs) write() {
	mark(l.name)
	if l.ends {
		p := ptr("scale")
		l.jumpZero(p, l.name+"plain")
		l.move(addr("residual"), p)
		l.jumpZero(p, l.name+"post")
		l.label, l.post, l.added = l.name+"add", true, true
		l.loops()
		l.label, l.added = l.name+"post", false
		mark(l.label)
		l.loops()
		l.post = false
		mark(l.name + "plain")
	}
	l.label = l.name
	l.loops()
}

// loops runs the body for the vectors of all groups of all lines and returns.
func (l *lineRegs) loops() {
	lines, groups := ptr("lines"), gp()
	srcLine, dstLine := ptr("src"), ptr("dst")
	l.ss, l.ds = l.stride(ptr("ss")), l.stride(ptr("ds"))
	l.src, l.src3, l.dst, l.dst3 = gp(), gp(), gp(), gp()
	l.c = map[int]reg.VecVirtual{}
	if len(l.need) > 0 {
		coef := ptr("coef")
		for _, c := range l.need {
			l.c[c] = l.vec()
			l.broadcastTo(at(coef, 4*c), l.c[c])
		}
	}
	if l.post {
		l.floor = l.broadcast("floor")
	}
	mark(l.label + "line")
	l.move(srcLine, l.src)
	l.move(dstLine, l.dst)
	if l.post {
		l.scale, l.shift = ptr("scale"), ptr("shift")
	}
	l.move(addr("groups"), groups)
	mark(l.label + "group")
	fourth := func(p reg.GPVirtual, step stride, p3 reg.GPVirtual) {
		l.lea(Mem{Base: p, Index: step.one, Scale: 2}, p3)
		l.inc(step.one, p3)
	}
	fourth(l.src, l.ss, l.src3)
	fourth(l.dst, l.ds, l.dst3)
	blocks := []reg.GPVirtual{l.src, l.src3, l.dst, l.dst3}
	if l.added {
		l.other, l.other3 = ptr("residual"), gp()
		blocks = append(blocks, l.other, l.other3)
		l.inc(l.dst, l.other)
		l.dec(addr("dst"), l.other)
		fourth(l.other, l.ds, l.other3)
	}
	for l.disp = 0; l.disp < groupBytes; l.disp += l.bytes() {
		l.body(l)
		if !l.reaches() {
			for _, p := range blocks {
				l.inc(Imm(uint64(l.bytes())), p)
			}
		}
	}
	if !l.reaches() {
		l.dec(Imm(groupBytes), l.src)
		l.dec(Imm(groupBytes), l.dst)
	}
	l.inc(addr("sn"), l.src)
	l.inc(addr("dn"), l.dst)
	if l.post {
		l.inc(U32(groupBytes), l.scale)
		l.inc(U32(groupBytes), l.shift)
	}
	l.countdown(groups, l.label+"group")
	l.inc(addr("sl"), srcLine)
	l.inc(addr("dl"), dstLine)
	l.countdown(lines, l.label+"line")
	l.ret()
}

// block is block i of those that start at p, the fourth of them at p3. The pointers
// move with the vector where an address does not reach it.
func (l *lineRegs) block(p, p3 reg.GPVirtual, step stride, i int) Mem {
	if i >= 3 {
		p = p3
	}
	m := l.row(p, step, i%3)
	if l.reaches() {
		m.Disp = l.disp
	}
	return m
}

// has reports whether input i exists.
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
		l.prefetch(m)
	}
	return v
}

// out writes output i.
func (l *lineRegs) out(i int, v reg.VecVirtual) {
	if l.post {
		v = l.mulAdd(v, l.load(at(l.scale, l.disp)), at(l.shift, l.disp))
		if l.added {
			l.add(l.block(l.other, l.other3, l.ds, i), v, v)
		}
		l.floorAt(l.floor, v)
	}
	l.store(v, l.block(l.dst, l.dst3, l.ds, i))
}

// times returns c·x.
func (l *lineRegs) times(c int, x Op) reg.VecVirtual {
	v := l.vec()
	l.mul(x, l.c[c], v)
	return v
}

// plus adds c·x to v.
func (l *lineRegs) plus(v reg.VecVirtual, c int, x Op) reg.VecVirtual {
	l.fma(x, l.c[c], v)
	return v
}

// copied returns a copy of v.
func (l *lineRegs) copied(v reg.VecVirtual) reg.VecVirtual {
	w := l.vec()
	l.copyTo(v, w)
	return w
}

// both writes e + c·o to output i and e − c·o to the next one.
func (l *lineRegs) both(i int, e, o reg.VecVirtual, c int) {
	l.out(i, l.plus(l.copied(e), c, o))
	l.fnma(o, l.c[c], e)
	l.out(i+1, e)
}

// sums replaces x and y by their sum and difference.
func (l *lineRegs) sums(x, y reg.VecVirtual) (sum, difference reg.VecVirtual) {
	sum = l.vec()
	l.add(y, x, sum)
	l.sub(y, x, x)
	return sum, x
}
