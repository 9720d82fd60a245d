package dualascent

import (
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
)

// DualBCD is dual block coordinate ascent with exact block steps, see the package comment,
// and Anderson extrapolation from sweep to sweep; no second-order steps and no factors. It
// needs many sweeps where ε is small: multipliers then have to go far in steps that other
// rows keep short. Extrapolation takes most of them away, see docs/INFERENCE.md.
type DualBCD struct{}

// Name returns "bcd".
func (DualBCD) Name() string { return "bcd" }

// Capabilities says that this is a dual method, whose gap closes slowly.
func (DualBCD) Capabilities() problem.Capabilities {
	return problem.Capabilities{MaxIterations: 20000, CheckEvery: 8, ProvesGap: true, Family: problem.DualFamily, LeastEpsilon: 1e-2}
}

// NewSolver returns working state.
func (DualBCD) NewSolver() problem.Solver {
	return new(accelerated)
}

// accelerated is Ascent with extrapolation. After each memory sweeps λ moves towards the
// combination Σ c_i λ_i of what they led to, Σ c_i = 1, whose combined change in a sweep,
// Σ c_i (λ_i − λ_{i−1}), is least (Anderson extrapolation; Bertrand and Massias, Anderson
// acceleration of coordinate descent, 2021), and halfway along the change of the last
// sweep. How far is found by a line search, so that the dual never falls. Nothing but
// sweeps and slopes enters: no curvature and no matrix of the problem.
type accelerated struct {
	Ascent
	history  [][]float64 // λ before and after each sweep since the last extrapolation
	sweeps   int         // since then
	gram, c  []float64
	factor   sparse.Updated // of gram
	to       []float64      // where to go
	ray      ray
	moving   []int32
	distance []float64
}

// Init starts from p.Dual.
func (x *accelerated) Init(p *problem.Problem) {
	x.Ascent.Init(p)
	x.begin()
}

// begin forgets the sweeps so far.
func (x *accelerated) begin() {
	x.sweeps = 0
	x.remember()
}

func (x *accelerated) remember() {
	if x.sweeps == len(x.history) {
		x.history = append(x.history, nil)
	}
	x.history[x.sweeps] = append(x.history[x.sweeps][:0], x.lambda...)
}

// Iterate makes one sweep over the dirty groups and, when it is time, extrapolates.
func (x *accelerated) Iterate(p *problem.Problem) problem.Progress {
	progress := x.Ascent.Iterate(p)
	if progress != problem.Moving {
		return progress
	}
	x.sweeps++
	x.remember()
	switch x.sweeps {
	case memory / 2:
		x.repeat()
		x.extrapolate(p)
		x.remember() // in place of the point before
	case memory:
		if x.combine() {
			x.extrapolate(p)
		}
		x.begin()
	}
	return problem.Moving
}

// repeat aims at where another sweep with the same change would lead.
func (x *accelerated) repeat() {
	x.to = problem.Resize(x.to, len(x.lambda))
	for k, v := range x.lambda {
		x.to[k] = 2*v - x.history[x.sweeps-1][k]
	}
}

// combine aims at the combination of the sweeps. It returns false where there is none.
func (x *accelerated) combine() bool {
	m, trace := x.sweeps, 0.0
	x.gram, x.c, x.to = problem.Resize(x.gram, m*m), problem.Resize(x.c, m), problem.Resize(x.to, len(x.lambda))
	clear(x.gram)
	for k := range x.lambda {
		for i := range m {
			if r := x.history[i+1][k] - x.history[i][k]; r != 0 {
				for j := range i + 1 {
					x.gram[i*m+j] += r * (x.history[j+1][k] - x.history[j][k])
				}
			}
		}
	}
	for i := range m {
		trace += x.gram[i*m+i]
		x.c[i] = 1
	}
	for i := range m {
		x.gram[i*m+i] += leastChange * trace
	}
	x.factor.Reset(m)
	for i := range m {
		row := x.gram[i*m : i*m+i]
		left := x.factor.Reduce(row, x.gram[i*m+i])
		if !(left > 0) {
			return false
		}
		x.factor.Keep(row, left)
	}
	x.factor.Solve(x.c)
	sum := 0.0
	for _, c := range x.c {
		sum += c
	}
	clear(x.to)
	for i, c := range x.c {
		for k, v := range x.history[i+1] {
			x.to[k] += c / sum * v
		}
	}
	return sum > 0
}

// extrapolate goes towards to, within the domain.
func (x *accelerated) extrapolate(p *problem.Problem) {
	x.moving, x.distance = x.moving[:0], x.distance[:0]
	gain := 0.0
	for k, v := range x.lambda {
		low, high := x.rows.limits(k)
		if d := min(max(x.to[k], low), high) - v; d != 0 {
			gain += d * x.slope(k)
			x.moving, x.distance = append(x.moving, int32(k)), append(x.distance, d)
		}
	}
	if !(gain > 0) {
		return
	}
	x.ray.aim(&x.Ascent, x.moving, x.distance)
	if x.ray.ascend(&x.Ascent, gain, farOut) {
		x.refresh()
		p.Stats.Extrapolations++
	}
}
