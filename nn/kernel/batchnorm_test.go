package kernel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/nn/difference"
)

// refBN is batch normalisation by its definition, in float64.
type refBN struct {
	x, gamma, beta, residual []float64
	relu                     bool
	eps                      float64
	rows, c                  int

	mean, variance, y []float64
}

func (r *refBN) forward() {
	r.mean, r.variance, r.y = make([]float64, r.c), make([]float64, r.c), make([]float64, r.rows*r.c)
	n := float64(r.rows)
	for i, v := range r.x {
		r.mean[i%r.c] += v / n
	}
	for i, v := range r.x {
		d := v - r.mean[i%r.c]
		r.variance[i%r.c] += d * d / n
	}
	for i, v := range r.x {
		j := i % r.c
		y := (v-r.mean[j])/math.Sqrt(r.variance[j]+r.eps)*r.gamma[j] + r.beta[j]
		if r.residual != nil {
			y += r.residual[i]
		}
		if r.relu {
			y = max(y, 0)
		}
		r.y[i] = y
	}
}

type bnShape struct{ rows, c int }

var bnShapes = []bnShape{{1, 1}, {2, 3}, {7, 5}, {64, 512}, {196, 64}, {300, 17}, {1031, 33}, {5, 16400}, {1003, 6}, {501, 12}, {400, 1}}

func TestBatchNormAgainstDefinition(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, s := range bnShapes {
			for mode := range 4 {
				runBN[float32](t, s, mode&1 != 0, mode&2 != 0, 2e-5)
			}
		}
	})
	for _, s := range bnShapes {
		for mode := range 4 {
			runBN[float64](t, s, mode&1 != 0, mode&2 != 0, 1e-10)
		}
	}
}

func runBN[T Float](t *testing.T, s bnShape, relu, residual bool, tol float64) {
	t.Helper()
	rng := newRand(uint64(s.rows*1000 + s.c))
	name := label("%T %+v relu %v residual %v", T(0), s, relu, residual)
	n := s.rows * s.c
	x, dy := guardCopy(normals[T](rng, n)), guardCopy(normals[T](rng, n))
	gamma, beta := guardCopy(normals[T](rng, s.c)), guardCopy(normals[T](rng, s.c))
	var res, dres []T
	gres, gdres := guardCopy(normals[T](rng, n)), guard[T](n)
	ref := refBN{x: to64(x.buf), gamma: to64(gamma.buf), beta: to64(beta.buf), relu: relu, eps: 1e-3, rows: s.rows, c: s.c}
	if residual {
		res, dres, ref.residual = gres.buf, gdres.buf, to64(gres.buf)
	}
	y, mean, variance, invstd := guard[T](n), guard[T](s.c), guard[T](s.c), guard[T](s.c)
	batchNormForward(x.buf, gamma.buf, beta.buf, res, y.buf, mean.buf, variance.buf, invstd.buf, relu, 1e-3, s.rows, s.c)
	ref.forward()
	near(t, name+" y", y.buf, ref.y, tol)
	near(t, name+" mean", mean.buf, ref.mean, tol)
	near(t, name+" variance", variance.buf, ref.variance, tol)

	dx, dgamma, dbeta := guard[T](n), guard[T](s.c), guard[T](s.c)
	batchNormBackward(dy.buf, x.buf, y.buf, gamma.buf, mean.buf, invstd.buf, relu, dx.buf, dgamma.buf, dbeta.buf, dres, s.rows, s.c)
	wx, wg, wb, wr := ref.backward(to64(dy.buf), to64(y.buf))
	near(t, name+" dx", dx.buf, wx, 5*tol)
	near(t, name+" dgamma", dgamma.buf, wg, 5*tol)
	near(t, name+" dbeta", dbeta.buf, wb, tol)
	if residual {
		near(t, name+" dresidual", dres, wr, tol)
	}
	for _, g := range []guarded[T]{x, dy, gamma, beta, gres, gdres, y, mean, variance, invstd, dx, dgamma, dbeta} {
		g.intact(t, name)
	}
}

// backward differentiates the definition by hand, with the mask of the given y.
func (r *refBN) backward(dy, y []float64) (dx, dgamma, dbeta, dz []float64) {
	n := float64(r.rows)
	dx, dz = make([]float64, len(dy)), make([]float64, len(dy))
	dgamma, dbeta = make([]float64, r.c), make([]float64, r.c)
	hat := func(i int) float64 {
		return (r.x[i] - r.mean[i%r.c]) / math.Sqrt(r.variance[i%r.c]+r.eps)
	}
	for i, d := range dy {
		if r.relu && y[i] <= 0 {
			d = 0
		}
		dz[i] = d
		dbeta[i%r.c] += d
		dgamma[i%r.c] += d * hat(i)
	}
	for i, d := range dz {
		j := i % r.c
		dx[i] = r.gamma[j] / math.Sqrt(r.variance[j]+r.eps) * (d - dbeta[j]/n - hat(i)*dgamma[j]/n)
	}
	return dx, dgamma, dbeta, dz
}

