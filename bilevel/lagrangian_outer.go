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

// endEpoch tests the stop criteria where a test is due, and reacts.
func (l *lagrangian) endEpoch(w []float64, neural float64) (Outcome, error) {
	u, set := &l.outer, &l.o.set
	u.epochs++
	out := Outcome{
		Epoch: u.epochs, Round: u.rounds, Inner: u.inner, Action: Continue, Done: u.done,
		Relaxation: u.iota, Penalty: u.penalty, Omega: u.omega, Sigma: u.sigma,
	}
	// Without an earlier visit the outputs' movement is not known.
	unknown := l.outputs != nil && u.visits == 0
	if u.epochs%set.TestEvery != 0 || u.steps == 0 || unknown {
		u.newEpoch()
		return out, nil
	}
	out.Tested = true
	out.Delta = u.delta(w, neural/l.value.scale(), l.value.share(), set)
	for i, r := range l.residuals {
		out.Violation += math.Abs(r)
		out.Gap += l.gaps[i]
	}
	if math.IsNaN(out.Delta) || math.IsNaN(out.Violation) {
		return out, fmt.Errorf("bilevel: epoch %d: stationarity %v, violation %v", u.epochs, out.Delta, out.Violation)
	}
	u.newEpoch()
	out.Action = l.react(out)
	if set.StopOnGap && out.Gap < set.ConstraintTolerance {
		u.done = true
	}
	out.Done = u.done
	return out, nil
}

// react is the body of the paper's inner loop after its minimisation, and the
// end of the outer loop.
func (l *lagrangian) react(seen Outcome) Action {
	u, set := &l.outer, &l.o.set
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
	for i, r := range l.residuals {
		// What was not visited again has been reacted to before.
		l.multipliers[i] += l.fresh[i] * set.MultiplierFactor * u.penalty * r
	}
	clear(l.fresh)
	u.sigma = set.tightened(u.sigma, math.Pow(u.penalty, 0.9), set.ConstraintTolerance)
	u.omega = set.tightened(u.omega, u.penalty, set.MovementTolerance)
	return Multipliers
}

// pack writes the scalars in a fixed order; counters are exact in float64.
func (u *outer) pack() []float64 {
	flag := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	return []float64{
		flag(u.started), flag(u.done), u.iota, u.penalty, u.omega, u.sigma,
		float64(u.epochs), float64(u.rounds), float64(u.inner), float64(u.steps),
		u.deltaY, u.deltaS, u.movedY, u.movedG, u.visits, flag(u.fixed),
	}
}

// unpack is the inverse of pack.
func (u *outer) unpack(x []float64) {
	u.started, u.done = x[0] != 0, x[1] != 0
	u.iota, u.penalty, u.omega, u.sigma = x[2], x[3], x[4], x[5]
	u.epochs, u.rounds, u.inner, u.steps = int(x[6]), int(x[7]), int(x[8]), int(x[9])
	u.deltaY, u.deltaS, u.movedY, u.movedG, u.visits = x[10], x[11], x[12], x[13], x[14]
	u.fixed = x[15] != 0
}
