// Package admm is consensus ADMM ("admm"), the method of the reference implementation.
// Options out of range are refused by Validate. A method is immutable; its Solvers
// belong to one goroutine.
package admm

import (
	"fmt"
	"math"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// ADMM is consensus ADMM on the regularised problem (Boyd et al., Distributed
// Optimization and Statistical Learning via the Alternating Direction Method of
// Multipliers, 2011, section 7; Bach et al., Hinge-Loss Markov Random Fields
// and Probabilistic Soft Logic, 2017, section 4 is the form without ε). Every
// row k has a copy x_k of its targets and scaled multipliers u_k; with ψ_k the
// cost of the row as a function of its activity, one iteration is
//
//	x_k ← argmin ψ_k(a_k·x + b_k) + ρ/2 ‖x − y + u_k‖²         for all rows,
//	y_i ← argmin over the box of Quad y² + Lin y + ρ/2 Σ_k (x_ki − y + u_ki)²,
//	u_k ← u_k + x_k − y.
//
// All three are in closed form. With z = y − u_k and κ = |a_k|²/ρ the first is
// x = z − (μ/ρ) a_k, where μ ∈ ∂ψ_k(a_k·x + b_k) solves a piecewise linear
// equation in one unknown:
//
//	equality     μ = c/κ                      c = a_k·z + b_k
//	inequality   μ = max(0, c/κ)
//	squared      μ = max(0, 2(w+ε)c / (1 + 2(w+ε)κ))
//	linear       μ = max(0, min(c/κ, (w + 2εc)/(1 + 2εκ)))
//
// This μ is the row's multiplier in the Lagrangian of the problem itself and
// has the right sign in every iteration, so each iterate is a primal–dual pair
// that the driver can certify. The paper's experiments use ADMM without ε, where
// the optimum need not be unique.
type ADMM struct {
	// Step is ρ > 0. Zero means that it is chosen: starting from 1 it is set
	// so that primal and dual residual, relative to the size of y and ρu, would
	// be equal (as in OSQP: Stellato et al. 2020, section 5.2). That happens
	// when the new ρ is off by more than a factor of 2, at iterations further
	// and further apart, and no more after 10,000.
	Step float64
	// Relaxation is the factor γ, 0 < γ < 2, by which x is moved beyond (> 1) or
	// kept short of (< 1) its minimiser before y and u are updated. Zero means
	// 1.6; 1 is the plain method.
	Relaxation float64
	// Absolute and Relative are the tolerances of ADMM's own stop rule (Boyd et al.,
	// section 3.3), over the copies x, y and u of the targets:
	//
	//	‖x − y‖ ≤ √n·Absolute + Relative·max(‖x‖, ‖y‖),   ρ‖Δy‖ ≤ √n·Absolute + Relative·ρ‖u‖.
	//
	// It says nothing of the gap. Both zero: there is none but the driver's.
	Absolute, Relative float64
}

var _ problem.Validator = ADMM{}

// Name returns "admm".
func (ADMM) Name() string { return "admm" }

// Capabilities says that the gap closes slowly, as its multipliers belong to the copies.
func (ADMM) Capabilities() problem.Capabilities {
	return problem.Capabilities{MaxIterations: 25000, CheckEvery: 10, ProvesGap: true, Family: problem.ADMMFamily}
}

// Validate reports whether the options are in range.
func (o ADMM) Validate() error {
	if !(o.Step >= 0) || math.IsInf(o.Step, 0) {
		return fmt.Errorf("infer: ADMM.Step %v is not a finite number > 0, or 0 for the default", o.Step)
	}
	if !(o.Relaxation >= 0) || o.Relaxation >= 2 {
		return fmt.Errorf("infer: ADMM.Relaxation %v is not between 0 and 2, or 0 for the default", o.Relaxation)
	}
	for _, v := range []float64{o.Absolute, o.Relative} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("infer: ADMM.Absolute %v and Relative %v are not finite numbers ≥ 0", o.Absolute, o.Relative)
		}
	}
	return nil
}

// NewSolver returns working state.
func (o ADMM) NewSolver() problem.Solver {
	s := &admm{options: o, adapt: o.Step == 0}
	if s.adapt {
		s.options.Step = 1
	}
	if o.Relaxation == 0 {
		s.options.Relaxation = 1.6
	}
	return s
}

type admm struct {
	options ADMM
	adapt   bool
	rho     float64
	y       []float64
	u       []float64 // by entry of A
	x       []float64 // by entry of A, relaxed
	mu      []float64 // by row
	norm    []float64 // |a_k|²
	sum     []float64 // Σ_k x_ki + u_ki
	copies  []float64 // number of rows of each target
	sweeps  int
	nextRho int // iteration at which ρ is looked at next
}

const (
	// firstRho is the iteration at which ρ is adapted for the first time,
	// lastRho that after which it stays: the convergence proof is for a fixed ρ.
	firstRho, lastRho = 10, 10000
	// leastRho and largestRho bound the adapted ρ.
	leastRho, largestRho = 1e-6, 1e6
)

