package modelfile

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"hinge/data/mnist"
	"hinge/nn"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/ground"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// answered is an answer of the test: the class of an entity, or the value of an atom.
type answered struct {
	name, answer, truth string
	right               bool
	belief              float64 // in the truth
	// atoms are what decides, each with the direction of the forces that explain its value.
	atoms []evaluate.Atom
	up    []bool
}

// cases adds the worst answers of the evaluation that judges the model to s: entities with another
// class than the true one, or atoms on the wrong side of the threshold, those with the least belief in
// the truth first. full is the inference that explains them, or nil.
func (p *part) cases(s *learning.Shown, full *solved, y, g []float64) error {
	e, err := p.primary()
	if err != nil {
		return nil // nothing judges the answers
	}
	sample := p.Sample(e.Predicate, y, g)
	list := atomsAnswered(e.Evaluator, sample)
	if c, ok := e.Evaluator.(*evaluate.Categorical); ok {
		list = classesAnswered(c, sample)
	}
	var right []bool
	var belief []float64
	for i := range list {
		right, belief = append(right, list[i].right), append(belief, list[i].belief)
	}
	columns := map[string]int{}
	for a := range p.Data.Atoms(e.Predicate, ground.Deep) {
		columns[strings.Join(a.Args, "\t")] = a.Index
	}
	outputs := p.outputs()
	return s.Worst(right, belief, func(i int) (learning.Case, error) {
		a := &list[i]
		c := learning.Case{Name: a.name, Answer: a.answer, Truth: a.truth, Belief: &a.belief}
		var targets []int
		var seen []output
		for _, atom := range a.atoms {
			text := e.Predicate + "(" + strings.Join(atom.Args, ",") + ")" // as ground rules have it
			c.Values = append(c.Values, mapstate.AtomValue{Atom: text, Value: evaluate.Value(atom.Value)})
			if t, ok := p.Data.TargetIndex(e.Predicate, atom.Args...); ok {
				targets = append(targets, t)
				seen = append(seen, p.near(t, outputs)...)
			} else if k, ok := columns[strings.Join(atom.Args, "\t")]; ok {
				seen = append(seen, outputs[k])
			}
		}
		if full != nil && len(targets) > 0 {
			c.Explanation = mapstate.ExplainTargets(p.template, full.Y, full.Weights, g, targets)
			for k, t := range targets {
				c.Pulls = append(c.Pulls, strongest(mapstate.NewSupport(full.Instance, &full.Solution, g, t), a.up[k])...)
			}
		}
		return c, p.addInputs(&c, seen, g)
	})
}

// strongest returns the strongest force up, or down, on an atom; none where no rule pulls that way.
func strongest(s mapstate.Support, up bool) []learning.Pull {
	for _, f := range s.Forces {
		if f.Force > 0 == up {
			return []learning.Pull{{Atom: s.Atom, RuleForce: f}}
		}
	}
	return nil
}

// atomsAnswered lists the atoms with a true value.
func atomsAnswered(e evaluate.Evaluator, s *evaluate.Sample) (list []answered) {
	cut, truth := 0.5, 0.5
	switch e := e.(type) {
	case *evaluate.Discrete:
		cut, truth = e.ValueThreshold(), e.Threshold
	case *evaluate.AUC:
		truth = e.Threshold
	}
	for _, a := range s.Labelled {
		right := evaluate.Positive(a.Value, cut) == evaluate.Positive(a.Truth, truth)
		if _, ok := e.(*evaluate.Continuous); ok {
			right = !evaluate.Positive(math.Abs(a.Value-a.Truth), 0.5)
		}
		list = append(list, answered{
			name: s.Predicate + "(" + strings.Join(a.Args, ", ") + ")", answer: fmt.Sprintf("%.3g", a.Value), truth: fmt.Sprintf("%.3g", a.Truth),
			right: right, belief: 1 - math.Abs(a.Value-a.Truth), atoms: []evaluate.Atom{a}, up: []bool{a.Value > a.Truth},
		})
	}
	return list
}

// noClass is the answer for an entity of which no category is predicted.
const noClass = "(none)"

