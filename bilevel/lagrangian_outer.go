package bilevel

import (
	"fmt"
	"math"
	"slices"

	"hinge/optim"
	"hinge/optim/collective"
	"hinge/symbolic/lcqp"
)

// outer is the state of the two outer loops of the algorithm (paper, appendix,
// the complete learning framework), and what an epoch has shown so far.
type outer struct {
	started, done         bool
	iota, penalty         float64 // ι, μ
	omega, sigma          float64 // ω, σ
	epochs, rounds, inner int

	fixed   bool      // w_sy is not learned
	weights []float64 // w_sy at the first step of the epoch
	learned []int     // rules whose weights are on the simplex
	// The sums of the epoch so far: of each part of the samples, and of the part whose samples
	// are loaded.
	seen []ledger
	*ledger
}

// ledger holds the sums of an epoch over the samples of one part.
type ledger struct {
	steps    int       // of this epoch
	gradient []float64 // sum of the gradients for w_sy over the epoch
	// Sums over the epoch: norms of the projected gradients of points, squared movement of
	// points and outputs, visits of the latter.
	deltaY, movedY, movedG, visits float64
}

// newOuter returns the state before the first step, with a ledger for each part.
func newOuter(p *Problem, parts int) outer {
	rules := p.Template.Rules
	u := outer{weights: make([]float64, rules), learned: lcqp.Grounded(p.Template, p.Templates...), seen: make([]ledger, parts)}
	for i := range u.seen {
		u.seen[i].gradient = make([]float64, rules)
	}
	u.ledger = &u.seen[0]
	return u
}

// sums are the numbers of a ledger, in a fixed order, with the gradient last; the counters are
// exact in float64. The third held slacks that took steps of their own; it stays so that states
// saved by earlier versions are read. setSums is the inverse; without a gradient it leaves the
// ledger's own.
func (l *ledger) sums() []float64 {
	return append([]float64{float64(l.steps), l.deltaY, 0, l.movedY, l.movedG, l.visits}, l.gradient...)
}

func (l *ledger) setSums(x []float64) {
	l.steps, l.deltaY, l.movedY, l.movedG, l.visits = int(x[0]), x[1], x[3], x[4], x[5]
	copy(l.gradient, x[6:])
}

// start begins with the relaxation ι^(0).
func (u *outer) start(iota float64, set *Settings) {
	u.started, u.done = true, false
	u.iota, u.penalty = iota, set.InitialPenalty
	u.epochs, u.rounds, u.inner = 0, 0, 0
	u.tolerances()
	u.newEpoch()
}

// tolerances resets ω and σ to 1/μ and 1/μ^0.1, the paper's start for a penalty μ.
func (u *outer) tolerances() {
	u.omega, u.sigma = 1/u.penalty, 1/math.Pow(u.penalty, 0.1)
}

func (u *outer) newEpoch() {
	for i := range u.seen {
		l := &u.seen[i]
		clear(l.gradient)
		*l = ledger{gradient: l.gradient}
	}
}

// total sums the ledgers of all parts on all ranks.
func (u *outer) total(p collective.Parts) (*ledger, error) {
	if p.N() == 1 {
		return &u.seen[0], nil
	}
	var own [][]float64
	lo, hi := p.Own()
	for i := lo; i < hi; i++ {
		own = append(own, u.seen[i].sums())
	}
	if err := collective.SumParts(p.Comm(), own, own[0]); err != nil {
		return nil, err
	}
	sum := &ledger{gradient: make([]float64, len(u.weights))}
	sum.setSums(own[0])
	return sum, nil
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

// delta returns the stationarity measure of the epoch that ends with weights w, from the
// ledger seen. A visit of a point counts share times.
func (u *outer) delta(seen *ledger, w []float64, neural, share float64, set *Settings) float64 {
	if set.Stationarity == StationarityMovement {
		d := share * seen.movedY
		for r, v := range w {
			d += (v - u.weights[r]) * (v - u.weights[r]) / float64(len(w))
		}
		if seen.visits > 0 {
			d += seen.movedG / seen.visits
		}
		return d
	}
	rest := neural + share*seen.deltaY
	if u.fixed {
		return rest
	}
	// ‖w − Π(w − ∇L_A)‖ on the simplex, at the weights the epoch began with.
	set.Regularizer.AddGrad(seen.gradient, u.weights)
	next := make([]float64, len(u.learned))
	for i, r := range u.learned {
		next[i] = u.weights[r] - seen.gradient[r]
	}
	optim.ProjectSimplex(next)
	sum := 0.0
	for i, r := range u.learned {
		sum += (next[i] - u.weights[r]) * (next[i] - u.weights[r])
	}
	return math.Sqrt(sum) + rest
}

// EndEpoch tests the stop criteria where a test is due, and reacts.
func (l *lagrangian) EndEpoch(w []float64, neural float64) (Outcome, error) {
	u, set := &l.outer, &l.o.set
	u.epochs++
	out := Outcome{
		Epoch: u.epochs, Round: u.rounds, Inner: u.inner, Action: Continue, Done: u.done,
		Relaxation: u.iota, Penalty: u.penalty, Omega: u.omega, Sigma: u.sigma,
	}
	after := u.epochs
	if set.LikeReference {
		after--
	}
	if after%set.TestEvery != 0 {
		u.newEpoch()
		return out, nil
	}
	parts := l.o.parts
	seen, err := u.total(parts)
	if err != nil {
		return out, err
	}
	// Without an earlier visit the outputs' movement is not known.
	if unknown := l.outputs != nil && seen.visits == 0; seen.steps == 0 || unknown {
		u.newEpoch()
		return out, nil
	}
	for _, x := range [][]float64{l.residuals, l.gaps, l.fresh} {
		if err := parts.Complete(x, 1); err != nil {
			return out, err
		}
	}
	out.Tested = true
	// neural is the norm for the mean over the batches of all parts, or for their sum.
	sum := l.scale()
	if l.o.set.Reduction == Mean {
		sum /= float64(parts.N())
	}
	out.Delta = u.delta(seen, w, neural/sum, l.value.share(), set)
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
		if u.iota <= 0 && !set.LikeReference {
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

// pack writes the scalars of the loops and of the first ledger in a fixed order; counters
// are exact in float64.
func (u *outer) pack() []float64 {
	flag := map[bool]float64{true: 1}
	loops := []float64{
		flag[u.started], flag[u.done], u.iota, u.penalty, u.omega, u.sigma,
		float64(u.epochs), float64(u.rounds), float64(u.inner),
	}
	return slices.Concat(loops, u.seen[0].sums()[:6], []float64{flag[u.fixed]})
}

// unpack is the inverse of pack.
func (u *outer) unpack(x []float64) {
	u.started, u.done = x[0] != 0, x[1] != 0
	u.iota, u.penalty, u.omega, u.sigma = x[2], x[3], x[4], x[5]
	u.epochs, u.rounds, u.inner = int(x[6]), int(x[7]), int(x[8])
	u.seen[0].setSums(x[9:15])
	u.fixed = x[15] != 0
}