func TestBatchNormFiniteDifferences(t *testing.T) {
	rng := newRand(11)
	for mode := range 4 {
		const rows, c = 37, 6
		relu, residual := mode&1 != 0, mode&2 != 0
		x, dy := normals[float64](rng, rows*c), normals[float64](rng, rows*c)
		gamma, beta := normals[float64](rng, c), normals[float64](rng, c)
		var res, dres []float64
		if residual {
			res, dres = normals[float64](rng, rows*c), make([]float64, rows*c)
		}
		y, mean, variance, invstd := make([]float64, rows*c), make([]float64, c), make([]float64, c), make([]float64, c)
		loss := func() float64 {
			batchNormForward(x, gamma, beta, res, y, mean, variance, invstd, relu, 1e-5, rows, c)
			return dot(y, dy)
		}
		loss()
		dx, dgamma, dbeta := make([]float64, rows*c), make([]float64, c), make([]float64, c)
		batchNormBackward(dy, x, y, gamma, mean, invstd, relu, dx, dgamma, dbeta, dres, rows, c)
		assert.NoError(t, difference.Check("dx", x, dx, 40, 1e-6, loss))
		assert.NoError(t, difference.Check("dgamma", gamma, dgamma, 10, 1e-6, loss))
		assert.NoError(t, difference.Check("dbeta", beta, dbeta, 10, 1e-6, loss))
		if residual {
			assert.NoError(t, difference.Check("dresidual", res, dres, 40, 1e-6, loss))
		}
	}
}

// A mean of 1000 standard deviations must not cost the variance its digits.
func TestBatchNormLargeMean(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		const rows, c = 2000, 24
		rng := newRand(12)
		x := normals[float32](rng, rows*c)
		for i := range x {
			x[i] += 1000
		}
		ref := refBN{x: to64(x), gamma: make([]float64, c), beta: make([]float64, c), rows: rows, c: c}
		ref.forward()
		s := make([]float32, 5*c)
		batchNormForward(x, s[:c], s[c:2*c], nil, make([]float32, rows*c), s[2*c:3*c], s[3*c:4*c], s[4*c:], false, 0, rows, c)
		near(t, "variance", s[3*c:4*c], ref.variance, 1e-5)
	})
}

func TestBatchNormAliases(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		const rows, c = 130, 40
		rng := newRand(13)
		x, res, dy := normals[float32](rng, rows*c), normals[float32](rng, rows*c), normals[float32](rng, rows*c)
		gamma, beta := normals[float32](rng, c), normals[float32](rng, c)
		mean, variance, invstd := make([]float32, c), make([]float32, c), make([]float32, c)
		y := make([]float32, rows*c)
		fwd := func(x, res, y []float32) {
			batchNormForward(x, gamma, beta, res, y, mean, variance, invstd, true, 1e-5, rows, c)
		}
		fwd(x, res, y)
		x2, res2 := append([]float32(nil), x...), append([]float32(nil), res...)
		fwd(x2, res, x2)
		fwd(x, res2, res2)
		equalBits(t, "y over x", x2, y)
		equalBits(t, "y over residual", res2, y)

		dx, dres, dg, db := make([]float32, rows*c), make([]float32, rows*c), make([]float32, c), make([]float32, c)
		batchNormBackward(dy, x, y, gamma, mean, invstd, true, dx, dg, db, dres, rows, c)
		dy2, dres2 := append([]float32(nil), dy...), make([]float32, rows*c)
		batchNormBackward(dy2, x, y, gamma, mean, invstd, true, dy2, dg, db, dres2, rows, c)
		equalBits(t, "dx over dy", dy2, dx)
		equalBits(t, "dresidual", dres2, dres)
		dy3, dx3 := append([]float32(nil), dy...), make([]float32, rows*c)
		batchNormBackward(dy3, x, y, gamma, mean, invstd, true, dx3, dg, db, dy3, rows, c)
		equalBits(t, "dx", dx3, dx)
		equalBits(t, "dresidual over dy", dy3, dres)
	})
}

func TestBatchNormDoesNotDependOnThreads(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, c := range []int{64, 6, 5, 9} {
			const rows = 3139
			rng := newRand(14)
			x, dy := normals[float32](rng, rows*c), normals[float32](rng, rows*c)
			gamma, beta := normals[float32](rng, c), normals[float32](rng, c)
			sameOnThreads(t, label("batch norm of %d", c), func() []float32 {
				all := make([]float32, 3*rows*c+5*c)
				y, dx, z, v := all[:rows*c], all[rows*c:2*rows*c], all[2*rows*c:3*rows*c], all[3*rows*c:]
				batchNormForward(x, gamma, beta, nil, y, v[:c], v[c:2*c], v[2*c:3*c], true, 1e-5, rows, c)
				batchNormBackward(dy, x, y, gamma, v[:c], v[2*c:3*c], true, dx, v[3*c:4*c], v[4*c:], nil, rows, c)
				ScaleShift(x, gamma, beta, dy, z, false, rows, c)
				return all
			})
		}
	})
}

// Frozen statistics equal to those of the batch must give the same output.
func TestScaleShiftIsBatchNormWithFrozenStatistics(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, s := range bnShapes {
			rng := newRand(15)
			n, c := s.rows*s.c, s.c
			x, res := guardCopy(normals[float32](rng, n)), guardCopy(normals[float32](rng, n))
			gamma, beta := normals[float32](rng, c), normals[float32](rng, c)
			y, mean, variance, invstd := make([]float32, n), make([]float32, c), make([]float32, c), make([]float32, c)
			scale, shift, got := guard[float32](c), guard[float32](c), guard[float32](n)
			for mode := range 4 {
				r := res.buf
				if mode&2 == 0 {
					r = nil
				}
				batchNormForward(x.buf, gamma, beta, r, y, mean, variance, invstd, mode&1 != 0, 1e-2, s.rows, c)
				FoldBatchNorm(gamma, beta, mean, variance, 1e-2, scale.buf, shift.buf)
				ScaleShift(x.buf, scale.buf, shift.buf, r, got.buf, mode&1 != 0, s.rows, c)
				near(t, label("%+v", s), got.buf, to64(y), 1e-5)
			}
			for _, g := range []guarded[float32]{x, res, scale, shift, got} {
				g.intact(t, label("%+v", s))
			}
		}
	})
}
