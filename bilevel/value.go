package bilevel

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"gorgonia.org/gorgonia"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Options configure a ValueFunction.
type Options struct {
	// Epsilon is ε > 0 of the regularised LCQP (paper, section 5.1). Zero means
	// DefaultEpsilon.
	Epsilon float64
	// Solver holds the method and the stop rule of every solve; its zero value
	// means infer.DefaultMethod with its own defaults.
	Solver infer.Settings
	// Draws is K ≥ 1, the number of random draws of the neural outputs a sample
	// has (Gumbel softmax); zero means 1. Slots are draws times samples, draw
	// after draw, and the value of a sample is the mean over its draws.
	Draws int
	// DrawTemperature T > 0 replaces that mean by the soft minimum
	// −T log (1/K) Σ_k e^(−V_k/T). Zero means the mean.
	DrawTemperature float64
	// Prefix allows more neural outputs than the slots have. The surplus is not read, and
	// its gradient is zero.
	Prefix bool
	// Condition makes Solve work on the program given the labels of each slot
	// (hlmrf.Program.Condition), which is much smaller where little is free. It
	// pays where many slots share few sets of labels. Results then have a point,
	// no duals and no slacks. Slots with a warm state or with outputs
	// outside [0,1] are solved whole.
	Condition bool
	// Check re-computes the optimality residuals of every solution outside the
	// solver and makes a residual above CheckTolerance an error.
	Check bool
}

const (
	// DefaultEpsilon is the regularisation of the paper's MNIST experiments.
	DefaultEpsilon = 1e-3
	// CheckTolerance bounds every residual under Options.Check.
	CheckTolerance = 1e-6
)

// ValueFunction evaluates the optimal value of instances (slots) of one
// template and keeps, until the next evaluation, what their gradients need. The
// value of sample i is the mean over the slots i, i + P, i + 2P, … of its draws,
// or their soft minimum.
type ValueFunction struct {
	template *lcqp.Template // of all slots, but see use
	opt      Options
	samples  int
	room     place   // of a draw: how many numbers its samples have at most
	at       []place // of each sample: where its numbers begin in a draw
	insts    []*lcqp.Instance
	warms    []*infer.Warm
	results  []*infer.Result

	// With Options.Condition, the draws of a sample share its instance, which holds its
	// labels. copies are the instances of draws that are solved whole all the same. labelled
	// is, for each sample, the program given its labels. given is, for each slot, the
	// conditioned program that it was solved by, with the results in small; nil for slots
	// solved whole.
	copies          []*lcqp.Instance
	labelled, given []*conditioned
	small           []infer.Result
	conditional     bool // in the running evaluation
	conditions      conditions
	order           []int // slots, see groups

	values []float64 // V or M of each sample
	// slotValues holds the optimal value of each slot, share the derivative of its sample's
	// value by it.
	slotValues, share []float64
	phi               []float64 // Φ(ŷ*) of each slot, Rules a run
	dg                []float64 // Bᵀμ* of each slot, one run per draw
	dy                []float64 // (y − ŷ*)/ρ of each slot, one run per draw
	g                 []float64 // neural outputs in float64
	deep              []float64 // neural outputs of the last evaluation
	stats             Stats
}

// Stats counts the work of a ValueFunction since the last ResetStats.
type Stats struct {
	// Solves counts slots solved, Unsolved those whose status is not OK.
	Solves, Unsolved int
	// Seconds is the wall time of the solves.
	Seconds float64
	// WorstGap is the largest primal–dual gap of a component, GapSum the sum over the
	// slots of the largest of each, WorstViolation the largest violation of a hard rule.
	WorstGap, GapSum, WorstViolation float64
}

// Count adds a solve but for its time.
func (s *Stats) Count(r *infer.Result) {
	s.Solves++
	if !r.Status.OK() {
		s.Unsolved++
	}
	s.GapSum += r.MaxComponentGap
	s.WorstGap = max(s.WorstGap, r.MaxComponentGap)
	s.WorstViolation = max(s.WorstViolation, r.MaxViolation)
}

// Add adds the work of t.
func (s *Stats) Add(t Stats) {
	s.Solves += t.Solves
	s.Unsolved += t.Unsolved
	s.Seconds += t.Seconds
	s.GapSum += t.GapSum
	s.WorstGap = max(s.WorstGap, t.WorstGap)
	s.WorstViolation = max(s.WorstViolation, t.WorstViolation)
}

// New returns a value function of the given number of slots, all with the
// program's own weights, no label fixed and a cold start.
func New(t *lcqp.Template, slots int, opt Options) (*ValueFunction, error) {
	samples := slots / max(opt.Draws, 1)
	return newValueFunction(t, slots, opt, place{samples * t.Deep, samples * t.Targets})
}

