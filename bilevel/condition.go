package bilevel

import (
	"encoding/binary"
	"fmt"
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
	given map[labelledProgram]*conditioned
	rows  int
}

// conditioned is the program given one set of labels.
type conditioned struct {
	whole   *lcqp.Template
	label   []float64 // by target, NaN where free
	once    sync.Once
	pattern *infer.Pattern // nil if the labels contradict a constraint
	free    []int
	squares float64 // Σ label²
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
	last.once.Do(func() { s.build(last, in) })
	return last
}

func (s *conditions) find(in *lcqp.Instance) *conditioned {
	key := programOf(in)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.given[key]; c != nil {
		return c
	}
	if s.given == nil || s.rows > conditionedRows {
		// Entries in use stay alive through the slots that refer to them.
		s.given, s.rows = map[labelledProgram]*conditioned{}, 0
	}
	c := &conditioned{whole: in.Template, label: fixedLabels(in)}
	s.given[key] = c
	return c
}

// labelledProgram is a program with labels.
type labelledProgram struct {
	program *lcqp.Template
	labels  string // places and bits of the values
}

// programOf returns the program of an instance with the labels that are fixed on it.
func programOf(in *lcqp.Instance) labelledProgram {
	var key []byte
	for i, v := range in.Lower {
		if v == in.Upper[i] {
			key = binary.LittleEndian.AppendUint32(key, uint32(i))
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
	}
	return labelledProgram{in.Template, string(key)}
}

// FixLabels fixes the labels of targets on an instance, one a target. A target whose label is NaN is
// not changed.
func FixLabels(in *lcqp.Instance, labels []float64) error {
	if len(labels) != in.Targets {
		return fmt.Errorf("bilevel: %d labels for %d targets", len(labels), in.Targets)
	}
	for i, v := range labels {
		if !math.IsNaN(v) {
			if err := in.Fix(i, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// fixedLabels returns the fixed label of each target of an instance, NaN for free targets.
func fixedLabels(in *lcqp.Instance) []float64 {
	label := slices.Clone(in.Lower)
	for i, up := range in.Upper {
		if label[i] != up {
			label[i] = math.NaN()
		}
	}
	return label
}

func (s *conditions) build(c *conditioned, in *lcqp.Instance) {
	given, err := in.Program().Condition(c.label)
	if err != nil {
		return // the solver has the proof
	}
	t, err := lcqp.Compile(given.Program)
	if err != nil {
		return
	}
	if c.pattern, err = infer.NewPattern(t, in.Epsilon); err != nil {
		return
	}
	c.free = given.Free
	for _, v := range c.label {
		if !math.IsNaN(v) {
			c.squares += v * v
		}
	}
	s.mu.Lock()
	s.rows += t.Rows()
	s.mu.Unlock()
}

// finish writes the result of the whole program into res, except for targets, duals and slacks.
func (c *conditioned) finish(small *infer.Result, epsilon float64, res *infer.Result) {
	constant := epsilon * c.squares
	*res = infer.Result{
		Solution: lcqp.Solution{Y: res.Y[:0]}, Status: small.Status, Energy: small.Energy,
		PrimalValue: small.PrimalValue + constant, DualValue: small.DualValue + constant,
		TotalGap: small.TotalGap, MaxComponentGap: small.MaxComponentGap, MaxViolation: small.MaxViolation,
		Stats: small.Stats, Runtime: small.Runtime,
	}
}

// point returns the targets of the whole program in y.
func (c *conditioned) point(small *infer.Result, y []float64) []float64 {
	y = append(y[:0], c.label...)
	for k, i := range c.free {
		y[i] = small.Y[k]
	}
	return y
}

// condition records in given which slots are solved as conditioned programs: slots with
// outputs in [0,1], for which both programs are equal, and without a warm state of the whole
// program.
func (f *ValueFunction) condition() {
	clear(f.given)
	if !f.conditional || f.opt.Solver.Recorder != nil {
		return
	}
	for i, in := range f.insts[:f.samples] {
		f.labelled[i] = f.conditions.of(in, f.labelled[i])
	}
	for i := range f.insts {
		if c := f.labelled[i%f.samples]; c.pattern != nil && f.warms[i] == nil && within(f.outputs(f.deep, i)) {
			f.given[i] = c
		}
	}
}

// within reports whether all outputs are in [0,1].
func within(g []float64) bool {
	return !slices.ContainsFunc(g, func(v float64) bool { return !(v >= 0 && v <= 1) })
}

// own returns an instance of a slot that no other slot has, with the labels of its sample.
func (f *ValueFunction) own(i int) (*lcqp.Instance, error) {
	in := f.insts[i]
	if i < f.samples || f.insts[i%f.samples] != in {
		return in, nil
	}
	mine := f.copies[i]
	if mine == nil || mine.Template != in.Template {
		var err error
		if mine, err = in.Template.NewInstance(in.Epsilon); err != nil {
			return nil, err
		}
		f.copies[i] = mine
	}
	if err := mine.SetBounds(in.Lower, in.Upper); err != nil {
		return nil, err
	}
	return mine, mine.SetProx(in.Prox, in.Center)
}