// Init starts from y = p.Y and ρ·u_k = −μ_k·a_k, which is a fixed point when
// (p.Y, p.Dual) is optimal.
func (s *admm) Init(p *problem.Problem) {
	p.Expand()
	s.rho = s.options.Step
	s.y, s.mu = append(s.y[:0], p.Y...), append(s.mu[:0], p.Dual...)
	s.u, s.x = problem.Resize(s.u, len(p.Col)), problem.Resize(s.x, len(p.Col))
	s.norm = problem.Resize(s.norm, p.Rows)
	problem.ResizeAll(p.Targets, &s.sum, &s.copies)
	clear(s.copies)
	for _, i := range p.Col {
		s.copies[i]++
	}
	for k, mu := range p.Dual {
		s.norm[k] = 0
		for j := p.Ptr[k]; j < p.Ptr[k+1]; j++ {
			a := p.Val[j]
			s.norm[k] += a * a
			s.u[j] = -mu * a / s.rho
		}
	}
	s.sweeps, s.nextRho = 0, firstRho
}

// Iterate makes one iteration.
func (s *admm) Iterate(p *problem.Problem) problem.Progress {
	clear(s.sum)
	for k := range p.Rows {
		s.local(p, k)
	}
	var r residuals
	for i, sum := range s.sum {
		copies := s.copies[i]
		y := (s.rho*sum - p.Lin[i]) / (2*p.Quad[i] + s.rho*copies)
		y = min(max(y, p.Lower[i]), p.Upper[i])
		d := y - s.y[i]
		r.dual += copies * d * d
		r.point += copies * y * y
		s.y[i] = y
	}
	for j, i := range p.Col {
		d := s.x[j] - s.y[i]
		s.u[j] += d
		r.primal += d * d
		r.force += s.u[j] * s.u[j]
		r.copies += s.x[j] * s.x[j]
	}
	progress := problem.Moving
	if s.options.Absolute+s.options.Relative > 0 && s.within(&r, len(p.Col)) {
		progress = problem.Stopped
	}
	p.Stats.BlockUpdates += p.Rows
	if r.primal == 0 && r.dual == 0 {
		return max(problem.Settled, progress)
	}
	if s.sweeps++; s.adapt && s.sweeps == s.nextRho && s.sweeps <= lastRho {
		s.balance(r)
	}
	return progress
}

// residuals are the squared norms, over all copies, of x − y (primal), of the
// change of y (dual, without ρ), and of their scales y, u and x.
type residuals struct{ primal, dual, point, force, copies float64 }

// within reports whether ADMM's own stop rule holds for n copies.
func (s *admm) within(r *residuals, n int) bool {
	o := &s.options
	absolute := math.Sqrt(float64(n)) * o.Absolute
	return math.Sqrt(r.primal) <= absolute+o.Relative*math.Sqrt(max(r.copies, r.point)) &&
		s.rho*math.Sqrt(r.dual) <= absolute+o.Relative*s.rho*math.Sqrt(r.force)
}

// local updates the copies of row k.
func (s *admm) local(p *problem.Problem, k int) {
	from, to := p.Ptr[k], p.Ptr[k+1]
	c, kappa := p.B[k], s.norm[k]/s.rho
	for j := from; j < to; j++ {
		c += p.Val[j] * (s.y[p.Col[j]] - s.u[j])
	}
	mu := localDual(p.Kind[k], p.Weight[k], p.Curv[k], c, kappa)
	s.mu[k] = mu
	relax := s.options.Relaxation
	for j := from; j < to; j++ {
		i := p.Col[j]
		y := s.y[i]
		x := y - s.u[j] - mu/s.rho*p.Val[j]
		x = relax*x + (1-relax)*y
		s.x[j] = x
		s.sum[i] += x + s.u[j]
	}
}

// localDual returns the μ with μ ∈ ∂ψ(c − κμ); 0 for a row that no copy can
// change.
func localDual(kind lcqp.Kind, weight, curv, c, kappa float64) float64 {
	if kappa == 0 {
		return 0
	}
	switch kind {
	case lcqp.HardEQ:
		return c / kappa
	case lcqp.HardLE:
		return max(0, c/kappa)
	case lcqp.Square:
		return max(0, 2*curv*c/(1+2*curv*kappa))
	}
	return max(0, min(c/kappa, (weight+2*curv*c)/(1+2*curv*kappa)))
}

// balance sets ρ so that the residuals, relative to their scales, become equal
// if they stay as they are, and rescales u.
func (s *admm) balance(r residuals) {
	s.nextRho += max(firstRho, s.sweeps/4)
	// Both relative dual numbers carry a factor of ρ.
	factor := math.Sqrt(math.Sqrt(r.primal * r.force / (r.dual * r.point)))
	if !(factor > 0) || math.IsInf(factor, 1) || factor > 0.5 && factor < 2 {
		return
	}
	rho := s.rho * min(max(factor, 0.1), 10)
	rho = min(max(rho, leastRho), largestRho)
	for j := range s.u {
		s.u[j] *= s.rho / rho
	}
	s.rho = rho
}

// Point copies the consensus and the multipliers of the rows.
func (s *admm) Point(p *problem.Problem) {
	copy(p.Y, s.y)
	copy(p.Dual, s.mu)
}
