package main

import (
	"github.com/mmcloughlin/avo/reg"
)

// genElem writes the element-wise kernels. Each leaves the last n mod 8
// elements to its caller.
func genElem(a architecture) {
	s := a.base()
	s.scale()
	s.lerp()
	s.relu()
	s.mask()
	s.adam()
	s.sumSquares()
}

// begin begins a function of the instruction set that keeps no pointer.
func (s isa) begin(name, signature, doc string) {
	text(name+s.name, signature, doc)
	ctx.Pragma("noescape")
}

func (s isa) scale() {
	s.begin("scale", "n int, alpha float32, x *float32", "is scale on the first n&^7 elements.")
	n, x, alpha := ptr("n"), ptr("x"), s.broadcast("alpha")
	s.forEach("scale", n, 4, []reg.GPVirtual{x}, func(d int) {
		v := s.vec()
		s.mul(at(x, d), alpha, v)
		s.store(v, at(x, d))
	})
	s.ret()
}

func (s isa) lerp() {
	s.begin("lerp", "n int, t float32, x, y *float32", "is lerp on the first n&^7 elements.")
	n, x, y, t := ptr("n"), ptr("x"), ptr("y"), s.broadcast("t")
	s.forEach("lerp", n, 4, []reg.GPVirtual{x, y}, func(d int) {
		v, w := s.load(at(y, d)), s.load(at(x, d))
		s.sub(v, w, w)
		s.fma(w, t, v)
		s.store(v, at(y, d))
	})
	s.ret()
}

func (s isa) relu() {
	s.begin("relu", "n int, x, y *float32", "is relu on the first n&^7 elements.")
	n, x, y, zero := ptr("n"), ptr("x"), ptr("y"), s.zero()
	s.forEach("relu", n, 4, []reg.GPVirtual{x, y}, func(d int) {
		v := s.load(at(x, d))
		s.floorAt(zero, v)
		s.store(v, at(y, d))
	})
	s.ret()
}

func (s isa) mask() {
	s.begin("mask", "n int, dy, y, dx *float32", "is mask on the first n&^7 elements.")
	n, dy, y, dx, zero := ptr("n"), ptr("dy"), ptr("y"), ptr("dx"), s.zero()
	s.forEach("mask", n, 4, []reg.GPVirtual{dy, y, dx}, func(d int) {
		v, w := s.load(at(dy, d)), s.load(at(y, d))
		s.keepPositive(v, w, zero)
		s.store(v, at(dx, d))
	})
	s.ret()
}

// adam reads its ten scalars in the order of adamCoef.
func (s isa) adam() {
	s.begin("adam", "n int, p, grad, m, v *float32, coef *[10]float32", "is adam on the first n&^7 elements.")
	n, p, grad, m, v, coef := ptr("n"), ptr("p"), ptr("grad"), ptr("m"), ptr("v"), ptr("coef")
	k := s.vecs(10)
	for i := range k {
		s.broadcastTo(at(coef, 4*i), k[i])
	}
	gscale, l2, b1, c1, b2, c2, keep, step, eps, root := k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8], k[9]
	s.forEach("adam", n, 2, []reg.GPVirtual{p, grad, m, v}, func(d int) {
		w := s.load(at(p, d))
		dv := s.vec()
		s.mul(at(grad, d), gscale, dv)
		s.fma(w, l2, dv)
		mv, vv := s.vec(), s.vec()
		s.mul(at(m, d), b1, mv)
		s.fma(dv, c1, mv)
		s.store(mv, at(m, d))
		s.mul(dv, dv, dv)
		s.mul(at(v, d), b2, vv)
		s.fma(dv, c2, vv)
		s.store(vv, at(v, d))
		s.sqrt(vv, vv)
		vv = s.mulAdd(vv, root, eps)
		s.mul(step, mv, mv)
		s.div(vv, mv, mv)
		s.store(s.mulSub(w, keep, mv), at(p, d))
	})
	s.ret()
}

func (s isa) sumSquares() {
	s.begin("sumSquares", "n int, x *float32) (sum float64", "adds the squares of the first n&^7 elements in float64.")
	n, x := ptr("n"), ptr("x")
	acc := s.zeros(4)
	i := 0
	s.forEach("squares", n, 2, []reg.GPVirtual{x}, func(d int) {
		s.squares64(at(x, d), acc[i%4], acc[(i+1)%4])
		i += 2
	})
	s.sum64(acc, result())
	s.ret()
}
