// Package subgradient is projected subgradient descent ("subgradient"), a baseline.
// Options out of range are refused by Validate. A method is immutable; its Solvers
// belong to one goroutine.
package subgradient

import (
	"fmt"
	"math"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// Subgradient is projected subgradient descent on the exact penalty form of the
// problem,
//
//	min over the box of F(y) = Σ_i (Quad y² + Lin y) + Σ_k cost_k([a_k·y + b_k]₊)
//	                         + Σ_LE P_k [a_k·y + b_k]₊ + Σ_EQ P_k |a_k·y + b_k|,
//
// with diminishing steps in the metric of the quadratic part, which is strongly
// convex because of ε. With z_k a subgradient of the k-th term as a function of
// its activity, step t is
//
//	γ_t = 2/(t + 2),
//	μ ← μ + γ_t (z(y) − μ),
//	y ← clip(−(Lin + Aᵀμ) / (2 Quad)) over the box.
//
// Without the box the last line is y ← y − γ_t (2 Quad)⁻¹ ∂F(y). With it the
// projection acts on the mean of the gradients and not on the last step (dual
// averaging: Nesterov, Primal-dual subgradient methods for convex problems,
// 2009). So the mean μ of the subgradients is a dual point of the penalty form,
// and y its minimiser: the steps are the conditional gradient method's on the dual, whose
// gap falls like 1/t (Bach, Duality between subgradient and
// conditional gradient methods, 2015). The constant of that bound is of order
// Σ_k P_k²|a_k|²/ε, so on problems with hard constraints and small ε expect two
// or three digits and the honest status IterationLimit.
//
// The penalties are exact once P_k ≥ |μ*_k|, which is not known: where a mean
// subgradient comes near its P_k, that is doubled and the steps grow again. The
// point handed out is the best one of the iterates and of their weighted mean,
// by F, with the best μ, by the dual value.
type Subgradient struct {
	// Penalty > 0 is the first P_k of all hard constraints. Zero means the
	// largest slope of the quadratic part in the box (2ε without a proximal
	// term). Too large a value costs much more than one too small.
	Penalty float64
}

var _ problem.Validator = Subgradient{}

// Name returns "subgradient".
func (Subgradient) Name() string { return "subgradient" }

// Capabilities says that steps get too short without an ε that shows.
func (Subgradient) Capabilities() problem.Capabilities {
	return problem.Capabilities{MaxIterations: 25000, CheckEvery: 50, ProvesGap: true, Family: problem.GradientFamily, LeastEpsilon: 1e-3}
}

// Validate reports whether the options are in range.
func (o Subgradient) Validate() error {
	if !(o.Penalty >= 0) || math.IsInf(o.Penalty, 0) {
		return fmt.Errorf("infer: Subgradient.Penalty %v is not a finite number > 0, or 0 for the default", o.Penalty)
	}
	return nil
}

// NewSolver returns working state.
func (o Subgradient) NewSolver() problem.Solver {
	return &subgradient{options: o}
}

const (
	// penaltyEvery is the number of steps between two looks at the penalties.
	penaltyEvery = 50
	// largestPenalty ends their growth: where it is not exact either, the hard
	// constraints contradict each other.
	largestPenalty = 1e12
	// warmSteps is the number of steps t that a warm start counts for.
	warmSteps = 500
)

type subgradient struct {
	options Subgradient
	penalty []float64 // P_k, 0 for potentials
	y, pull []float64 // iterate and Lin + Aᵀμ
	mean    []float64 // Σ t y_t / Σ t
	mu      []float64 // Σ t z_t / Σ t
	best    []float64 // point of the least F so far, and that
	bestF   float64
	proof   []float64 // multipliers of the largest dual value so far, and that
	bestD   float64
	t       float64 // place in the sequence of steps
	steps   int
}

// Init starts at p.Dual and its minimiser; p.Y is the first candidate.
func (s *subgradient) Init(p *problem.Problem) {
	p.Expand()
	s.mu = append(s.mu[:0], p.Dual...)
	s.proof = append(s.proof[:0], p.Dual...)
	s.best = append(s.best[:0], p.Y...)
	s.y, s.pull = problem.Resize(s.y, p.Targets), problem.Resize(s.pull, p.Targets)
	s.penalty = problem.Resize(s.penalty, p.Rows)
	first := s.options.Penalty
	if !(first > 0) {
		first = steepest(p)
	}
	s.t, s.steps = 0, 0
	for k, mu := range p.Dual {
		s.penalty[k] = 0
		if p.Kind[k] <= lcqp.HardEQ {
			s.penalty[k] = max(first, 2*math.Abs(mu))
		}
		if mu != 0 {
			s.t = warmSteps
		}
	}
	s.place(p)
	s.mean = append(s.mean[:0], s.y...)
	s.bestF, s.bestD = s.value(p, s.best), math.Inf(-1)
}

// steepest returns the largest slope of the quadratic part in the box.
func steepest(p *problem.Problem) float64 {
	v := 0.0
	for i, q := range p.Quad {
		v = max(v, math.Abs(2*q*p.Lower[i]+p.Lin[i]), math.Abs(2*q*p.Upper[i]+p.Lin[i]))
	}
	return v
}

// place sets y to the minimiser of the Lagrangian at μ.
func (s *subgradient) place(p *problem.Problem) {
	p.Pull(s.mu, s.pull)
	for i, u := range s.pull {
		s.y[i] = min(max(-u/(2*p.Quad[i]), p.Lower[i]), p.Upper[i])
	}
}

// term returns value and a subgradient of row k's part of F at activity a.
func (s *subgradient) term(p *problem.Problem, k int, a float64) (f, z float64) {
	kind := p.Kind[k]
	switch {
	case a < 0 && kind == lcqp.HardEQ:
		return -s.penalty[k] * a, -s.penalty[k]
	case a <= 0:
		return 0, 0
	case kind <= lcqp.HardEQ:
		return s.penalty[k] * a, s.penalty[k]
	}
	return (p.Weight[k] + p.Curv[k]*a) * a, p.Weight[k] + 2*p.Curv[k]*a
}

// smooth returns Σ Quad y² + Lin y.
func smooth(p *problem.Problem, y []float64) float64 {
	f := 0.0
	for i, v := range y {
		f += (p.Quad[i]*v + p.Lin[i]) * v
	}
	return f
}

// value returns F(y).
func (s *subgradient) value(p *problem.Problem, y []float64) float64 {
	f := smooth(p, y)
	for k := range p.Rows {
		term, _ := s.term(p, k, p.Activity(k, y))
		f += term
	}
	return f
}

// dual returns the dual value at μ, whose minimiser is y.
func (s *subgradient) dual(p *problem.Problem) float64 {
	d := 0.0
	for i, y := range s.y {
		d += (p.Quad[i]*y + s.pull[i]) * y
	}
	for k, mu := range s.mu {
		d += mu * p.B[k]
		if over := mu - p.Weight[k]; p.Kind[k] > lcqp.HardEQ && over > 0 {
			d -= over * over / (4 * p.Curv[k])
		}
	}
	return d
}

// Iterate makes one step.
func (s *subgradient) Iterate(p *problem.Problem) problem.Progress {
	gamma := 2 / (s.t + 2)
	s.t++
	f, largest := smooth(p, s.y), 0.0
	for k := range p.Rows {
		term, z := s.term(p, k, p.Activity(k, s.y))
		f += term
		largest = max(largest, math.Abs(z-s.mu[k]))
		s.mu[k] += gamma * (z - s.mu[k])
	}
	s.consider(s.y, f)
	for i, y := range s.y {
		s.mean[i] += gamma * (y - s.mean[i])
	}
	p.Stats.BlockUpdates += p.Rows
	raised := false
	if s.steps++; largest == 0 || s.steps%penaltyEvery == 0 {
		raised = s.raise(p)
	}
	if largest == 0 && !raised {
		return problem.Settled // μ is a subgradient at its own minimiser
	}
	s.place(p)
	return problem.Moving
}

func (s *subgradient) consider(y []float64, f float64) {
	if f < s.bestF {
		s.bestF = f
		copy(s.best, y)
	}
}

// raise doubles the penalties that may be too small to be exact and tells
// whether there were any.
func (s *subgradient) raise(p *problem.Problem) (raised bool) {
	for k, most := range s.penalty {
		if most > 0 && most < largestPenalty && math.Abs(s.mu[k]) > 0.8*most {
			s.penalty[k] *= 2
			raised = true
		}
	}
	if raised {
		s.t = min(s.t, penaltyEvery+s.t/2)
		s.bestF = s.value(p, s.best)
	}
	return raised
}

// Point hands out the best points found.
func (s *subgradient) Point(p *problem.Problem) {
	s.consider(s.mean, s.value(p, s.mean))
	if d := s.dual(p); d > s.bestD {
		s.bestD = d
		copy(s.proof, s.mu)
	}
	copy(p.Y, s.best)
	copy(p.Dual, s.proof)
}