// newValueFunction is New with room for samples of other sizes (see use).
func newValueFunction(t *lcqp.Template, slots int, opt Options, room place) (*ValueFunction, error) {
	if slots <= 0 {
		return nil, fmt.Errorf("bilevel: %d slots, want at least 1", slots)
	}
	if opt.Draws < 0 || !(opt.DrawTemperature >= 0) || math.IsInf(opt.DrawTemperature, 1) {
		return nil, fmt.Errorf("bilevel: %d draws at the temperature %v, want finite numbers of 0 or more", opt.Draws, opt.DrawTemperature)
	}
	opt.Epsilon, opt.Draws = cmp.Or(opt.Epsilon, DefaultEpsilon), max(opt.Draws, 1)
	if slots%opt.Draws != 0 {
		return nil, fmt.Errorf("bilevel: %d slots are not a multiple of %d draws", slots, opt.Draws)
	}
	f := &ValueFunction{
		template: t, opt: opt, samples: slots / opt.Draws, room: room, at: make([]place, slots/opt.Draws),
		slotValues: make([]float64, slots), share: make([]float64, slots),
		insts:    make([]*lcqp.Instance, slots),
		warms:    make([]*infer.Warm, slots),
		results:  make([]*infer.Result, slots),
		labelled: make([]*conditioned, slots/opt.Draws),
		given:    make([]*conditioned, slots),
		values:   make([]float64, slots/opt.Draws),
		phi:      make([]float64, slots*t.Rules),
		dg:       make([]float64, opt.Draws*room.deep),
		dy:       make([]float64, opt.Draws*room.targets),
		g:        make([]float64, opt.Draws*room.deep),
	}
	if opt.Condition {
		f.copies, f.small = make([]*lcqp.Instance, slots), make([]infer.Result, slots)
	}
	// Where samples have programs of their own, t is a stand-in that may not fit: the first
	// batch replaces it.
	_, err := f.assign(func(int) *lcqp.Template { return t })
	return f, err
}

// Slots returns the number of instances, Samples()·Draws.
func (f *ValueFunction) Slots() int { return len(f.insts) }

// Samples returns P, the number of values.
func (f *ValueFunction) Samples() int { return f.samples }

// Instance returns the instance of a slot, for fixing labels; with Options.Condition it is the
// instance of the sample, for all its draws. Its weights, right-hand side and proximal terms
// are overwritten by every evaluation.
func (f *ValueFunction) Instance(slot int) *lcqp.Instance { return f.insts[slot] }

// Bind makes the next evaluations of a slot start from warm and leave their
// final state in it; nil means a cold start each time. Slots must not share a
// warm state.
func (f *ValueFunction) Bind(slot int, warm *infer.Warm) { f.warms[slot] = warm }

// Warm returns the warm state bound to a slot, or nil.
func (f *ValueFunction) Warm(slot int) *infer.Warm { return f.warms[slot] }

// Result returns the last result of a slot; see Options.Condition. It is
// overwritten by the next evaluation.
func (f *ValueFunction) Result(slot int) *infer.Result {
	r := f.results[slot]
	if c := f.given[slot]; c != nil && len(r.Y) == 0 {
		r.Y = c.point(&f.small[slot], r.Y)
	}
	return r
}

// labels returns the number of slots with labels of their own: the first ones.
func (f *ValueFunction) labels() int {
	if f.opt.Condition {
		return f.samples
	}
	return len(f.insts)
}

// Values returns the last V or M of each sample. It is overwritten by the next
// evaluation.
func (f *ValueFunction) Values() []float64 { return f.values }

// Stats returns the work counted since the last ResetStats.
func (f *ValueFunction) Stats() Stats { return f.stats }

// ResetStats sets the counters to zero.
func (f *ValueFunction) ResetStats() { f.stats = Stats{} }

// Solve evaluates V(w, g) in every slot. len(w) is Rules, len(g) is
// Slots()·Deep (or more, with Options.Prefix).
func (f *ValueFunction) Solve(w, g []float64) error {
	for _, in := range f.insts[:f.labels()] {
		in.ClearProx()
	}
	f.conditional = f.opt.Condition
	return f.solve(w, g)
}

