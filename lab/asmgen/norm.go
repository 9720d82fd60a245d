package main

import (
	"github.com/mmcloughlin/avo/reg"
)

// genNorm writes the kernels on rows×c matrices with one parameter a column.
// Each leaves the last c mod 8 columns to its caller.
func genNorm(a architecture) {
	s := a.base()
	s.colSums()
	s.colMoments()
	s.bnReduce()
	s.bnApply()
	s.bnBack()
	s.addBias()
}

// sumRows emits the loop over all rows of the matrices at the given pointers,
// leaving the pointers as they were.
func (s isa) sumRows(label string, rows, stride reg.GPVirtual, matrices []reg.GPVirtual, body func(at []reg.GPVirtual)) {
	left := gp()
	s.move(rows, left)
	p := make([]reg.GPVirtual, len(matrices))
	for i, m := range matrices {
		p[i] = gp()
		s.move(m, p[i])
	}
	mark(label + "row")
	body(p)
	for _, q := range p {
		s.inc(stride, q)
	}
	s.countdown(left, label+"row")
}

// loads reads n vectors at p.
func (s isa) loads(p reg.GPVirtual, n int) []reg.VecVirtual {
	v := s.vecs(n)
	s.loadsTo(at(p, 0), v)
	return v
}

func (s isa) colSums() {
	s.begin("colSums", "rows, c int, x, sum *float32", "is colSums on the first c&^7 columns of at least one row.")
	rows, cols, x, sum, stride := ptr("rows"), ptr("c"), ptr("x"), ptr("sum"), bytesOf("c")
	s.forColumns("sums", cols, 8, []reg.GPVirtual{x, sum}, func(label string, nv int) {
		acc := s.zeros(nv)
		s.sumRows(label, rows, stride, []reg.GPVirtual{x}, func(p []reg.GPVirtual) {
			for i, a := range acc {
				s.add(at(p[0], i*s.bytes()), a, a)
			}
		})
		s.stores(acc, at(sum, 0))
	})
	s.ret()
}

func (s isa) colMoments() {
	s.begin("colMoments", "rows, c int, x, shift, sum, squares *float32", "is colMoments on the first c&^7 columns of at least one row.")
	rows, cols, x, stride := ptr("rows"), ptr("c"), ptr("x"), bytesOf("c")
	shift, sum, squares := ptr("shift"), ptr("sum"), ptr("squares")
	s.forColumns("moments", cols, 4, []reg.GPVirtual{x, shift, sum, squares}, func(label string, nv int) {
		acc, acc2, sh := s.zeros(nv), s.zeros(nv), s.loads(shift, nv)
		s.sumRows(label, rows, stride, []reg.GPVirtual{x}, func(p []reg.GPVirtual) {
			for i := range nv {
				v := s.load(at(p[0], i*s.bytes()))
				s.sub(sh[i], v, v)
				s.add(v, acc[i], acc[i])
				s.fma(v, v, acc2[i])
			}
		})
		s.stores(acc, at(sum, 0))
		s.stores(acc2, at(squares, 0))
	})
	s.ret()
}

func (s isa) bnReduce() {
	s.begin("bnReduce", "rows, c int, dy, x, y, mean, sz, sx *float32", "is bnReduce on the first c&^7 columns of at least one row; y may be nil.")
	rows, cols, stride := ptr("rows"), ptr("c"), bytesOf("c")
	dy, x, y, mean, sz, sx := ptr("dy"), ptr("x"), ptr("y"), ptr("mean"), ptr("sz"), ptr("sx")
	zero := s.zero()
	loop := func(name string, masked bool) {
		matrices := []reg.GPVirtual{dy, x}
		if masked {
			matrices = append(matrices, y)
		}
		s.forColumns(name, cols, 4, append(matrices, mean, sz, sx), func(label string, nv int) {
			accz, accx, mu := s.zeros(nv), s.zeros(nv), s.loads(mean, nv)
			s.sumRows(label, rows, stride, matrices, func(p []reg.GPVirtual) {
				for i := range nv {
					d := s.load(at(p[0], i*s.bytes()))
					if masked {
						s.keepPositive(d, at(p[2], i*s.bytes()), zero)
					}
					v := s.load(at(p[1], i*s.bytes()))
					s.sub(mu[i], v, v)
					s.add(d, accz[i], accz[i])
					s.fma(v, d, accx[i])
				}
			})
			s.stores(accz, at(sz, 0))
			s.stores(accx, at(sx, 0))
		})
	}
	branch("mask", y, func(name string, set bool) {
		loop(name, set)
		s.ret()
	})
}

