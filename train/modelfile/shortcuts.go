package modelfile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hinge/symbolic/ground"
	"hinge/symbolic/shortcut"
	"hinge/train/config"
	"hinge/train/learning"
)

// CountShortcuts counts the meanings that the concepts of a model file's networks could have
// (package shortcut): each predicate with a network is a concept. No features are read.
//
// Concepts with labels in the partition learn are known. The examples are the components of
// the ground program of learn in which the rules see only entities with a true value of the
// concept. If learn lacks some true values, components of the partition validation, which
// should be drawn like learn, are added. True values in learn are labels, so a count without
// labels takes its examples from validation.
func CountShortcuts(ctx context.Context, file string, o shortcut.Options) (*shortcut.Result, error) {
	var parts []*part
	for _, of := range []learning.Part{learning.TrainPart, learning.ValidPart} {
		p, err := loadPart(file, partitions[of])
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	p, err := shortcutsOf(parts[0], parts[1], true)
	if err != nil {
		return nil, err
	}
	return shortcut.Count(ctx, p, o)
}

func (m *Model) Shortcuts() (*shortcut.Problem, error) {
	valid := m.parts[learning.ValidPart]
	if valid == m.learn { // without truth of targets, but maybe with truth of concepts
		var err error
		if valid, err = loadPart(m.set.Model, partitions[learning.ValidPart]); err != nil {
			return nil, err
		}
	}
	return shortcutsOf(m.learn, valid, m.set.LabelWeight > 0)
}

// shortcutsOf makes the problem of two partitions, either of which may be nil. labels reports
// whether the networks learn from the true values of their own predicates in learn.
func shortcutsOf(learn, valid *part, labels bool) (*shortcut.Problem, error) {
	if learn == nil {
		return nil, &learning.DataError{Err: fmt.Errorf("the partition learn has no targets: there are no labels to count by")}
	}
	p := &shortcut.Problem{}
	var concepts []*head // in the order of p.Concepts
	for i := range learn.Predicates {
		if d := &learn.Predicates[i]; d.Network != nil {
			c := shortcut.Concept{Name: d.Name, Outputs: d.Network.Classes, OneHot: d.Network.Output == "softmax"}
			if d.Network.Class < 0 {
				c.Outputs = []string{d.Name}
			}
			concepts = append(concepts, &head{d.Name, d.Network, 0, len(c.Outputs)})
			p.Concepts = append(p.Concepts, c)
		}
	}
	if len(concepts) == 0 {
		return nil, &config.UsageError{Key: "model", Problem: learn.File + ": the model has no predicate with a network: there are no concepts to count"}
	}
	values := learn.conceptValues(concepts, p)
	if labels {
		for _, e := range values.exemplars {
			p.Know(e)
		}
	}
	left, err := learn.examplesOf(values, p)
	if err != nil {
		return nil, err
	}
	if p.Left = left; left > 0 && valid != nil {
		if p.Left, err = valid.examplesOf(valid.conceptValues(concepts, p), p); err != nil {
			return nil, err
		}
		p.From = "the partition validation, where true classes are known"
		if len(p.Examples) == 0 {
			p.From = ""
		}
	}
	if len(p.Examples) == 0 {
		return nil, &learning.DataError{Err: fmt.Errorf("%s: no example of the partitions learn and validation has entities whose true classes are all known: the count needs the truth of %s for some examples, best in validation, where it is no label",
			learn.File, p.Concepts[0].Name)}
	}
	return p, nil
}

// conceptValues are the true values of the entities of a partition.
type conceptValues struct {
	exemplars map[string]int // by concept and entity
	deep      []deepOutput   // of each neural output
}

// deepOutput names the entity and the class of a neural output.
type deepOutput struct {
	entity string // key in exemplars
	output int
}

// conceptValues finds the exemplar of each entity whose true value is known: of a softmax
// one class with a truth above a half, of sigmoids the truth of all outputs.
func (p *part) conceptValues(concepts []*head, q *shortcut.Problem) *conceptValues {
	v := &conceptValues{map[string]int{}, make([]deepOutput, p.Data.DeepAtoms())}
	for number, c := range concepts {
		type said struct {
			on    []int
			count int
		}
		entities, order := map[string]*said{}, []string(nil)
		for a := range p.Data.Atoms(c.predicate, ground.Deep) {
			key := fmt.Sprintf("%d\x00%s", number, strings.Join(c.entity(a.Args), "\x00"))
			s := entities[key]
			if s == nil {
				s = new(said)
				entities[key], order = s, append(order, key)
			}
			v.deep[a.Index] = deepOutput{key, c.output(a.Args)}
			if truth, ok := p.Data.DeepTruth(a.Index); ok {
				s.count++
				if truth > 0.5 {
					s.on = append(s.on, c.output(a.Args))
				}
			}
		}
		for _, key := range order {
			s := entities[key]
			slices.Sort(s.on)
			if oneHot := q.Concepts[number].OneHot; oneHot && len(s.on) == 1 || !oneHot && s.count == c.to {
				v.exemplars[key] = q.Exemplar(number, s.on...)
			}
		}
	}
	return v
}

// examplesOf adds the components of a partition whose entities have known values, and
// returns the number of the others.
func (p *part) examplesOf(v *conceptValues, q *shortcut.Problem) (left int, err error) {
	if p.unseen != "" {
		return 0, &config.UsageError{Key: "model", Problem: p.unseen + ": the hard rule has outputs of networks but no target, and so is in no ground program: " +
			"the count would leave it out. Give it a weight or a target, or take it out"}
	}
	pieces, err := piecesOf(p.template)
	if err != nil {
		return 0, err
	}
next:
	for _, piece := range pieces {
		x := shortcut.Example{Program: piece.template.Program()}
		for _, c := range piece.columns {
			d := v.deep[c]
			e, known := v.exemplars[d.entity]
			if !known {
				left++
				continue next
			}
			x.Deep = append(x.Deep, shortcut.Output{Exemplar: e, Output: d.output})
		}
		for _, i := range piece.targets {
			x.Labels = append(x.Labels, p.labels[i])
		}
		if len(x.Deep) > 0 {
			q.Examples = append(q.Examples, x)
		}
	}
	return left, nil
}
