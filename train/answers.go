package train

import (
	"slices"

	"hinge/symbolic/infer"
)

// Describer is implemented by Examples that can tell people about one that was tested.
type Describer interface {
	// Describe returns what people see of an example, given the network's outputs and
	// the targets that inference found: Name, Pictures, Read, Answer, Truth, Values.
	Describe(part Part, example int, g []float32, y []float64) (Case, error)
	// Value is that of the answer in the targets, 0 to 1: how sure inference is.
	Value(y []float64) float64
}

// answers are those of the last test, with what explains them.
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

// Show implements Shower: what the network alone confuses, and where Examples is a
// Describer, how sure answers are and the worst of them, with the rules they break.
func (m *NeuPSL) Show() (*Shown, error) {
	d, ok := m.set.Examples.(Describer)
	if !ok || m.last.right == nil {
		return m.rows.Show(), nil
	}
	s := new(Shown)
	if r := m.rows.Show(); r != nil {
		*s = *r
	}
	values := make([]float64, len(m.last.right))
	for e := range values {
		values[e] = d.Value(m.last.states[e].Y)
	}
	s.Calibrations = append(slices.Clip(s.Calibrations), Calibrate("MAP answers, by the value of the answer", values, m.last.right))
	deep := m.set.Template.Deep
	return s, s.Worst(m.last.right, m.beliefs(), func(e int) (Case, error) {
		state, g := &m.last.states[e], m.last.g[e*deep:][:deep]
		c, err := d.Describe(TestPart, e, g, state.Y)
		c.Explanation = Explain(m.set.answers(), state, m.Weights(), Widen(g))
		return c, err
	})
}

// beliefs are the network's in the truth of each tested example.
func (m *NeuPSL) beliefs() []float64 {
	known, ok := m.set.Examples.(Classes)
	if !ok {
		return make([]float64, len(m.last.right))
	}
	return Beliefs(known, TestPart, m.set.Rows, len(m.last.right), m.last.g)
}

// Beliefs are a network's in the truth of examples of so many rows each: the least
// output of a row's true class.
func Beliefs(known Classes, part Part, rows, examples int, g []float32) []float64 {
	out, width := make([]float64, examples), len(g)/(rows*examples)
	for e := range out {
		out[e] = 1
		for row := range rows {
			out[e] = min(out[e], float64(g[(e*rows+row)*width+known.Class(part.data(), e, row)]))
		}
	}
	return out
}
