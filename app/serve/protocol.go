package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"hinge/train"
)

// inputName is the name of the only input.
const inputName = "images"

// tensorKind describes a tensor; a size of -1 is any.
type tensorKind struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"`
}

// modelMetadata is $metadata_model_response of the protocol.
type modelMetadata struct {
	Name     string       `json:"name"`
	Platform string       `json:"platform"`
	Inputs   []tensorKind `json:"inputs"`
	Outputs  []tensorKind `json:"outputs"`
}

// output is a tensor that a model answers with, and how it is read off the answers.
type output struct {
	kind tensorKind
	data func(answers []train.Answer) any
}

// collect makes one value of each answer a tensor's data.
func collect[T any](of func(a *train.Answer) T) func([]train.Answer) any {
	return func(answers []train.Answer) any {
		out := make([]T, len(answers))
		for i := range answers {
			out[i] = of(&answers[i])
		}
		return out
	}
}

// outputs describes the outputs of a model.
func outputs(l train.Layout) []output {
	all := []output{
		{tensorKind{"answer", "INT64", []int{-1}}, collect(func(a *train.Answer) int64 { return a.Answer })},
		{tensorKind{"digits", "FP32", []int{-1, l.Images, l.Classes}}, func(answers []train.Answer) any {
			var g []float32
			for _, a := range answers {
				g = append(g, a.Beliefs...)
			}
			return g
		}},
	}
	if !l.Rules {
		return all
	}
	return append(all,
		output{tensorKind{"gap", "FP64", []int{-1}}, collect(func(a *train.Answer) float64 { return a.Certificate.Gap })},
		output{tensorKind{"violation", "FP64", []int{-1}}, collect(func(a *train.Answer) float64 { return a.Certificate.Violation })},
		output{tensorKind{"unmet", "BYTES", []int{-1}}, collect(func(a *train.Answer) string { return strings.Join(a.Certificate.Unmet, "\n") })},
	)
}

// input is what the model reads.
func input(l train.Layout) tensorKind {
	return tensorKind{inputName, "FP32", []int{-1, l.Images, l.Height, l.Width}}
}

// inferRequest is $inference_request of the protocol.
type inferRequest struct {
	ID         *string       `json:"id"`
	Parameters parameters    `json:"parameters"`
	Inputs     []inputTensor `json:"inputs"`
	Outputs    []struct {
		Name       string     `json:"name"`
		Parameters parameters `json:"parameters"`
	} `json:"outputs"`
}

// inputTensor is an input of a request.
type inputTensor struct {
	Name       string          `json:"name"`
	Shape      []int           `json:"shape"`
	Datatype   string          `json:"datatype"`
	Parameters parameters      `json:"parameters"`
	Data       json.RawMessage `json:"data"`
}

// entities are the texts of a tensor BYTES [n, fields], or [n] where there is one field.
func entities(in *inputTensor, n, fields int) ([]string, error) {
	flat := slices.Equal(in.Shape, []int{n}) && fields == 1
	if in.Datatype != "BYTES" || !flat && !slices.Equal(in.Shape, []int{n, fields}) {
		return nil, fmt.Errorf("input %q has datatype %.40q and shape %.80s; want BYTES and [%d %d]", in.Name, in.Datatype, fmt.Sprint(in.Shape), n, fields)
	}
	var names []string
	if err := json.Unmarshal(in.Data, &names); err != nil {
		var rows [][]string
		if json.Unmarshal(in.Data, &rows) != nil {
			return nil, fmt.Errorf("input %q, data: want an array of texts: %w", in.Name, err)
		}
		names = slices.Concat(rows...)
	}
	if len(names) != n*fields {
		return nil, fmt.Errorf("input %q has %d texts, the shape says %d", in.Name, len(names), n*fields)
	}
	return names, nil
}

// parameters holds the parameters of a request or of a tensor.
type parameters map[string]json.RawMessage

