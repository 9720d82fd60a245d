package infer

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp"
)

// Here is what the tests of the block method compare with: functions of one
// variable, conjugates and small systems computed from their definitions, without
// breakpoints, states or factorisations.

// naiveCost is the cost of row k at activity a, for the slack at its best: +Inf
// where a hard row is violated.
func naiveCost(p *Problem, k int, a float64) float64 {
	s := max(a, 0)
	switch p.Kind[k] {
	case lcqp.HardEQ:
		if math.Abs(a) > 1e-9 {
			return math.Inf(1)
		}
		return 0
	case lcqp.HardLE:
		if a > 1e-9 {
			return math.Inf(1)
		}
		return 0
	}
	return p.Weight[k]*s + p.Curv[k]*s*s
}

// naiveSide is f_i (quad, lin and box of target f) or ψ_g (side f beyond the
// targets) at x, without the hard rows, and the domain that hard rows and box
// leave.
func naiveSide(p *Problem, f int) (value func(x float64) float64, low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	quad, lin := 0.0, 0.0
	if f < p.Targets {
		low, high, quad, lin = p.Lower[f], p.Upper[f], p.Quad[f], p.Lin[f]
	}
	from, to := int(p.formPtr[f]), int(p.formPtr[f+1])
	for k := from; k < to; k++ {
		at := -p.B[k] / p.coef[k]
		switch {
		case p.Kind[k] == lcqp.HardEQ:
			low, high = max(low, at), min(high, at)
		case p.Kind[k] == lcqp.HardLE && p.coef[k] > 0:
			high = min(high, at)
		case p.Kind[k] == lcqp.HardLE:
			low = max(low, at)
		}
	}
	return func(x float64) float64 {
		v := (quad*x + lin) * x
		for k := from; k < to; k++ {
			if p.Kind[k] > lcqp.HardEQ {
				v += naiveCost(p, k, p.coef[k]*x+p.B[k])
			}
		}
		return v
	}, low, high
}

// naiveConjugate is max_x v·x − f(x) over the domain, by golden sections, which a
// concave function allows.
func naiveConjugate(p *Problem, f int, v float64) float64 {
	value, low, high := naiveSide(p, f)
	low, high = max(low, -1e4), min(high, 1e4)
	if low >= high {
		x := (low + high) / 2
		return v*x - value(x)
	}
	_, best := goldenSection(func(x float64) float64 { return v*x - value(x) }, low, high)
	return best
}

// goldenSection returns place and value of the maximum of a concave function.
func goldenSection(f func(float64) float64, low, high float64) (x, best float64) {
	const ratio = 0.6180339887498949
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	fa, fb := f(a), f(b)
	for range 90 {
		if fa < fb {
			low, a, fa = a, b, fb
			b = low + ratio*(high-low)
			fb = f(b)
		} else {
			high, b, fb = b, a, fa
			a = high - ratio*(high-low)
			fa = f(a)
		}
	}
	x, best = a, fa
	for _, end := range [...]float64{low, high, b} {
		if v := f(end); v > best {
			x, best = end, v
		}
	}
	return x, best
}

// naiveDual is the dual function of the block method at λ:
// −Σ_i f_i*(−(Aᵀλ)_i) − Σ_g ψ_g*(λ_g).
func naiveDual(p *Problem, lambda []float64) float64 {
	u := make([]float64, p.Targets)
	v := 0.0
	for g, l := range lambda {
		p.forms.spread(g, l, u)
		v -= naiveConjugate(p, p.Targets+g, l)
	}
	for i, x := range u {
		v -= naiveConjugate(p, i, -x)
	}
	return v
}

// naiveSystem is the matrix M of a Newton system, from rates and forms.
func naiveSystem(s *system) []float64 {
	n := len(s.active)
	m := make([]float64, n*n)
	row := func(r int) map[int32]float64 {
		out := map[int32]float64{}
		for j := s.g.ptr[s.active[r]]; j < s.g.ptr[s.active[r]+1]; j++ {
			out[s.g.col[j]] = s.g.val[j]
		}
		return out
	}
	for r := range n {
		m[r*n+r] = s.diag[r]
		a := row(r)
		for q := range n {
			for i, v := range row(q) {
				m[r*n+q] += a[i] * s.rate[i] * v
			}
		}
	}
	return m
}

// gauss solves the principal system of the rows free by elimination with pivots.
func gauss(t *testing.T, m []float64, n int, free []int32, rhs []float64) []float64 {
	t.Helper()
	k := len(free)
	a := make([][]float64, k)
	for i, r := range free {
		a[i] = make([]float64, k+1)
		for j, q := range free {
			a[i][j] = m[int(r)*n+int(q)]
		}
		a[i][k] = rhs[i]
	}
	for c := range k {
		best := c
		for i := c; i < k; i++ {
			if math.Abs(a[i][c]) > math.Abs(a[best][c]) {
				best = i
			}
		}
		a[c], a[best] = a[best], a[c]
		if a[c][c] == 0 {
			t.Fatal("the system is singular")
		}
		for i := range k {
			if i != c && a[i][c] != 0 {
				ratio := a[i][c] / a[c][c]
				for j := c; j <= k; j++ {
					a[i][j] -= ratio * a[c][j]
				}
			}
		}
	}
	x := make([]float64, k)
	for i := range x {
		x[i] = a[i][k] / a[i][i]
	}
	return x
}

// started returns the block method at random multipliers.
func started(rng *rand.Rand, p *Problem) *dualBCD {
	for k := range p.Dual {
		p.Dual[k] = rng.ExpFloat64() / 2
		if p.Kind[k] == lcqp.HardEQ {
			p.Dual[k] = rng.NormFloat64()
		}
		if p.Kind[k] == lcqp.Linear {
			p.Dual[k] = p.Weight[k] * rng.Float64()
		}
	}
	x := new(dualBCD)
	x.Init(p)
	return x
}
