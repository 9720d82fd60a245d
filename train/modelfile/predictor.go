package modelfile

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"hinge/nn"
	"hinge/symbolic/evaluate"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// Predictor answers inputs from outside the data with the current weights. It returns the
// outputs of the networks and, for entities in the partition infer, the MAP state of the parts
// of its program that contain their outputs, with these inputs in place of the features that
// the model names. All other entities keep theirs. It also answers rows, which are examples of
// their own (see Row). It is for one goroutine at a time.
type Predictor struct {
	m       *Model
	part    *part // infer; nil if the model has none
	weights []float64
	g       []float32 // outputs for the features of the model
	outputs []output  // of the whole program
	blocks  []block
	home    map[place][]int // blocks with the outputs of an entity
	tables  []*table        // predicates of which there may be rows
	// find, unless nil, finds the input of a network that sees pictures for the name of an entity in
	// a row that has no other features.
	find func(n *network[float32], name string) (*Input, error)
}

// place is an entity of a network.
type place struct{ network, entity int }

// Input is one input of a network.
type Input struct {
	// Network is the predicate that describes it.
	Network string
	// Entity are the fields that name an entity; empty for an input that is of none.
	Entity []string
	// Features has as many numbers as the network's Shape.
	Features []float32
}

// InputKind describes the inputs of a network of the model.
type InputKind struct {
	Network string
	// Shape is {width}, {height, width} or {3, height, width}; Fields is the number of
	// fields that name an entity.
	Shape  []int
	Fields int
	// Pictures reports whether the model's inputs are the pictures of a folder: others are read as those
	// (features.ReadPicture).
	Pictures bool
	// Entities lists the entities that the partition infer knows, in its order.
	Entities [][]string
	// Heads are the predicates whose values the outputs are, in their order.
	Heads []Head
}

// Head is a predicate whose values are outputs of a network.
type Head struct {
	Predicate string
	// Classes names the class of each output; empty for one output.
	Classes []string
}

// Prediction is the answer to inputs. Its JSON form is one object.
type Prediction struct {
	Model string `json:"model"`
	// Inputs are in the order given.
	Inputs []InputPrediction `json:"inputs"`
	// Atoms are the targets that share a ground rule with an output for the entities, or are
	// about the rows, with their MAP values; Others are the targets that depend on them through
	// further rules. Both are empty where no entity is known, and where hard rules contradict
	// each other.
	Atoms  []mapstate.AtomValue `json:"atoms"`
	Others []mapstate.AtomValue `json:"others,omitempty"`
	// Thresholds are the values from which on atoms count as true, by predicate, where the run has
	// options.threshold.
	Thresholds model.Thresholds `json:"thresholds,omitempty"`
	// Certificate judges the MAP state; nil where there is none. The Explanation is of the
	// rules about Atoms.
	Certificate *mapstate.Certificate `json:"certificate,omitempty"`
	*mapstate.Explanation
}

// InputPrediction has the outputs of a network for an input.
type InputPrediction struct {
	Network string   `json:"network"`
	Entity  []string `json:"entity,omitempty"`
	// Known reports whether the partition infer has atoms of the entity, or a row names it.
	Known   bool     `json:"known"`
	Outputs []Output `json:"outputs"`
}

// Output is a value that a network gives to a predicate.
type Output struct {
	Predicate string  `json:"predicate"`
	Class     string  `json:"class,omitempty"`
	Value     float64 `json:"value"`
}

// NewPredictor copies the rule weights and reads the partition infer. It shares the
// networks with the model.
func (m *Model) NewPredictor() (*Predictor, error) {
	q := &Predictor{m: m, part: m.parts[learning.TestPart], weights: slices.Clone(m.Weights()), home: map[place][]int{}}
	if q.part == nil {
		return q, nil
	}
	if err := m.decide(); err != nil {
		return nil, err
	}
	g, err := predict(q.part.views, q.part.Data.DeepAtoms(), m.look)
	if err != nil {
		return nil, err
	}
	for _, v := range g {
		q.g = append(q.g, float32(v))
	}
	q.outputs = q.part.outputs()
	t := q.part.template
	q.blocks, q.tables = blocksOf(t), q.part.tables()
	for b := range q.blocks {
		for _, k := range q.blocks[b].rows {
			for _, c := range t.DeepCol[t.DeepPtr[k]:t.DeepPtr[k+1]] {
				at := place{q.outputs[c].network, q.outputs[c].entity}
				if list := q.home[at]; len(list) == 0 || list[len(list)-1] != b {
					q.home[at] = append(list, b)
				}
			}
		}
	}
	return q, nil
}

