package bilevel

import (
	"fmt"
	"math"
	"slices"

	"hinge/optim"
)

// outer is the state of the two outer loops of the algorithm (paper, appendix,
// the complete learning framework), and what an epoch has shown so far.
type outer struct {
	started, done         bool
	iota, penalty         float64 // ι, μ
	omega, sigma          float64 // ω, σ
	epochs, rounds, inner int

	steps    int       // of this epoch
	fixed    bool      // w_sy is not learned
	weights  []float64 // w_sy at the first step of the epoch
	gradient []float64 // sum of the gradients for w_sy over the epoch
	// Sums over the epoch: norms of the projected gradients of points and
	// slacks, squared movement of points and outputs, visits of the latter.
	deltaY, deltaS, movedY, movedG, visits float64
}

// start begins with the relaxation ι^(0).
func (u *outer) start(iota float64, set *Settings) {
	u.started, u.done = true, false
	u.iota, u.penalty = iota, set.InitialPenalty
	u.epochs, u.rounds, u.inner = 0, 0, 0
	u.tolerances()
	u.newEpoch()
}

// tolerances resets ω and σ to those of the penalty.
func (u *outer) tolerances() {
	u.omega, u.sigma = 1/u.penalty, 1/math.Pow(u.penalty, 0.1)
}

func (u *outer) newEpoch() {
	u.steps = 0
	u.deltaY, u.deltaS, u.movedY, u.movedG, u.visits = 0, 0, 0, 0, 0
	clear(u.gradient)
}

// meet adds a step's gradient for w_sy, dw of the scaled loss.
func (u *outer) meet(w, dw []float64, scale float64) {
	if u.steps == 0 {
		copy(u.weights, w)
	}
	u.steps++
	u.fixed = dw == nil
	for r, d := range dw {
		u.gradient[r] += d / scale
	}
}

// points, slack and outputs add what a visit has shown: squared norms for
// points and outputs, the entry of a norm for slacks.
func (u *outer) points(residual, moved float64) {
	u.deltaY += math.Sqrt(residual)
	u.movedY += moved
}
func (u *outer) slack(d float64) { u.deltaS += d * d }
func (u *outer) outputs(moved float64) {
	u.movedG += moved
	u.visits++
}

// delta is the stationarity measure of the epoch that ends with weights w. A visit
// of a point or slack stands for share of them.
func (u *outer) delta(w []float64, neural, share float64, set *Settings) float64 {
	if set.Stationarity == StationarityMovement {
		d := share * u.movedY
		for r, v := range w {
			d += (v - u.weights[r]) * (v - u.weights[r]) / float64(len(w))
		}
		if u.visits > 0 {
			d += u.movedG / u.visits
		}
		return d
	}
	rest := neural + share*u.deltaY + math.Sqrt(share*u.deltaS)
	if u.fixed {
		return rest
	}
	// ‖w − Π(w − ∇L_A)‖ on the simplex, at the weights the epoch began with.
	set.Regularizer.AddGrad(u.gradient, u.weights)
	next := slices.Clone(u.weights)
	for r, d := range u.gradient {
		next[r] -= d
	}
	optim.ProjectSimplex(next)
	sum := 0.0
	for r, v := range next {
		sum += (v - u.weights[r]) * (v - u.weights[r])
	}
	return math.Sqrt(sum) + rest
}

// EndEpoch ends an epoch with the weights w_sy it has led to: every
// Settings.TestEvery epochs it tests the stop criteria of the inner problem and
// updates multipliers, penalty or relaxation. neural is the norm of the
// gradient of the loss for w_nn, which StationarityGradient wants (0 without a
// network). The value-based losses have nothing to do here.
func (o *Objective) EndEpoch(w []float64, neural float64) (Outcome, error) {
	if o.lag == nil {
		return Outcome{Action: Continue}, nil
	}
	u := &o.outer
	if !u.started {
		return Outcome{}, ErrNotStarted
	}
	u.epochs++
	out := Outcome{
		Epoch: u.epochs, Round: u.rounds, Inner: u.inner, Action: Continue, Done: u.done,
		Relaxation: u.iota, Penalty: u.penalty, Omega: u.omega, Sigma: u.sigma,
	}
	// Without an earlier visit the outputs' movement is not known.
	unknown := o.outputs != nil && u.visits == 0
	if u.epochs%o.set.TestEvery != 0 || u.steps == 0 || unknown {
		u.newEpoch()
		return out, nil
	}
	out.Tested = true
	out.Delta = u.delta(w, neural/o.lag.scale(), o.lag.share(), &o.set)
	for i, r := range o.residuals {
		out.Violation += math.Abs(r)
		out.Gap += o.gaps[i]
	}
	if math.IsNaN(out.Delta) || math.IsNaN(out.Violation) {
		return out, fmt.Errorf("bilevel: epoch %d: stationarity %v, violation %v", u.epochs, out.Delta, out.Violation)
	}
	u.newEpoch()
	out.Action = o.react(out)
	if o.set.StopOnGap && out.Gap < o.set.ConstraintTolerance {
		u.done = true
	}
	out.Done = u.done
	if r := o.set.Recorder; r != nil {
		r.Test(out)
	}
	return out, nil
}

// react is the body of the paper's inner loop after its minimisation, and the
// end of the outer loop.
func (o *Objective) react(seen Outcome) Action {
	u, set := &o.outer, &o.set
	if seen.Delta > u.omega {
		return Continue
	}
	u.inner++
	if !(seen.Violation < u.sigma) {
		u.penalty *= set.PenaltyGrowth
		u.tolerances()
		return Penalised
	}
	if seen.Violation < set.ConstraintTolerance && seen.Delta <= set.MovementTolerance {
		u.tolerances()
		if u.iota <= set.RelaxationTarget {
			u.done = true
			return Finished
		}
		u.iota /= 2
		u.rounds++
		u.inner = 0
		return Relaxed
	}
	for i, r := range o.residuals {
		// What was not visited again has been reacted to before.
		o.multipliers[i] += o.fresh[i] * set.MultiplierFactor * u.penalty * r
	}
	clear(o.fresh)
	u.sigma = set.tightened(u.sigma, math.Pow(u.penalty, 0.9), set.ConstraintTolerance)
	u.omega = set.tightened(u.omega, u.penalty, set.MovementTolerance)
	return Multipliers
}

// tightened divides a tolerance, but not to below its floor unless it is there
// already.
func (s *Settings) tightened(tolerance, by, floor float64) float64 {
	if s.NoFloors {
		return tolerance / by
	}
	return max(tolerance/by, min(tolerance, floor))
}

// Relaxation returns ι.
func (o *Objective) Relaxation() float64 { return o.outer.iota }

// Penalty returns μ.
func (o *Objective) Penalty() float64 { return o.outer.penalty }

// Started tells whether a bilevel loss has its starting points; always true for
// the others.
func (o *Objective) Started() bool { return o.lag == nil || o.outer.started }

// Done tells whether the algorithm has reached its end.
func (o *Objective) Done() bool { return o.outer.done }
