package relational

import (
	"fmt"

	"hinge/symbolic/evaluate"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
)

// Part is a ground program with labels: the half of a fold to learn on, or the
// half to test on.
type Part struct {
	// Rules are the first-order rules, Data the atoms.
	Rules *psl.Program
	Data  *ground.Database
	// Template is the compiled ground program.
	Template *lcqp.Template
	// Labels are the true values of the targets.
	Labels []float64

	predicate  string
	evaluators []metric
}

// meanAbsoluteError is a figure of evaluate.Continuous.
const meanAbsoluteError = "mae"

// metric is an evaluator's figure with the name it gets in a Score.
type metric struct {
	name, of string
	evaluate.Evaluator
}

// Score is the quality of a prediction.
type Score struct {
	// Value is the figure of the data set in percent, larger being better: an error
	// counts negative.
	Value float64
	// More are further figures in percent, by name.
	More map[string]float64
}

// Score compares values y of the targets with the labels.
func (p *Part) Score(y []float64) (Score, error) {
	if len(y) != len(p.Labels) {
		return Score{}, fmt.Errorf("relational: %d values, the part has %d targets", len(y), len(p.Labels))
	}
	s := &evaluate.Sample{Predicate: p.predicate}
	for a := range p.Data.Atoms(p.predicate) {
		s.Arity = len(a.Args)
		if a.Kind == ground.Target {
			s.Labelled = append(s.Labelled, evaluate.Atom{Args: a.Args, Value: y[a.Index], Truth: p.Labels[a.Index]})
		} else {
			// What is observed is true.
			s.Observed = append(s.Observed, evaluate.Atom{Args: a.Args, Value: a.Value, Truth: a.Value})
		}
	}
	var score Score
	for i, m := range p.evaluators {
		r, err := m.Evaluate(s)
		if err != nil {
			return Score{}, fmt.Errorf("relational: %w", err)
		}
		v, ok := r.Get(m.of)
		if !ok {
			return Score{}, fmt.Errorf("relational: %s: there is nothing to compare", p.predicate)
		}
		if i == 0 {
			score.Value = 100 * v
			if m.of == meanAbsoluteError {
				score.Value = -score.Value
			}
			continue
		}
		if score.More == nil {
			score.More = map[string]float64{}
		}
		score.More[m.name] = 100 * v
	}
	return score, nil
}

// atoms fills a database; the first error stays.
type atoms struct {
	db  *ground.Database
	err error
}

func newAtoms(predicates map[string]int) *atoms {
	a := &atoms{db: ground.NewDatabase()}
	for name, arity := range predicates {
		a.note(a.db.Predicate(name, arity))
	}
	return a
}

func (a *atoms) note(err error) {
	if a.err == nil {
		a.err = err
	}
}

func (a *atoms) observe(pred string, value float64, args ...string) {
	a.note(a.db.Observe(pred, value, args...))
}

// target adds a target with its label.
func (a *atoms) target(pred string, label float64, args ...string) {
	_, err := a.db.Target(pred, args...)
	a.note(err)
	a.note(a.db.Truth(pred, label, args...))
}

// number is 1 for true.
func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
