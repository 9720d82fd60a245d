package infer

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
)

// decide finds the thresholds of -threshold, or the ones kept with the rules or the run, and has
// the model evaluated at them. Where l is not nil, its rules are the ones inferred with.
func (c *command) decide(in *problem.Input, l *learned) error {
	switch c.Threshold {
	case "":
		in.Decide(in.Kept)
		return nil
	case model.OnValidation:
	default:
		v, err := model.ParseThreshold(c.Threshold)
		if in.Decide(model.Thresholds{"": v}); len(in.Decided()) == 0 {
			err = cli.Usage("-threshold: no predicate of %s has the evaluation DiscreteEvaluator", in.File)
		}
		return err
	}
	valid, err := c.Read(model.Validation)
	if err != nil {
		return fmt.Errorf("-threshold %s: %w", model.OnValidation, err)
	}
	valid.Epsilon = in.Epsilon
	if l != nil {
		l.apply(valid)
	}
	p, err := c.Ground(valid)
	if err != nil {
		return err
	}
	s, err := c.solve(p)
	switch {
	case err != nil:
		return err
	case s.Status == infer.Infeasible:
		return p.Infeasible(s.Certificate)
	case s.interrupted || s.integer != nil && s.integer.Err() != nil:
		return &interruptedError{"while the threshold was chosen: nothing is inferred"}
	}
	chosen, err := p.Choose(s.Y, s.Outputs)
	in.Decide(chosen)
	for _, doubt := range in.Flattered(valid.Model) {
		c.Warn("%s", doubt)
	}
	return err
}

// mostPoints bounds the points of a curve in JSON.
const mostPoints = 200

// evaluate makes the evaluations, and the curves of all predicates with a threshold that was asked
// for or kept.
func (r *report) evaluate() (err error) {
	if r.metrics, err = r.Evaluate(r.Y, r.Outputs); err != nil {
		return err
	}
	r.curve, err = r.Curves(r.Y, r.Outputs, mostPoints)
	return err
}

// writeThresholds prints the thresholds that a model is evaluated at.
func (c *command) writeThresholds(w io.Writer, t model.Thresholds) {
	from := map[string]string{"": "kept from learning", model.OnValidation: "chosen on the partition " + model.OnValidation}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		text, ok := from[c.Threshold]
		if !ok {
			text = "given"
		}
		fmt.Fprintf(w, "threshold  %s counts as true from %v, %s\n", name, t[name], text)
	}
}
