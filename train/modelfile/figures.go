package modelfile

import (
	"errors"
	"slices"

	"hinge/symbolic/evaluate"
	"hinge/train/learning"
)

// mostClasses is the number of classes up to which a confusion is drawn.
const mostClasses = 20

// mostPoints is the number of points up to which a curve is drawn whole.
const mostPoints = 200

// Show implements learning.Reporter, as file.Show.
func (m *Model) Show() (*learning.Shown, error) { return m.file.Show() }

// Show implements learning.Reporter: for each predicate with a CategoricalEvaluator of one
// argument, the confusions of its classes in the test, and their confidence; for each with a
// DiscreteEvaluator the curve over thresholds; the figures without single rules and networks; and the
// worst answers by the evaluation that judges the model.
func (f *file) Show() (*learning.Shown, error) {
	p := f.parts[learning.TestPart]
	if p == nil || f.cfg.Training.NoTest {
		return nil, nil
	}
	y, g, err := f.of.values(learning.TestPart)
	if err != nil {
		return nil, err
	}
	s := new(learning.Shown)
	full, err := p.solve(&f.cfg, f.of.Weights(), g)
	if err == nil {
		s.Ablations, err = p.ablate(full)
	}
	if err == nil {
		err = p.cases(s, full, y, g)
	}
	if err != nil {
		return nil, err
	}
	for _, e := range p.Evaluations {
		if d, ok := e.Evaluator.(*evaluate.Discrete); ok {
			sample := p.Sample(e.Predicate, y, g)
			points, err := d.Curve(sample)
			at, err2 := d.At(sample)
			if err := errors.Join(err, err2); err != nil {
				return nil, err
			}
			if len(points) > 1 {
				s.Curves = append(s.Curves, learning.Curve{Name: e.Predicate, At: at, Points: evaluate.Thin(points, mostPoints)})
			}
		}
		c, ok := e.Evaluator.(*evaluate.Categorical)
		if !ok || len(c.Indexes) != 1 {
			continue
		}
		classes, counts, sure := confusion(c, p.Sample(e.Predicate, y, g))
		if len(classes) == 0 {
			continue
		}
		name := e.Predicate + ", by largest value"
		sure.Name = name
		s.Calibrations = append(s.Calibrations, sure)
		if len(classes) <= mostClasses {
			s.Confusions = append(s.Confusions, learning.Confusion{Name: name, Classes: classes, Counts: counts})
		}
	}
	return s, nil
}

// confusion counts, for the entities whose true class is known, the class with the
// largest value, and compares these values with how often they are right. The class is the one
// argument that the evaluator c names, the rest is the entity.
func confusion(c *evaluate.Categorical, s *evaluate.Sample) (classes []string, counts [][]int, sure evaluate.Calibration) {
	at := c.Indexes[0]
	if at < 0 {
		at += s.Arity
	}
	for _, a := range slices.Concat(s.Labelled, s.Latent) {
		classes = append(classes, a.Args[at])
	}
	list := classesAnswered(c, s)
	for i := range list {
		classes = append(classes, list[i].answer, list[i].truth)
	}
	slices.Sort(classes)
	classes = slices.Compact(classes)
	counts = make([][]int, len(classes))
	for i := range counts {
		counts[i] = make([]int, len(classes))
	}
	var beliefs []float64
	var rights []bool
	for _, a := range list {
		counts[slices.Index(classes, a.truth)][slices.Index(classes, a.answer)]++
		if a.answer != noClass {
			beliefs, rights = append(beliefs, a.atoms[0].Value), append(rights, a.right)
		}
	}
	return classes, counts, evaluate.Calibrate("", beliefs, rights)
}
