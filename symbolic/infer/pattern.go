package infer

import (
	"math"
	"slices"
	"sync"

	"hinge/symbolic/infer/internal/lines"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// Pattern solves many programs of one template that differ in their neural outputs alone:
// no label fixed, no proximal term, no warm start. What they have in common is worked out
// once. Where hard equalities leave each component one target or none, whatever the outputs
// are, as in latent problems given their labels (hlmrf.Program.Condition), several programs
// are solved at once, in closed form; the stop rule is the same as that of Solve, and a
// program of which it does not hold is solved by that. Elsewhere Solve solves all.
//
// A Pattern may be used by many goroutines at once. Results do not depend on which programs
// are solved together, bit for bit; they differ from those of Solve by rounding, and in the
// multipliers where those are not unique.
type Pattern struct {
	template *lcqp.Template
	epsilon  float64
	lines    *lines.Program // nil where the components are none
	blocks   sync.Pool      // of *lines.Block
	spare    sync.Pool      // of *lcqp.Instance
}

// Member is one of the programs of a Pattern, and where its answer goes.
type Member struct {
	// G are its neural outputs, Deep numbers.
	G []float64
	// Result gets status, values, energy, gaps, violation and the targets; the rest of the
	// solution only with Duals, components and statistics only where Solve was needed.
	Result *Result
	Duals  bool
	// Phi gets Φ(y*), a number for each rule, and Deep Bᵀμ*. Either may be nil.
	Phi, Deep []float64
}

// NewPattern prepares programs of a template at ε > 0. The error is that of NewInstance.
func NewPattern(t *lcqp.Template, epsilon float64) (*Pattern, error) {
	in, err := t.NewInstance(epsilon)
	if err != nil {
		return nil, err
	}
	p := &Pattern{template: t, epsilon: epsilon}
	p.spare.Put(in)
	p.lines, _ = lines.New(t, epsilon)
	return p, nil
}

// Instance returns an instance with the given weights and outputs. It may be given back
// with Release, for other calls to use.
func (p *Pattern) Instance(w, g []float64) (*lcqp.Instance, error) {
	in, ok := p.spare.Get().(*lcqp.Instance)
	if !ok {
		var err error
		if in, err = p.template.NewInstance(p.epsilon); err != nil {
			return nil, err
		}
	}
	if err := in.SetWeights(w); err != nil {
		return nil, err
	}
	return in, in.SetDeep(g)
}

// Release gives an instance back. What has been fixed or pulled on it is free again.
func (p *Pattern) Release(in *lcqp.Instance) {
	in.FreeAll()
	in.ClearProx()
	p.spare.Put(in)
}

// Solve solves programs at the rule weights w. The error is that of the first program whose
// numbers do not fit; how the solves went is in the results.
func (p *Pattern) Solve(w []float64, members []Member, s Settings) error {
	s, err := s.resolve()
	if err != nil {
		return err
	}
	if p.lines == nil || s.Method != DefaultMethod() || s.NoPresolve || s.Recorder != nil || len(w) != p.template.Rules ||
		slices.ContainsFunc(w, func(v float64) bool { return !(v >= 0) || math.IsInf(v, 1) }) {
		return p.wholes(w, members, s)
	}
	b, ok := p.blocks.Get().(*lines.Block)
	if !ok {
		b = new(lines.Block)
	}
	defer p.blocks.Put(b)
	b.Weigh(p.lines, w)
	for len(members) > 0 {
		n := min(len(members), lines.Width)
		if err := p.block(b, w, members[:n], &s); err != nil {
			return err
		}
		members = members[n:]
	}
	return nil
}

// block solves up to lines.Width programs side by side.
func (p *Pattern) block(b *lines.Block, w []float64, members []Member, s *Settings) error {
	t := p.template
	var g [lines.Width][]float64
	var answers [lines.Width]lines.Answer
	for i := range members {
		m, a := &members[i], &answers[i]
		if len(m.G) != t.Deep {
			return p.wholes(w, members, *s)
		}
		clear(m.Phi)
		clear(m.Deep)
		r := m.Result
		r.Y = problem.Resize(r.Y, t.Targets)
		if m.Duals {
			r.Solution.Resize(t)
			clear(r.Dual)
			a.Dual = r.Dual
		}
		g[i], a.Phi, a.Deep, a.Y = m.G, m.Phi, m.Deep, r.Y
	}
	b.Solve(g[:len(members)], func(constant float64) problem.Tolerance { return s.tolerance(p.epsilon, constant) }, answers[:len(members)])
	for i := range members {
		m, a := &members[i], &answers[i]
		if !a.Solved || m.Duals && !p.complete(w, m, s) {
			if err := p.wholes(w, members[i:i+1], *s); err != nil {
				return err
			}
			continue
		}
		r := m.Result
		r.Status, r.PrimalValue, r.DualValue, r.Energy = Solved, a.PrimalValue, a.DualValue, a.Energy
		r.TotalGap, r.MaxComponentGap, r.MaxViolation = a.TotalGap, a.MaxGap, a.Violation
		r.Components, r.Stats, r.Certificate, r.Runtime, r.instance = r.Components[:0], Stats{}, nil, 0, nil
	}
	return nil
}

// complete writes the slacks and multipliers that a solution in closed form leaves out, as
// Solve does after presolve.
func (p *Pattern) complete(w []float64, m *Member, s *Settings) bool {
	in, err := p.Instance(w, m.G)
	if err != nil {
		return false
	}
	defer p.Release(in)
	pre, q := problem.Presolve{Tol: max(s.FeasibilityTolerance, problem.NeverActive)}, Problem{}
	for c := range in.Components {
		if !pre.Run(in, c, problem.ReduceMerged, &q) {
			return false
		}
		pre.Start(&q, m.Result.Dual, m.Result.Y)
		pre.Finish(&q, &m.Result.Solution)
	}
	if m.Deep != nil { // where multipliers are not unique, those of the solution
		in.DeepGradient(&m.Result.Solution, m.Deep)
	}
	return true
}

// wholes solves programs one by one.
func (p *Pattern) wholes(w []float64, members []Member, s Settings) error {
	for i := range members {
		m := &members[i]
		in, err := p.Instance(w, m.G)
		if err != nil {
			return err
		}
		if err := Solve(in, nil, s, m.Result); err != nil {
			return err
		}
		if m.Phi != nil {
			in.Incompatibility(&m.Result.Solution, m.Phi)
		}
		if m.Deep != nil {
			in.DeepGradient(&m.Result.Solution, m.Deep)
		}
		if m.Result.Status != Infeasible { // else the proof names rows of the instance
			p.Release(in)
		}
	}
	return nil
}