// branch emits code for both cases of an optional pointer.
func branch(name string, p reg.GPVirtual, code func(name string, set bool)) {
	cpu.jumpZero(p, name+"Nil")
	code(name+"Set", true)
	mark(name + "Nil")
	code(name+"Not", false)
}

func (s isa) bnApply() {
	s.begin("bnApply", "rows, c int, x, mean, scale, shift, residual, y *float32, floor float32", "is bnApply on the first c&^7 columns; residual may be nil.")
	rows, c := ptr("rows"), ptr("c")
	x, mean, scale, shift, res, y := ptr("x"), ptr("mean"), ptr("scale"), ptr("shift"), ptr("residual"), ptr("y")
	floor := s.broadcast("floor")
	branch("res", res, func(name string, residual bool) {
		matrices := []reg.GPVirtual{x, y}
		if residual {
			matrices = append(matrices, res)
		}
		s.forRows(name, rows, c, matrices, func(col reg.GPVirtual) {
			v, k := s.load(colAt(x, col)), s.load(colAt(scale, col))
			s.sub(colAt(mean, col), v, v)
			v = s.mulAdd(v, k, colAt(shift, col))
			if residual {
				s.add(colAt(res, col), v, v)
			}
			s.floorAt(floor, v)
			s.store(v, colAt(y, col))
		})
		s.ret()
	})
}

func (s isa) bnBack() {
	s.begin("bnBack", "rows, c int, dy, x, y, mean, kz, kx, k0, dx, dres *float32", "is bnBack on the first c&^7 columns; y and dres may be nil.")
	rows, c := ptr("rows"), ptr("c")
	dy, x, y, mean, dx, dres := ptr("dy"), ptr("x"), ptr("y"), ptr("mean"), ptr("dx"), ptr("dres")
	kz, kx, k0 := ptr("kz"), ptr("kx"), ptr("k0")
	zero := s.zero()
	loop := func(name string, masked, residual bool) {
		matrices := []reg.GPVirtual{dy, x, dx}
		if masked {
			matrices = append(matrices, y)
		}
		if residual {
			matrices = append(matrices, dres)
		}
		s.forRows(name, rows, c, matrices, func(col reg.GPVirtual) {
			d, v := s.load(colAt(dy, col)), s.load(colAt(x, col))
			if masked {
				s.keepPositive(d, colAt(y, col), zero)
			}
			s.sub(colAt(mean, col), v, v)
			k := s.load(colAt(kx, col))
			v = s.mulAdd(v, k, colAt(k0, col))
			s.fma(colAt(kz, col), d, v)
			if residual {
				s.store(d, colAt(dres, col))
			}
			s.store(v, colAt(dx, col))
		})
		s.ret()
	}
	branch("mask", y, func(name string, masked bool) {
		branch(name+"res", dres, func(name string, residual bool) { loop(name, masked, residual) })
	})
}

func (s isa) addBias() {
	s.begin("addBias", "rows, c int, x, bias *float32, floor float32", "is addBias on the first c&^7 columns.")
	rows, c, x, bias, floor := ptr("rows"), ptr("c"), ptr("x"), ptr("bias"), s.broadcast("floor")
	s.forRows("bias", rows, c, []reg.GPVirtual{x}, func(col reg.GPVirtual) {
		v := s.load(colAt(x, col))
		s.add(colAt(bias, col), v, v)
		s.floorAt(floor, v)
		s.store(v, colAt(x, col))
	})
	s.ret()
}
