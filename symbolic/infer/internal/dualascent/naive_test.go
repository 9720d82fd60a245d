package dualascent

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// Here is what the tests of the block method compare with: functions of one
// variable, conjugates and small systems computed from their definitions, without
// breakpoints, states or factorisations.

// naiveCost is the cost of row k at activity a, for the slack at its best: +Inf
// where a hard row is violated.
func naiveCost(p *problem.Problem, k int, a float64) float64 {
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
func naiveSide(p *problem.Problem, f int) (value func(x float64) float64, low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	quad, lin := 0.0, 0.0
	if f < p.Targets {
		low, high, quad, lin = p.Lower[f], p.Upper[f], p.Quad[f], p.Lin[f]
	}
	from, to := int(p.SidePtr[f]), int(p.SidePtr[f+1])
	for k := from; k < to; k++ {
		at := -p.B[k] / p.Coef[k]
		switch {
		case p.Kind[k] == lcqp.HardEQ:
			low, high = max(low, at), min(high, at)
		case p.Kind[k] == lcqp.HardLE && p.Coef[k] > 0:
			high = min(high, at)
		case p.Kind[k] == lcqp.HardLE:
			low = max(low, at)
		}
	}
	return func(x float64) float64 {
		v := (quad*x + lin) * x
		for k := from; k < to; k++ {
			if p.Kind[k] > lcqp.HardEQ {
				v += naiveCost(p, k, p.Coef[k]*x+p.B[k])
			}
		}
		return v
	}, low, high
}

// naiveConjugate is max_x v·x − f(x) over the domain, by golden sections, which a
// concave function allows.
func naiveConjugate(p *problem.Problem, f int, v float64) float64 {
	value, low, high := naiveSide(p, f)
	low, high = max(low, -1e4), min(high, 1e4)
	if low >= high {
		x := (low + high) / 2
		return v*x - value(x)
	}
	_, best := goldenSection(func(x float64) float64 { return v*x - value(x) }, low, high)
	return best
}

// naiveDual is the dual function of the block method at λ:
// −Σ_i f_i*(−(Aᵀλ)_i) − Σ_g ψ_g*(λ_g).
func naiveDual(p *problem.Problem, lambda []float64) float64 {
	u := make([]float64, p.Targets)
	v := 0.0
	for g, l := range lambda {
		p.Forms.Spread(g, l, u)
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
		for j := s.g.Ptr[s.active[r]]; j < s.g.Ptr[s.active[r]+1]; j++ {
			out[s.g.Col[j]] = s.g.Val[j]
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

// started returns the block method at random multipliers.
func started(rng *rand.Rand, p *problem.Problem) *Ascent {
	for k := range p.Dual {
		p.Dual[k] = rng.ExpFloat64() / 2
		if p.Kind[k] == lcqp.HardEQ {
			p.Dual[k] = rng.NormFloat64()
		}
		if p.Kind[k] == lcqp.Linear {
			p.Dual[k] = p.Weight[k] * rng.Float64()
		}
	}
	x := new(Ascent)
	x.Init(p)
	return x
}

// addRow appends a row to p.
func addRow(p *problem.Problem, kind lcqp.Kind, b, weight, curv, coef float64) {
	p.Rows++
	p.Kind, p.B, p.Coef = append(p.Kind, kind), append(p.B, b), append(p.Coef, coef)
	p.Weight, p.Curv, p.Dual = append(p.Weight, weight), append(p.Curv, curv), append(p.Dual, 0)
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

func TestGoldenSection(t *testing.T) {
	x, best := goldenSection(func(x float64) float64 { return 3 - (x-0.3)*(x-0.3) }, -1, 2)
	if !infertest.Near(x, 0.3, 1e-6) || !infertest.Near(best, 3, 1e-12) {
		t.Errorf("maximum %v at %v, want 3 at 0.3", best, x)
	}
	if x, _ := goldenSection(func(x float64) float64 { return x }, 0, 1); !infertest.Near(x, 1, 1e-9) {
		t.Errorf("a maximum at the end found at %v", x)
	}
}