// Name returns the name of the model's folder, or of its file.
func (q *Predictor) Name() string { return q.m.set.name() }

// Inputs lists the kinds of inputs, one for each network.
func (q *Predictor) Inputs() (kinds []InputKind) {
	for k, n := range q.m.networks {
		kind := InputKind{Network: n.name, Shape: n.table.Shape, Fields: len(n.heads[0].Entity), Pictures: n.table.Pictures}
		for i := range n.heads {
			kind.Heads = append(kind.Heads, Head{n.heads[i].predicate, n.heads[i].Classes})
		}
		if q.part != nil {
			kind.Entities = q.part.views[k].names
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// network finds a network by the predicate that describes it, in any case.
func (q *Predictor) network(name string) (int, error) {
	var names []string
	for k, n := range q.m.networks {
		if strings.EqualFold(n.name, name) {
			return k, nil
		}
		names = append(names, n.name)
	}
	rows := ""
	for i, t := range q.Tables() {
		rows += []string{", and for rows ", ", "}[min(i, 1)] + t.Name
	}
	return 0, fmt.Errorf("%.40q is no predicate that describes a network; there are %s%s", name, strings.Join(names, ", "), rows)
}

// An InputError is a fault of an Input.
type InputError struct {
	Number int // of the input, from 1
	Err    error
}

func (e *InputError) Error() string { return fmt.Sprintf("input %d: %v", e.Number, e.Err) }
func (e *InputError) Unwrap() error { return e.Err }

// Predict answers inputs and rows. Inputs with entities are answered together, and so are rows; if
// there are rows, all inputs must be of entities that these name. A fault of one input is an
// *InputError, one of a row a *RowError.
func (q *Predictor) Predict(inputs []Input, rows ...Row) (*Prediction, error) {
	p := &Prediction{Model: q.Name(), Inputs: []InputPrediction{}, Atoms: []mapstate.AtomValue{}}
	if q.part != nil {
		p.Thresholds = q.part.Decided()
	}
	if len(rows) > 0 {
		return p, q.answer(p, inputs, rows)
	}
	g, given := slices.Clone(q.g), map[place]bool{}
	for i := range inputs {
		in, at, y, err := q.look(&inputs[i])
		if err == nil && in.Known && given[at] {
			err = errTwice(in)
		}
		if err != nil {
			return nil, &InputError{i + 1, err}
		}
		p.Inputs = append(p.Inputs, *in)
		if !in.Known {
			continue
		}
		given[at] = true
		for _, a := range q.part.views[at.network].atoms {
			if a.entity == at.entity {
				g[a.column] = y[a.output]
			}
		}
	}
	return p, q.infer(p, g, given)
}

func errTwice(in *InputPrediction) error {
	return fmt.Errorf("%s is given twice to the network of %s", strings.Join(in.Entity, ", "), in.Network)
}

// look has a network look at an input.
func (q *Predictor) look(in *Input) (*InputPrediction, place, []float32, error) {
	k, err := q.network(in.Network)
	if err != nil {
		return nil, place{}, nil, err
	}
	n := q.m.networks[k]
	if want := n.table.Width(); len(in.Features) != want {
		return nil, place{}, nil, fmt.Errorf("%s for the network of %s, which takes %d, of shape %v", psl.Count(len(in.Features), "number"), n.name, want, n.table.Shape)
	}
	for _, x := range in.Features {
		if x := float64(x); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, place{}, nil, fmt.Errorf("%v is no finite number", x)
		}
	}
	if f := len(n.heads[0].Entity); len(in.Entity) > 0 && len(in.Entity) != f {
		return nil, place{}, nil, fmt.Errorf("an entity of %s has %s, not %d", n.name, psl.Count(f, "field"), len(in.Entity))
	}
	y, err := n.at(q.m.look, in.Features, 1)
	if err != nil {
		return nil, place{}, nil, err
	}
	for _, v := range y {
		if v := float64(v); math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, place{}, nil, fmt.Errorf("the network of %s has the output %v for these numbers: they are too large for it", n.name, v)
		}
	}
	out := &InputPrediction{Network: n.name, Entity: in.Entity}
	for i := range n.heads {
		h := &n.heads[i]
		for j, v := range y[h.from:h.to] {
			o := Output{Predicate: h.predicate, Value: float64(v)}
			if len(h.Classes) > 0 {
				o.Class = h.Classes[j]
			}
			out.Outputs = append(out.Outputs, o)
		}
	}
	at := place{network: k}
	if row, ok := n.table.Find(in.Entity...); ok && q.part != nil && len(in.Entity) > 0 {
		at.entity, out.Known = q.part.views[k].places[row]
	}
	return out, at, y, nil
}

// infer adds the MAP state of the blocks that have outputs of the given entities.
func (q *Predictor) infer(p *Prediction, g []float32, given map[place]bool) error {
	touched := map[int]bool{}
	for at := range given {
		for _, b := range q.home[at] {
			touched[b] = true
		}
	}
	var all block
	for _, b := range slices.Sorted(maps.Keys(touched)) {
		all.targets, all.rows = append(all.targets, q.blocks[b].targets...), append(all.rows, q.blocks[b].rows...)
	}
	if len(all.targets) == 0 {
		return nil
	}
	program, columns := all.cut(q.part.template)
	own := make([]float32, len(columns))
	for i, c := range columns {
		own[i] = g[c]
	}
	return q.conclude(p, program, own, q.near(&all, given))
}

// conclude adds the MAP state of a program with neural outputs g. near are the targets that are
// asked for; nil means all.
func (q *Predictor) conclude(p *Prediction, program *hlmrf.Program, g []float32, near []int) error {
	t, err := lcqp.Compile(program)
	if err != nil {
		return err
	}
	s, err := newSolver(&q.m.cfg, q.m.learn.Model, t, q.weights)
	if err != nil {
		return err
	}
	if err := s.Solve(g, 1, nil); err != nil {
		return err
	}
	c := s.Certificate(0)
	p.Certificate = &c
	r := s.Result(0)
	if r.Status == infer.Infeasible {
		return nil
	}
	for i, v := range r.Y {
		atom := mapstate.AtomValue{Atom: program.Targets[i], Value: evaluate.Value(v)}
		if near == nil || slices.Contains(near, i) {
			p.Atoms = append(p.Atoms, atom)
		} else {
			p.Others = append(p.Others, atom)
		}
	}
	p.Explanation = mapstate.ExplainTargets(t, r.Y, q.weights, nn.Widen(g), near)
	return nil
}

// near lists the targets of a block, by place, that share a row with an output of a given
// entity.
func (q *Predictor) near(b *block, given map[place]bool) []int {
	near, t := []int{}, q.part.template
	for _, k := range b.rows {
		if !slices.ContainsFunc(t.DeepCol[t.DeepPtr[k]:t.DeepPtr[k+1]], func(c int32) bool {
			return given[place{q.outputs[c].network, q.outputs[c].entity}]
		}) {
			continue
		}
		for _, target := range t.Col[t.Ptr[k]:t.Ptr[k+1]] {
			at, _ := slices.BinarySearch(b.targets, target)
			near = append(near, at)
		}
	}
	slices.Sort(near)
	return slices.Compact(near)
}

func (p *Prediction) Print(w io.Writer) error {
	var out strings.Builder
	for _, in := range p.Inputs {
		what := "an input"
		if len(in.Entity) > 0 {
			what = strings.Join(in.Entity, ", ")
		}
		fmt.Fprintf(&out, "%s, by the network of %s:", what, in.Network)
		for _, o := range in.Outputs {
			fmt.Fprintf(&out, " %s", o.Predicate)
			if o.Class != "" {
				fmt.Fprintf(&out, "=%s", o.Class)
			}
			fmt.Fprintf(&out, " %.2f", o.Value)
		}
		if len(in.Entity) > 0 && !in.Known {
			out.WriteString(" (no rule is about it in the partition infer)")
		}
		out.WriteString("\n")
	}
	for _, a := range p.Atoms {
		fmt.Fprintf(&out, "%s = %.3f\n", a.Atom, a.Value)
	}
	if n := len(p.Others); n > 0 {
		fmt.Fprintf(&out, "%d further atoms were inferred with them; -json lists them\n", n)
	}
	if c := p.Certificate; c != nil && len(c.Unmet) > 0 {
		fmt.Fprintf(&out, "hard rules that cannot be met:\n  %s\n", strings.Join(c.Unmet, "\n  "))
	}
	if p.Explanation != nil {
		p.Explanation.Print(&out)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
