package bilevel

import (
	"math"
	"slices"
	"sync"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// conditionedRows bounds the rows of the conditioned programs that are kept, at
// some hundred bytes each.
const conditionedRows = 1 << 20

// conditions keeps the programs conditioned on the labels met so far. The labels
// of a sample stay while its outputs change, and samples share labels (there are
// 199 sums of two-digit numbers), so that each is worked out once for many solves.
type conditions struct {
	mu    sync.Mutex
	given map[uint64][]*conditioned
	rows  int
}

// conditioned is the template of one set of labels.
type conditioned struct {
	whole    *lcqp.Template
	label    []float64 // by target, NaN where free
	once     sync.Once
	template *lcqp.Template // nil if the labels contradict a constraint
	free     []int
	squares  float64 // Σ label²
	spare    sync.Pool
}

// smallProblem is an instance of a conditioned template with its result.
type smallProblem struct {
	in  *lcqp.Instance
	res *infer.Result
}

// matches reports whether the labels are those fixed on an instance.
func (c *conditioned) matches(in *lcqp.Instance) bool {
	if c.whole != in.Template {
		return false
	}
	for i, v := range c.label {
		if fixed := in.Lower[i] == in.Upper[i]; fixed == math.IsNaN(v) || fixed && v != in.Lower[i] {
			return false
		}
	}
	return true
}

// of returns the conditioned program of the labels fixed on an instance. last is
// the likely answer, or nil.
func (s *conditions) of(in *lcqp.Instance, last *conditioned) *conditioned {
	if last == nil || !last.matches(in) {
		last = s.find(in)
	}
	last.once.Do(func() { s.build(last, in.Template) })
	return last
}

func (s *conditions) find(in *lcqp.Instance) *conditioned {
	const factor = 0x9e3779b97f4a7c15
	var hash uint64
	for i, low := range in.Lower {
		if low == in.Upper[i] {
			hash = ((hash^hash>>29)*factor ^ uint64(i)) * factor
			hash ^= math.Float64bits(low)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.given[hash] {
		if c.matches(in) {
			return c
		}
	}
	if s.given == nil || s.rows > conditionedRows {
		// What is in use stays alive with the slots that use it.
		s.given, s.rows = map[uint64][]*conditioned{}, 0
	}
	c := &conditioned{whole: in.Template, label: slices.Clone(in.Lower)}
	for i, up := range in.Upper {
		if c.label[i] != up {
			c.label[i] = math.NaN()
		}
	}
	s.given[hash] = append(s.given[hash], c)
	return c
}

func (s *conditions) build(c *conditioned, whole *lcqp.Template) {
	given, err := whole.Program().Condition(c.label)
	if err != nil {
		return // the solver has the proof
	}
	t, err := lcqp.Compile(given.Program)
	if err != nil {
		return
	}
	c.template, c.free = t, given.Free
	for _, v := range c.label {
		if !math.IsNaN(v) {
			c.squares += v * v
		}
	}
	s.mu.Lock()
	s.rows += t.Rows()
	s.mu.Unlock()
}

// problem returns an instance at the ε of in.
func (c *conditioned) problem(in *lcqp.Instance) (*smallProblem, error) {
	if p, ok := c.spare.Get().(*smallProblem); ok {
		return p, nil
	}
	small, err := c.template.NewInstance(in.Epsilon)
	return &smallProblem{small, new(infer.Result)}, err
}

// finish writes the result of the whole program into res, except for duals and
// slacks.
func (c *conditioned) finish(p *smallProblem, res *infer.Result) {
	y := append(res.Y[:0], c.label...)
	for k, i := range c.free {
		y[i] = p.res.Y[k]
	}
	constant := p.in.Epsilon * c.squares
	*res = infer.Result{
		Solution: lcqp.Solution{Y: y}, Status: p.res.Status, Energy: p.res.Energy,
		PrimalValue: p.res.PrimalValue + constant, DualValue: p.res.DualValue + constant,
		TotalGap: p.res.TotalGap, MaxComponentGap: p.res.MaxComponentGap, MaxViolation: p.res.MaxViolation,
		Stats: p.res.Stats, Runtime: p.res.Runtime,
	}
	c.spare.Put(p)
}

// condition replaces the problem of a slot by the conditioned one, where that is
// the same: with outputs in [0,1], and no warm state of the whole program.
func (f *ValueFunction) condition(i int, g []float64) error {
	if f.warms[i] != nil || f.opt.Solver.Recorder != nil {
		return nil
	}
	for _, v := range g {
		if !(v >= 0 && v <= 1) {
			return nil
		}
	}
	c := f.conditions.of(f.insts[i], f.given[i])
	if f.given[i] = c; c.template == nil {
		return nil
	}
	p, err := c.problem(f.insts[i])
	if err != nil {
		return err
	}
	f.small[i], f.problems[i], f.answers[i] = p, p.in, p.res
	return nil
}