// inferResponse is $inference_response.
type inferResponse struct {
	Model   string   `json:"model_name"`
	ID      *string  `json:"id,omitempty"`
	Outputs []tensor `json:"outputs"`
}

type tensor struct {
	tensorKind
	Data any `json:"data"`
}

// asked is a request that was read.
type asked struct {
	id       *string
	examples [][]uint8
	outputs  []output
}

// noBinary is the answer to clients that send or request tensors as bytes.
const noBinary = "binary tensors are not supported; send and ask for data as JSON numbers"

func (p parameters) check() error {
	for key, value := range p {
		if strings.HasPrefix(key, "binary_data") && string(value) != "false" {
			return errors.New(noBinary)
		}
	}
	return nil
}

// decode reads a request of the protocol and refuses binary tensors. Any error is the
// request's.
func decode(body io.Reader) (*inferRequest, error) {
	q := new(inferRequest)
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(q); err != nil {
		return nil, fmt.Errorf("the body is not a request of the protocol: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("the body goes on after the request")
	}
	err := q.Parameters.check()
	for i := range q.Inputs {
		err = cmp.Or(err, q.Inputs[i].Parameters.check())
	}
	for i := range q.Outputs {
		err = cmp.Or(err, q.Outputs[i].Parameters.check())
	}
	return q, err
}

// read reads a request for inference. Any error is the request's.
func read(body io.Reader, l train.Layout, most int) (*asked, error) {
	q, err := decode(body)
	if err != nil {
		return nil, err
	}
	want := input(l)
	if len(q.Inputs) != 1 {
		return nil, fmt.Errorf("%d inputs; want one, %q", len(q.Inputs), want.Name)
	}
	in := &q.Inputs[0]
	switch {
	case in.Name != want.Name:
		return nil, fmt.Errorf("input %.40q is none; want %q", in.Name, want.Name)
	case in.Datatype != want.Datatype:
		return nil, fmt.Errorf("input %q has datatype %.40q; want %q", in.Name, in.Datatype, want.Datatype)
	case len(in.Shape) != len(want.Shape) || !slices.Equal(in.Shape[1:], want.Shape[1:]) || in.Shape[0] < 1:
		return nil, fmt.Errorf("input %q has shape %.80s; want [n %d %d %d] with n ≥ 1", in.Name, fmt.Sprint(in.Shape), l.Images, l.Height, l.Width)
	case in.Shape[0] > most:
		return nil, fmt.Errorf("input %q has %d examples; at most %d are answered at once, send more requests", in.Name, in.Shape[0], most)
	}
	ink, err := pixels(in.Data, in.Shape)
	if err != nil {
		return nil, fmt.Errorf("input %q, data: %w", in.Name, err)
	}
	a := &asked{id: q.ID, examples: make([][]uint8, in.Shape[0])}
	each := len(ink) / len(a.examples)
	for i := range a.examples {
		a.examples[i] = ink[i*each:][:each]
	}
	all := outputs(l)
	if len(q.Outputs) == 0 {
		a.outputs = all
	}
	for _, o := range q.Outputs {
		i := slices.IndexFunc(all, func(have output) bool { return have.kind.Name == o.Name })
		if i < 0 {
			return nil, fmt.Errorf("there is no output %.40q; there are %s", o.Name, names(all))
		}
		a.outputs = append(a.outputs, all[i])
	}
	if len(a.outputs) > len(all) {
		return nil, errors.New("an output is asked for twice")
	}
	return a, nil
}

func names(all []output) string {
	var out []string
	for _, o := range all {
		out = append(out, o.kind.Name)
	}
	return strings.Join(out, ", ")
}

// respond makes the body of an answer.
func (a *asked) respond(model string, answers []train.Answer) ([]byte, error) {
	r := inferResponse{Model: model, ID: a.id}
	for _, o := range a.outputs {
		t := tensor{o.kind, o.data(answers)}
		t.Shape[0] = len(answers)
		r.Outputs = append(r.Outputs, t)
	}
	return encode(r)
}

// encode is JSON as people read it too.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return out.Bytes(), err
}