// SolveMoreau evaluates M(y; w, g, ρ) in every slot; the draws of a sample
// share its point. len(y) is Samples()·Targets, rho > 0.
func (f *ValueFunction) SolveMoreau(w, g, y []float64, rho float64) error {
	if len(y) != f.room.targets {
		return fmt.Errorf("bilevel: y has %d elements, want %d for the targets of %d samples", len(y), f.room.targets, f.samples)
	}
	if !(rho > 0) {
		return fmt.Errorf("bilevel: Moreau parameter ρ = %v, want a number > 0", rho)
	}
	r := []float64{1 / (2 * rho)}
	for i, in := range f.insts {
		from := f.at[i%f.samples].targets
		if err := in.SetProx(r, y[from:from+in.Targets]); err != nil {
			return fmt.Errorf("bilevel: slot %d: %w", i, err)
		}
	}
	f.conditional = false
	if err := f.solve(w, g); err != nil {
		return err
	}
	for i, in := range f.insts {
		in.ProxGradient(&f.results[i].Solution, f.points(f.dy, i))
	}
	return nil
}

// Rho returns the paper's Moreau parameter ρ for a factor r = 1/(2ρ) of the proximal term
// ‖ŷ − y‖², which configuration files and the reference engine name.
func Rho(proxWeight float64) float64 { return 1 / (2 * proxWeight) }

func (f *ValueFunction) solve(w, g []float64) error {
	if err := f.checkDeep(len(g)); err != nil {
		return err
	}
	f.deep = g[:len(f.dg)]
	start := time.Now()
	if err := f.solveSlots(w, start); err != nil {
		return err
	}
	f.combine()
	for _, res := range f.results {
		f.stats.Count(res)
	}
	f.stats.Seconds += time.Since(start).Seconds()
	return nil
}

// WeightGradient writes Σ_i dv_i · Φ_i into dw: the gradient for w_sy of a loss
// whose derivative for the values is dv. Lengths: Samples() and Rules.
func (f *ValueFunction) WeightGradient(dv, dw []float64) {
	clear(dw)
	n := len(dw)
	for slot := range f.insts {
		c := dv[slot%f.samples] * f.share[slot]
		for r, v := range f.phi[slot*n : (slot+1)*n] {
			dw[r] += c * v
		}
	}
}

// Spread returns the standard deviation of V over the draws of a sample in the last
// evaluation, averaged over the samples. Options.DrawTemperature is to be compared with it.
// With one draw it is 0.
func (f *ValueFunction) Spread() float64 {
	sum, k := 0.0, float64(f.opt.Draws)
	for i := range f.samples {
		mean, square := 0.0, 0.0
		for slot := i; slot < len(f.slotValues); slot += f.samples {
			mean += f.slotValues[slot] / k
		}
		for slot := i; slot < len(f.slotValues); slot += f.samples {
			square += (f.slotValues[slot] - mean) * (f.slotValues[slot] - mean) / k
		}
		sum += math.Sqrt(square)
	}
	return sum / float64(f.samples)
}

// active counts, for each rule, the groundings that are active at the solutions of the last
// evaluation: A·y + B·g + b₀ ≥ −activeSlack, so that the rule is broken or nearly broken. All
// others hold whatever happens nearby, like a clause whose body is not true. Draws count by
// their share in the value of their sample.
func (f *ValueFunction) active(counts []float64) {
	const activeSlack = 1e-3
	for slot, in := range f.insts {
		p, y := in.Program(), f.Result(slot).Y
		for k, rule := range p.PotentialRule {
			if p.Potentials.At(k, y, f.outputs(f.deep, slot)) >= -activeSlack {
				counts[rule] += f.share[slot]
			}
		}
	}
}

// checkDeep reports a wrong number of neural outputs.
func (f *ValueFunction) checkDeep(n int) error {
	if want := len(f.dg); n < want || n > want && !f.opt.Prefix {
		return fmt.Errorf("bilevel: g has %d elements, want %d for the neural outputs of %d slots", n, want, f.Slots())
	}
	return nil
}

// widen returns the neural outputs in float64: the one place where the float32 of
// the neural half becomes the float64 of the symbolic half.
func (f *ValueFunction) widen(v gorgonia.Value) ([]float64, error) {
	switch d := v.Data().(type) {
	case []float64:
		return d, nil
	case []float32:
		if err := f.checkDeep(len(d)); err != nil {
			return nil, err
		}
		for i, x := range d[:len(f.g)] {
			f.g[i] = float64(x)
		}
		return f.g, nil
	}
	return nil, fmt.Errorf("bilevel: neural outputs are %v, want float32 or float64", v.Dtype())
}

// CheckError reports that a solution failed the outside check of Options.Check.
type CheckError struct {
	Slot     int
	Status   infer.Status
	Residual lcqp.Residual
}

func (e *CheckError) Error() string {
	return fmt.Sprintf("bilevel: slot %d: solver says %q but the outside check found %v, allowed %g",
		e.Slot, e.Status, e.Residual, CheckTolerance)
}
