package modelfile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hinge/internal/plot"
	"hinge/symbolic/evaluate"
	"hinge/train"
)

// mostClasses is the number of classes up to which a confusion is drawn.
const mostClasses = 20

// Draw implements train.Drawer: for each predicate with a CategoricalEvaluator of one
// argument, confusion-PREDICATE.svg of the test.
func (m *Model) Draw(dir string) error {
	p := m.parts[train.TestPart]
	if p == nil || m.cfg.Training.NoTest {
		return nil
	}
	y, g, err := p.infer(m.Weights(), m.value)
	if err != nil {
		return err
	}
	for _, e := range p.Evaluations {
		c, ok := e.Evaluator.(*evaluate.Categorical)
		if !ok || len(c.Indexes) != 1 {
			continue
		}
		classes, counts := confusion(p.Sample(e.Predicate, y, g), c.Indexes[0])
		if len(classes) == 0 || len(classes) > mostClasses {
			continue
		}
		var b bytes.Buffer
		title := fmt.Sprintf("%s: %s", e.Predicate, strings.Join(classes, ", "))
		if err := plot.Matrix(&b, title, "true class", "largest value", counts); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, "confusion-"+strings.ToUpper(e.Predicate)+".svg"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// confusion counts, for the entities whose true class is known, the class with the
// largest value. The class is argument at, the rest is the entity.
func confusion(s *evaluate.Sample, at int) (classes []string, counts [][]int) {
	if at < 0 {
		at += s.Arity
	}
	type entity struct{ truth, best string }
	entities, order, value := map[string]*entity{}, []string{}, map[string]float64{}
	for _, a := range slices.Concat(s.Labelled, s.Latent) {
		class := a.Args[at]
		if !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
		key := strings.Join(slices.Delete(slices.Clone(a.Args), at, at+1), "\t")
		e := entities[key]
		if e == nil {
			e = new(entity)
			entities[key] = e
			order = append(order, key)
		}
		if e.best == "" || a.Value > value[key] {
			e.best, value[key] = class, a.Value
		}
	}
	for _, a := range s.Labelled {
		if a.Truth >= 1 {
			entities[strings.Join(slices.Delete(slices.Clone(a.Args), at, at+1), "\t")].truth = a.Args[at]
		}
	}
	slices.Sort(classes)
	counts = make([][]int, len(classes))
	for i := range counts {
		counts[i] = make([]int, len(classes))
	}
	for _, key := range order {
		if e := entities[key]; e.truth != "" {
			counts[slices.Index(classes, e.truth)][slices.Index(classes, e.best)]++
		}
	}
	return classes, counts
}

var _ train.Drawer = (*Model)(nil)
