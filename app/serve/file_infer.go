package serve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"hinge/symbolic/evaluate"
	"hinge/train/modelfile"
)

// entitySuffix ends the name of the tensor with the entities of a network's inputs.
const entitySuffix = ".entity"

// tensors lists the inputs, some of which a request has, and the outputs.
func (m *fileModel) tensors() (in, out []tensorKind) {
	for _, k := range m.kinds {
		in = append(in, tensorKind{k.Network, "FP32", append([]int{-1}, k.Shape...)},
			tensorKind{k.Network + entitySuffix, "BYTES", []int{-1, k.Fields}})
		for _, h := range k.Heads {
			out = append(out, tensorKind{h.Predicate, "FP32", []int{-1, max(1, len(h.Classes))}})
		}
	}
	for _, t := range m.rows {
		in = append(in, tensorKind{t.Name, "BYTES", []int{-1, t.Arity}})
	}
	return in, append(out, tensorKind{"atoms", "BYTES", []int{-1}}, tensorKind{"values", "FP64", []int{-1}}, tensorKind{"holds", "INT64", []int{-1}},
		tensorKind{"gap", "FP64", []int{-1}}, tensorKind{"violation", "FP64", []int{-1}}, tensorKind{"unmet", "BYTES", []int{-1}})
}

// read reads the inputs of a request and returns their number. Any error is the request's.
func (m *fileModel) read(q *inferRequest) (ask, int, error) {
	inputs, rows, err := m.inputs(q)
	if err != nil {
		return nil, 0, err
	}
	return func(ctx context.Context) ([]tensor, error) {
		p, err := m.ask(ctx, inputs, rows)
		if err != nil {
			return nil, err
		}
		for _, in := range p.Inputs {
			if len(in.Entity) > 0 && !in.Known {
				return nil, fail(http.StatusBadRequest, "the partition infer of the model has no entity %.80q of %s; leave the texts of an input empty that is of none", strings.Join(in.Entity, ", "), in.Network)
			}
		}
		var list []tensor
		_, all := m.tensors()
		for _, k := range all {
			list = append(list, filled(k, p))
		}
		return list, nil
	}, len(inputs) + len(rows), nil
}

// inputs returns the inputs of a request, network by network, and the rows.
func (m *fileModel) inputs(q *inferRequest) (all []modelfile.Input, rows []modelfile.Row, err error) {
	read := map[string]bool{}
	find := func(name string) int {
		return slices.IndexFunc(q.Inputs, func(in inputTensor) bool { return in.Name == name })
	}
	for _, k := range m.kinds {
		i, at := find(k.Network), find(k.Network+entitySuffix)
		if i < 0 {
			continue
		}
		in, shape := &q.Inputs[i], append([]int{-1}, k.Shape...)
		read[k.Network] = true
		if in.Datatype != "FP32" || len(in.Shape) != len(shape) || !slices.Equal(in.Shape[1:], k.Shape) || in.Shape[0] < 1 {
			return nil, nil, fmt.Errorf("input %q has datatype %.40q and shape %.80s; want FP32 and [n %s with n ≥ 1", in.Name, in.Datatype, fmt.Sprint(in.Shape), strings.TrimPrefix(fmt.Sprint(k.Shape), "["))
		}
		n := in.Shape[0]
		if err := m.room(in, len(all)); err != nil {
			return nil, nil, err
		}
		x := make([]float32, 0, volume(in.Shape))
		if err := in.floats(func(v float64) error {
			if !(math.Abs(v) <= math.MaxFloat32) {
				return fmt.Errorf("%v is no finite number that FP32 holds", v)
			}
			x = append(x, float32(v))
			return nil
		}); err != nil {
			return nil, nil, err
		}
		var names []string
		if at >= 0 {
			read[q.Inputs[at].Name] = true
			if names, err = q.Inputs[at].texts(n, k.Fields); err != nil {
				return nil, nil, err
			}
		}
		for e := range n {
			one := modelfile.Input{Network: k.Network, Features: x[e*volume(k.Shape):][:volume(k.Shape)]}
			if names != nil && strings.Join(names[e*k.Fields:][:k.Fields], "") != "" {
				one.Entity = names[e*k.Fields:][:k.Fields]
			}
			all = append(all, one)
		}
	}
	for _, t := range m.rows {
		i := find(t.Name)
		if i < 0 {
			continue
		}
		in := &q.Inputs[i]
		read[in.Name] = true
		if len(in.Shape) != 2 || in.Shape[0] < 1 {
			return nil, nil, fmt.Errorf("input %q has shape %.80s; want [n %d] with n ≥ 1", in.Name, fmt.Sprint(in.Shape), t.Arity)
		}
		if err := m.room(in, len(all)+len(rows)); err != nil {
			return nil, nil, err
		}
		texts, err := in.texts(in.Shape[0], t.Arity)
		if err != nil {
			return nil, nil, err
		}
		for fields := range slices.Chunk(texts, t.Arity) {
			rows = append(rows, modelfile.Row{Predicate: t.Name, Fields: fields})
		}
	}
	for _, in := range q.Inputs {
		if !read[in.Name] {
			return nil, nil, fmt.Errorf("input %.40q is none, or entities without inputs; the model's metadata lists them", in.Name)
		}
	}
	if len(q.Inputs) != len(read) {
		return nil, nil, errors.New("an input is given twice")
	}
	if len(all)+len(rows) == 0 {
		return nil, nil, errors.New("there is no input; the model's metadata lists them")
	}
	return all, rows, nil
}

// room reports an input with more examples than the server answers at once, where some are read.
func (m *fileModel) room(in *inputTensor, read int) error {
	if n := in.Shape[0]; read+n > m.set.Examples {
		return fmt.Errorf("input %q has %d examples; at most %d are answered at once, send more requests", in.Name, n, m.set.Examples)
	}
	return nil
}

// filled is an output of the protocol.
func filled(k tensorKind, p *modelfile.Prediction) tensor {
	t := tensor{tensorKind: k}
	texts, numbers := []string{}, []float64{}
	c := p.Certificate
	switch {
	case k.Datatype == "FP32":
		for _, in := range p.Inputs {
			for _, o := range in.Outputs {
				if o.Predicate == k.Name {
					numbers = append(numbers, o.Value)
				}
			}
		}
	case k.Name == "atoms" || k.Name == "values":
		for _, a := range p.Atoms {
			texts, numbers = append(texts, a.Atom), append(numbers, a.Value)
		}
	case k.Name == "holds":
		holds := []int64{}
		for _, a := range p.Atoms {
			predicate, _, _ := strings.Cut(a.Atom, "(")
			switch at, decided := p.Thresholds[predicate]; {
			case !decided:
				holds = append(holds, -1)
			case evaluate.Positive(a.Value, at):
				holds = append(holds, 1)
			default:
				holds = append(holds, 0)
			}
		}
		t.Shape, t.Data = []int{len(holds)}, holds
		return t
	case c == nil || c.Judgement == nil && k.Name != "unmet":
	case k.Name == "gap":
		numbers = append(numbers, c.Gap)
	case k.Name == "violation":
		numbers = append(numbers, c.Violation)
	case k.Name == "unmet":
		texts = append(texts, strings.Join(c.Unmet, "\n"))
	}
	t.Data = any(numbers)
	n := len(numbers)
	if k.Datatype == "BYTES" {
		t.Data, n = texts, len(texts)
	}
	if len(k.Shape) > 1 {
		n /= k.Shape[1]
	}
	t.Shape = slices.Clone(k.Shape)
	t.Shape[0] = n
	return t
}
