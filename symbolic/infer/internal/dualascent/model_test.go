package dualascent

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
)

// quadratic is q(d) = f·d − ½ dᵀMd.
func quadratic(m, f, d []float64) float64 {
	n, v := len(f), 0.0
	for r := range f {
		v += f[r] * d[r]
		for q := range d {
			v -= d[r] * m[r*n+q] * d[q] / 2
		}
	}
	return v
}

// boxMaximum is the maximum of q over a box: the best of all ways to put each
// coordinate at its lower end, at its upper end or off both, with the latter
// solved for.
func boxMaximum(t *testing.T, m, f, low, high []float64) float64 {
	n := len(f)
	best := math.Inf(-1)
	d, side := make([]float64, n), make([]int, n)
	for code := 0; ; code++ {
		rest, ok := code, true
		var free []int32
		for r := range n {
			side[r] = rest % 3
			rest /= 3
			switch side[r] {
			case 0:
				free = append(free, int32(r))
				d[r] = 0
			case 1:
				d[r] = low[r]
			default:
				d[r] = high[r]
			}
			ok = ok && !math.IsInf(d[r], 0)
		}
		if rest > 0 {
			return best
		}
		if !ok {
			continue
		}
		rhs := make([]float64, len(free))
		for a, r := range free {
			rhs[a] = f[r]
			for q := range n {
				if side[q] != 0 {
					rhs[a] -= m[int(r)*n+q] * d[q]
				}
			}
		}
		for a, v := range infertest.Gauss(t, m, n, free, rhs) {
			r := free[a]
			d[r] = v
			ok = ok && v >= low[r] && v <= high[r]
		}
		if ok {
			best = max(best, quadratic(m, f, d))
		}
	}
}

// models calls f with the models of problems of few groups.
func models(t *testing.T, seeds uint64, most int, f func(t *testing.T, seed uint64, x *Ascent, p *problem.Problem, m []float64)) {
	rng := rand.New(rand.NewPCG(41, 1))
	tried := 0
	problemtest.Each(t, seeds, true, func(t *testing.T, seed uint64, p *problem.Problem) {
		x := started(rng, p)
		w := &x.newton
		if !w.collect(x) || len(w.active) > most {
			return
		}
		w.system.assemble(x, p, w.active, w.at, 0.01)
		tried++
		f(t, seed, x, p, naiveSystem(&w.system))
	})
	if tried < 20 {
		t.Errorf("only %d models", tried)
	}
}

// The step is nearly as good as the best of the box, which enumeration finds; where
// the last solve says that it is the best, it is.
func TestModelAgainstEnumeration(t *testing.T) {
	exact := 0
	models(t, 400, 6, func(t *testing.T, seed uint64, x *Ascent, p *problem.Problem, m []float64) {
		w := &x.newton
		if !w.maximise(x, p) {
			t.Fatalf("seed %d: no step at slope %v", seed, w.largest)
		}
		best := boxMaximum(t, m, w.f, w.model.low, w.model.high)
		got := quadratic(m, w.f, w.model.d)
		if !infertest.Near(w.value(), got, 1e-9) || !infertest.Near(w.gain(), func() (v float64) {
			for r, d := range w.model.d {
				v += w.f[r] * d
			}
			return v
		}(), 1e-12) {
			t.Errorf("seed %d: q(d) is said to be %v, it is %v", seed, w.value(), got)
		}
		if got > best+1e-9*(1+best) || got < 0.5*best {
			t.Errorf("seed %d: q(d) = %v, the best of the box is %v", seed, got, best)
		}
		if w.subspace(p) {
			exact++
			if now := quadratic(m, w.f, w.model.d); !infertest.Near(now, best, 1e-7) {
				t.Errorf("seed %d: claimed to be the best of the box: %v, it is %v", seed, now, best)
			}
		}
	})
	if exact < 15 {
		t.Errorf("only %d models were solved", exact)
	}
}

// Sweeps of coordinate steps never lower the model, stay in the box, keep the
// residual, and tend to the best of the box.
func TestGaussSeidel(t *testing.T) {
	models(t, 400, 5, func(t *testing.T, seed uint64, x *Ascent, p *problem.Problem, m []float64) {
		w := &x.newton
		w.maximise(x, p) // sizes and domain
		clear(w.model.d)
		last := 0.0
		for range 400 {
			w.gaussSeidel(1)
			for r, d := range w.model.d {
				if d < w.model.low[r] || d > w.model.high[r] {
					t.Fatalf("seed %d: step %v outside [%v, %v]", seed, d, w.model.low[r], w.model.high[r])
				}
			}
			now := quadratic(m, w.f, w.model.d)
			if now < last-1e-12*(1+math.Abs(last)) {
				t.Fatalf("seed %d: the model falls from %v to %v", seed, last, now)
			}
			last = now
		}
		n := len(w.f)
		for r, got := range w.model.r {
			want := w.f[r]
			for q, d := range w.model.d {
				want -= m[r*n+q] * d
			}
			if math.Abs(got-want) > 1e-9*(1+math.Abs(w.f[r])) {
				t.Errorf("seed %d: residual %v, want %v", seed, got, want)
			}
		}
		if best := boxMaximum(t, m, w.f, w.model.low, w.model.high); last < best-1e-3*(1+best) || last > best+1e-9*(1+best) {
			t.Errorf("seed %d: %v after 400 sweeps, the best is %v", seed, last, best)
		}
	})
}

// A solve over the free positions never lowers the model, whether it is clipped or
// not, and does not touch what is at the border.
func TestSubspace(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	clipped := 0
	models(t, 300, 8, func(t *testing.T, seed uint64, x *Ascent, p *problem.Problem, m []float64) {
		w := &x.newton
		w.maximise(x, p)
		for r := range w.model.d { // somewhere in the box, some at its border
			low, high := max(w.model.low[r], -1), min(w.model.high[r], 1)
			w.model.d[r] = low + (high-low)*rng.Float64()
			if rng.IntN(3) == 0 {
				w.model.d[r] = w.model.low[r]
				if math.IsInf(w.model.low[r], 0) {
					w.model.d[r] = 0
				}
			}
		}
		w.system.spread(w.model.d)
		w.residual()
		from := slices.Clone(w.model.d)
		before := quadratic(m, w.f, from)
		w.subspace(p)
		after := quadratic(m, w.f, w.model.d)
		if after < before-1e-10*(1+math.Abs(before)) {
			t.Errorf("seed %d: the model falls from %v to %v", seed, before, after)
		}
		atEnd := false
		for r, d := range w.model.d {
			if d < w.model.low[r]-1e-12 || d > w.model.high[r]+1e-12 {
				t.Errorf("seed %d: step %v outside [%v, %v]", seed, d, w.model.low[r], w.model.high[r])
			}
			border := from[r] <= w.model.low[r] || from[r] >= w.model.high[r]
			if border && d != from[r] {
				t.Errorf("seed %d: a step at the border moved from %v to %v", seed, from[r], d)
			}
			atEnd = atEnd || !border && (d == w.model.low[r] || d == w.model.high[r])
		}
		if atEnd {
			clipped++
		}
	})
	if clipped < 10 {
		t.Errorf("only %d solves were clipped", clipped)
	}
}
