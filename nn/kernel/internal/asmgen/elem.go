package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// genElem writes the element-wise kernels. Each leaves the last n mod 8
// elements to its caller.
//
// MAXPS returns its second source, the first operand here, when the sources are
// equal or one is not a number; the operands are ordered for what portable Go
// does then.
func genElem() {
	s := avx2
	s.scale()
	s.lerp()
	s.relu()
	s.mask()
	s.adam()
	s.sumSquares()
}

func (s isa) begin(name, signature, doc string) {
	TEXT(name+s.name, NOSPLIT, "func("+signature+")")
	Pragma("noescape")
	Doc(name + s.name + " " + doc)
}

func (s isa) scale() {
	s.begin("scale", "n int, alpha float32, x *float32", "is scale on the first n&^7 elements.")
	n, x, alpha := ptr("n"), ptr("x"), s.broadcast("alpha")
	s.forEach("scale", n, 4, []reg.GPVirtual{x}, func(d int) {
		v := s.vec()
		VMULPS(at(x, d), alpha, v)
		VMOVUPS(v, at(x, d))
	})
	finish()
}

func (s isa) lerp() {
	s.begin("lerp", "n int, t float32, x, y *float32", "is lerp on the first n&^7 elements.")
	n, x, y, t := ptr("n"), ptr("x"), ptr("y"), s.broadcast("t")
	s.forEach("lerp", n, 4, []reg.GPVirtual{x, y}, func(d int) {
		v, w := s.load(at(y, d)), s.load(at(x, d))
		VSUBPS(v, w, w)
		VFMADD231PS(w, t, v)
		VMOVUPS(v, at(y, d))
	})
	finish()
}

func (s isa) relu() {
	s.begin("relu", "n int, x, y *float32", "is relu on the first n&^7 elements.")
	n, x, y, zero := ptr("n"), ptr("x"), ptr("y"), s.zero()
	s.forEach("relu", n, 4, []reg.GPVirtual{x, y}, func(d int) {
		v := s.load(at(x, d))
		VMAXPS(v, zero, v) // v if it is not a number
		VMOVUPS(v, at(y, d))
	})
	finish()
}

func (s isa) mask() {
	s.begin("mask", "n int, dy, y, dx *float32", "is mask on the first n&^7 elements.")
	n, dy, y, dx, zero := ptr("n"), ptr("dy"), ptr("y"), ptr("dx"), s.zero()
	s.forEach("mask", n, 4, []reg.GPVirtual{dy, y, dx}, func(d int) {
		v, w := s.load(at(dy, d)), s.load(at(y, d))
		s.keepPositive(v, w, zero)
		VMOVUPS(v, at(dx, d))
	})
	finish()
}

// adam reads its ten scalars in the order of adamCoef.
func (s isa) adam() {
	s.begin("adam", "n int, p, grad, m, v *float32, coef *[10]float32", "is adam on the first n&^7 elements.")
	n, p, grad, m, v, coef := ptr("n"), ptr("p"), ptr("grad"), ptr("m"), ptr("v"), ptr("coef")
	k := make([]reg.VecVirtual, 10)
	for i := range k {
		k[i] = s.vec()
		VBROADCASTSS(at(coef, 4*i), k[i])
	}
	gscale, l2, b1, c1, b2, c2, keep, step, eps, root := k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7], k[8], k[9]
	s.forEach("adam", n, 2, []reg.GPVirtual{p, grad, m, v}, func(d int) {
		w := s.load(at(p, d))
		dv := s.vec()
		VMULPS(at(grad, d), gscale, dv)
		VFMADD231PS(w, l2, dv)
		mv, vv := s.vec(), s.vec()
		VMULPS(at(m, d), b1, mv)
		VFMADD231PS(dv, c1, mv)
		VMOVUPS(mv, at(m, d))
		VMULPS(dv, dv, dv)
		VMULPS(at(v, d), b2, vv)
		VFMADD231PS(dv, c2, vv)
		VMOVUPS(vv, at(v, d))
		VSQRTPS(vv, vv)
		VFMADD213PS(eps, root, vv)
		VMULPS(step, mv, mv)
		VDIVPS(vv, mv, mv)
		VFMSUB213PS(mv, keep, w)
		VMOVUPS(w, at(p, d))
	})
	finish()
}

func (s isa) sumSquares() {
	TEXT("sumSquares"+s.name, NOSPLIT, "func(n int, x *float32) float64")
	Pragma("noescape")
	Doc("sumSquares" + s.name + " adds the squares of the first n&^7 elements in float64.")
	n, x := ptr("n"), ptr("x")
	acc := []reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
	for _, a := range acc {
		VXORPD(a, a, a)
	}
	i := 0
	s.forEach("squares", n, 2, []reg.GPVirtual{x}, func(d int) {
		for half := range 2 {
			v := YMM()
			VCVTPS2PD(at(x, d+16*half), v)
			VFMADD231PD(v, v, acc[i%4])
			i++
		}
	})
	VADDPD(acc[1], acc[0], acc[0])
	VADDPD(acc[3], acc[2], acc[2])
	VADDPD(acc[2], acc[0], acc[0])
	hi := XMM()
	VEXTRACTF128(Imm(1), acc[0], hi)
	lo := acc[0].AsX()
	VADDPD(hi, lo, lo)
	VHADDPD(lo, lo, lo)
	Store(lo, ReturnIndex(0))
	finish()
}
