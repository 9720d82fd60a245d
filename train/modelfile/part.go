package modelfile

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"hinge/bilevel"
	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// part is a partition of the data: its ground program and the inputs of the networks.
type part struct {
	*model.Model
	template *lcqp.Template
	doubts   []model.Warning // about the rules, the data and the grounding
	// unseen is the place of a hard rule that has outputs of networks, but never a target with them, "" for none.
	unseen string
	views  []*view[float32]
	labels []float64        // of the targets, NaN where latent
	answer *mapstate.Solver // of evaluations
	figure string           // Score.Figure of the last one
	stats  bilevel.Stats    // of the last infer
}

// partitions are the partitions that the loop's parts of the data are.
var partitions = map[learning.Part]model.Partition{
	learning.TrainPart: model.Learn, learning.ValidPart: model.Validation, learning.TestPart: model.Infer,
}

// loadPart reads and grounds a partition. It is nil where the partition has neither
// targets nor neural atoms.
func loadPart(file string, partition model.Partition) (*part, error) {
	m, err := model.Load(file, model.LoadOptions{Partition: partition})
	if err != nil {
		return nil, asTraining(err)
	}
	if m.Data.Targets()+m.Data.DeepAtoms() == 0 {
		return nil, nil
	}
	doubts, unseen := slices.Clone(m.Warnings), ""
	options := m.GroundOptions()
	options.Grounded = func(s ground.RuleStats) {
		doubts = append(doubts, model.Grounded(s)...)
		if s.Outputs > 0 && s.Rows == 0 {
			unseen = cmp.Or(unseen, s.Pos.String())
		}
	}
	program, err := ground.Ground(context.Background(), m.Rules, m.Data, options)
	if err != nil {
		return nil, asTraining(err)
	}
	t, err := lcqp.Compile(program)
	if err != nil {
		return nil, err
	}
	p := newPart(m, t)
	p.doubts, p.unseen = append(doubts, m.Idle(program)...), unseen
	return p, nil
}

// Warnings implements learning.Rulebook: the warnings of partitions, each once: those of learn, and of
// the others what learn does not have.
func (f *file) Warnings() (list []string) {
	for _, of := range []learning.Part{learning.TrainPart, learning.ValidPart, learning.TestPart} {
		p := f.parts[of]
		if p == nil {
			continue
		}
		for _, w := range p.doubts {
			text := w.String()
			if slices.Contains(list, text) {
				continue
			}
			if named := text + " (partition " + string(p.Partition) + ")"; of == learning.TrainPart {
				list = append(list, text)
			} else if !slices.Contains(list, named) {
				list = append(list, named)
			}
		}
	}
	return list
}

// newPart is a partition that is grounded.
func newPart(m *model.Model, t *lcqp.Template) *part {
	p := &part{Model: m, template: t, labels: make([]float64, m.Data.Targets())}
	for i := range p.labels {
		v, ok := m.Data.TruthValue(i)
		if p.labels[i] = v; !ok {
			p.labels[i] = math.NaN()
		}
	}
	return p
}

// asTraining gives the errors of packages model and psl the kinds of package train:
// usage for the model and its rules; faults of data stay.
func asTraining(err error) error {
	if errors.As(err, new(*facts.Error)) {
		return err
	}
	return &config.UsageError{Key: "model", Problem: err.Error()}
}

// see shows the networks the partition.
func (p *part) see(list []*network[float32]) error {
	for _, n := range list {
		v, err := n.see(p.Model)
		if err != nil {
			return asTraining(err)
		}
		p.views = append(p.views, v)
	}
	return nil
}

// labelled reports whether a target and whether a neural output has a true value.
func (p *part) labelled() (targets, outputs bool) {
	targets = slices.ContainsFunc(p.labels, func(v float64) bool { return !math.IsNaN(v) })
	outputs = slices.ContainsFunc(p.views, func(v *view[float32]) bool { return len(v.labels) > 0 })
	return targets, outputs
}

// alone reports whether a potential has neural outputs alone: a loss that is a value learns from it without labels.
func (p *part) alone() bool {
	t := p.template
	for k := range t.Rows() {
		if t.Ptr[k] == t.Ptr[k+1] && t.DeepPtr[k] < t.DeepPtr[k+1] {
			return true
		}
	}
	return false
}

// sameRules returns an error if a partition has other rules.
func (p *part) sameRules(other *part) error {
	sameText := func(a, b hlmrf.Rule) bool { return a.Text == b.Text }
	if !slices.EqualFunc(p.template.Program().Rules, other.template.Program().Rules, sameText) {
		return &config.UsageError{Key: "model", Problem: fmt.Sprintf("%s: the partition %s has other weighted rules than %s; the weights that are learned belong to all partitions",
			p.File, other.Partition, p.Partition)}
	}
	return nil
}

// infer returns the neural outputs and the values of the targets with rule weights w.
func (p *part) infer(w []float64, cfg *config.Config, l look) (y, g []float64, err error) {
	if g, err = predict(p.views, p.Data.DeepAtoms(), l); err != nil {
		return nil, nil, err
	}
	if p.Data.Targets() == 0 {
		return nil, g, nil
	}
	if p.answer == nil {
		if p.answer, err = newSolver(cfg, p.Model, p.template, w); err != nil {
			return nil, nil, err
		}
	}
	p.answer.Relaxed = l.relaxed
	p.stats, err = p.answer.Each(w, g, 1, nil, func(_ int, r *infer.Result) { y = r.Y })
	return y, g, err
}

// newSolver returns inference of a program of a model, in which targets of integer predicates are 0 or 1.
func newSolver(cfg *config.Config, m *model.Model, t *lcqp.Template, w []float64) (*mapstate.Solver, error) {
	s, err := mapstate.NewSolver(cfg, t, w)
	if err == nil {
		s.Integers = integers(m, t)
	}
	return s, err
}

// integers lists the targets of a program whose predicates are integer.
func integers(m *model.Model, t *lcqp.Template) (list []int) {
	for i, atom := range t.Program().Targets {
		name, _, _ := strings.Cut(atom, "(")
		if slices.ContainsFunc(m.Predicates, func(p model.Predicate) bool { return p.Integer && p.Name == name }) {
			list = append(list, i)
		}
	}
	return list
}

// Digest implements learning.Rulebook: the partitions that the model has.
func (f *file) Digest(w io.Writer, parts ...learning.Part) {
	for _, of := range parts {
		if p := f.parts[of]; p != nil {
			p.digest(w)
		}
	}
}

// digest writes the ground program, the labels and the features.
func (p *part) digest(w io.Writer) {
	p.template.Digest(w)
	program := p.template.Program()
	fmt.Fprintf(w, "%q %q %v\n", program.Targets, program.Deep, p.labels)
	for _, v := range p.views {
		fmt.Fprintf(w, "%q %v\n", v.names, v.labels)
		_ = binary.Write(w, binary.LittleEndian, v.x) // neither buffers nor sums fail
	}
}
