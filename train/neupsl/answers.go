package neupsl

import (
	"context"
	"slices"

	"hinge/nn"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/infer"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// answers holds the answers of the last test, with what explains them.
type answers struct {
	g      []float32
	states []infer.Result // Y and Energy alone
	right  []bool
}

func (a *answers) add(r *infer.Result, right bool) {
	state := infer.Result{Energy: r.Energy}
	state.Y = slices.Clone(r.Y)
	a.states = append(a.states, state)
	a.right = append(a.right, right)
}

// Report implements Reporter: NeuPSL has no further figures.
func (m *NeuPSL) Report(context.Context) (map[string]float64, error) { return nil, nil }

// Show implements Reporter: the confusions of the network alone and, with Show.Cases, the
// confidence of the answers and the worst of them, with the rules they break.
func (m *NeuPSL) Show() (*learning.Shown, error) {
	if m.set.Show.Cases == nil || m.last.right == nil {
		return m.rows.Show(), nil
	}
	s := new(learning.Shown)
	if r := m.rows.Show(); r != nil {
		*s = *r
	}
	values := make([]float64, len(m.last.right))
	for e := range values {
		values[e] = m.set.Show.Cases.Value(m.last.states[e].Y)
	}
	s.Calibrations = append(slices.Clip(s.Calibrations), evaluate.Calibrate("MAP answers, by the value of the answer", values, m.last.right))
	deep := m.set.Program.answers().Deep
	rank := make([]float64, len(m.last.right))
	if show := &m.set.Show; show.Class != nil {
		rank = learning.Beliefs(show.Class, learning.TestPart, m.set.Network.Rows, len(rank), m.last.g)
	} else if show.Rank != nil {
		for e := range rank {
			rank[e] = show.Rank(learning.TestPart, e, m.last.states[e].Y)
		}
	}
	return s, s.Worst(m.last.right, rank, func(e int) (learning.Case, error) {
		state, g := &m.last.states[e], m.last.g[e*deep:][:deep]
		c, targets, err := m.set.Show.Cases.Describe(learning.TestPart, e, g, state.Y)
		c.Explanation = mapstate.ExplainTargets(m.set.Program.answers(), state.Y, m.Weights(), nn.Widen(g), targets)
		if targets == nil {
			c.Energy = state.Energy
		}
		if m.set.Show.Class != nil {
			c.Belief = &rank[e]
		}
		return c, err
	})
}

// NewSolver returns MAP inference as configured with a copy of the weights in place.
func (m *NeuPSL) NewSolver() (*mapstate.Solver, error) {
	s, err := mapstate.NewSolver(&m.cfg, m.set.Program.answers(), m.Weights())
	if tolerance := m.set.Program.Stationarity; err == nil && tolerance > 0 {
		s.Tighten(tolerance)
	}
	return s, err
}