// classesAnswered lists the entities whose true category is known, with the category of the largest
// value. As in the evaluator's count, the true one need not be predicted.
func classesAnswered(c *evaluate.Categorical, s *evaluate.Sample) (list []answered) {
	split := func(args []string) (entity, class string) {
		var of, is []string
		for i, arg := range args {
			if slices.Contains(c.Indexes, i) || slices.Contains(c.Indexes, i-s.Arity) {
				is = append(is, arg)
			} else {
				of = append(of, arg)
			}
		}
		return strings.Join(of, ", "), strings.Join(is, ", ")
	}
	type best struct {
		answer, truth *evaluate.Atom
		largest       float64
	}
	found, order := map[string]*best{}, []string{}
	of := func(a *evaluate.Atom) *best {
		entity, _ := split(a.Args)
		if found[entity] == nil {
			found[entity] = new(best)
			order = append(order, entity)
		}
		return found[entity]
	}
	candidates, truths := evaluate.InPlace(s.Labelled, s.Latent), [][]evaluate.Atom{s.Labelled, s.Missing}
	if c.IncludeObserved {
		candidates, truths = append(candidates, evaluate.InPlace(s.Observed, s.Unlabelled)...), append(truths, s.Observed)
	}
	predicted := map[*evaluate.Atom]bool{}
	for _, a := range candidates {
		b := of(a)
		predicted[a], b.largest = true, max(b.largest, a.Value)
	}
	for _, a := range candidates {
		if b := of(a); b.answer == nil && evaluate.AsLarge(a.Value, b.largest) {
			b.answer = a
		}
	}
	for _, list := range truths {
		for i := range list {
			if a := &list[i]; a.Truth >= 1 {
				if b := of(a); b.truth == nil || a.Value > b.truth.Value {
					b.truth = a
				}
			}
		}
	}
	for _, entity := range order {
		b := found[entity]
		if b.truth == nil {
			continue
		}
		_, truth := split(b.truth.Args)
		one := answered{name: s.Predicate + "(" + entity + ")", answer: noClass, truth: truth, belief: b.truth.Value}
		if b.answer != nil {
			_, one.answer = split(b.answer.Args)
			one.right = one.answer == truth
			one.atoms, one.up = []evaluate.Atom{*b.answer}, []bool{true, false}
		}
		if !one.right && predicted[b.truth] {
			one.atoms = append(one.atoms, *b.truth)
		}
		list = append(list, one)
	}
	return list
}

// near lists the outputs in ground rules with a target, in the order of the rules.
func (p *part) near(target int, outputs []output) (list []output) {
	t := p.template
	for _, k := range t.RowsOf(int32(target)) {
		for _, c := range t.DeepCol[t.DeepPtr[k]:t.DeepPtr[k+1]] {
			list = append(list, outputs[c])
		}
	}
	return list
}

const (
	// mostInputs is the number of entities that a case shows, mostFeatures the number of features
	// of one without a picture.
	mostInputs, mostFeatures = 6, 8
)

// addInputs adds the inputs of the networks that a case depends on to it, and the classes that each
// softmax reads.
func (p *part) addInputs(c *learning.Case, seen []output, g []float64) error {
	shown, known := map[place]bool{}, map[output]bool{} // known has the first output of a head
	var read []string
	for _, o := range seen {
		at, v := place{o.network, o.entity}, p.views[o.network]
		entity := "(" + strings.Join(v.names[o.entity], ", ") + ")"
		switch row := v.row(o.entity); {
		case shown[at]:
		case len(shown) == mostInputs:
			continue
		case len(v.table.Shape) > 1:
			file, err := pictureOf(row, v.table.Shape)
			if err != nil {
				return err
			}
			c.Pictures = append(c.Pictures, file)
		default:
			text := strings.Trim(fmt.Sprintf("%.3g", row[:min(len(row), mostFeatures)]), "[]")
			if more := len(row) - mostFeatures; more > 0 {
				text += fmt.Sprintf(" and %d more", more)
			}
			c.Inputs = append(c.Inputs, v.name+entity+": "+text)
		}
		shown[at] = true
		h := v.of(o.output)
		o.output = h.from
		if h.Output == "softmax" && len(h.Classes) > 1 && !known[o] {
			known[o] = true
			values := make([]float64, h.to-h.from)
			for _, a := range v.atoms {
				if a.entity == o.entity && a.output >= h.from && a.output < h.to {
					values[a.output-h.from] = g[a.column]
				}
			}
			read = append(read, h.predicate+entity+" "+h.Classes[nn.Argmax(values)])
		}
	}
	c.Read = strings.Join(read, ", ")
	return nil
}

// pictureOf makes a PNG of an image of shape {height, width} or {3, height, width}. Digits of MNIST are
// drawn as ink on paper.
func pictureOf(x []float32, shape []int) ([]byte, error) {
	height, width := shape[len(shape)-2], shape[len(shape)-1]
	low, high := min(0, slices.Min(x)), max(1, slices.Max(x))
	level := func(i int) uint8 { return uint8(255 * (x[i] - low) / (high - low)) }
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range height * width {
		v := level(i)
		if mnist.IsShape(shape) {
			v = 255 - v
		}
		c := color.RGBA{v, v, v, 255}
		if len(shape) == 3 && shape[0] == 3 {
			c = color.RGBA{level(i), level(i + height*width), level(i + 2*height*width), 255}
		}
		m.SetRGBA(i%width, i/width, c)
	}
	return learning.Mosaic([]image.Image{m}, 1, nil)
}
