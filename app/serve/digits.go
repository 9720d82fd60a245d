package serve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hinge/train/learning"
	"hinge/train/mapstate"
)

// inputName is the name of the only input.
const inputName = "images"

// output is a tensor that a model answers with, and how it is read off the answers.
type output struct {
	kind tensorKind
	data func(answers []learning.Answer) any
}

// collect makes one value of each answer a tensor's data.
func collect[T any](of func(a *learning.Answer) T) func([]learning.Answer) any {
	return func(answers []learning.Answer) any {
		out := make([]T, len(answers))
		for i := range answers {
			out[i] = of(&answers[i])
		}
		return out
	}
}

// judged is a figure of an answer's MAP state, nil where there is none.
func judged(of func(*mapstate.Judgement) *float64) func(*learning.Answer) *float64 {
	return func(a *learning.Answer) *float64 {
		if a.Certificate.Judgement == nil {
			return nil
		}
		return of(a.Certificate.Judgement)
	}
}

// outputs describes the outputs of a model.
func outputs(l learning.Layout) []output {
	all := []output{
		{tensorKind{"answer", "INT64", []int{-1}}, collect(func(a *learning.Answer) int64 { return a.Answer })},
		{tensorKind{"digits", "FP32", []int{-1, l.Images, l.Classes}}, func(answers []learning.Answer) any {
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
		output{tensorKind{"gap", "FP64", []int{-1}}, collect(judged(func(j *mapstate.Judgement) *float64 { return &j.Gap }))},
		output{tensorKind{"violation", "FP64", []int{-1}}, collect(judged(func(j *mapstate.Judgement) *float64 { return &j.Violation }))},
		output{tensorKind{"unmet", "BYTES", []int{-1}}, collect(func(a *learning.Answer) string { return strings.Join(a.Certificate.Unmet, "\n") })},
		output{tensorKind{"tied", "BOOL", []int{-1}}, collect(func(a *learning.Answer) bool { return a.Tied })},
	)
}

// tensors describes the tensors of a model that reads digits.
func (s *Server) tensors() (in, out []tensorKind) {
	for _, o := range outputs(s.layout) {
		out = append(out, o.kind)
	}
	l := s.layout
	return []tensorKind{{inputName, "FP32", []int{-1, l.Images, l.Height, l.Width}}}, out
}

// read reads the examples of a request and returns their number. Any error is the request's.
func (s *Server) read(q *inferRequest) (ask, int, error) {
	examples, err := s.examples(q)
	if err != nil {
		return nil, 0, err
	}
	return func(ctx context.Context) ([]tensor, error) {
		answers, _, err := s.ask(ctx, examples, false)
		if err != nil {
			return nil, err
		}
		var list []tensor
		for _, o := range outputs(s.layout) {
			t := tensor{tensorKind: o.kind, Data: o.data(answers)}
			t.Shape[0] = len(answers)
			list = append(list, t)
		}
		return list, nil
	}, len(examples), nil
}

// examples are the images of a request as bytes.
func (s *Server) examples(q *inferRequest) ([][]uint8, error) {
	kinds, _ := s.tensors()
	want := kinds[0]
	if len(q.Inputs) != 1 {
		return nil, fmt.Errorf("%d inputs; want one, %q", len(q.Inputs), want.Name)
	}
	in := &q.Inputs[0]
	switch most := s.set.Examples; {
	case in.Name != want.Name:
		return nil, fmt.Errorf("input %.40q is none; want %q", in.Name, want.Name)
	case in.Datatype != want.Datatype:
		return nil, fmt.Errorf("input %q has datatype %.40q; want %q", in.Name, in.Datatype, want.Datatype)
	case len(in.Shape) != len(want.Shape) || !slices.Equal(in.Shape[1:], want.Shape[1:]) || in.Shape[0] < 1:
		return nil, fmt.Errorf("input %q has shape %.80s; want [n %s with n ≥ 1", in.Name, fmt.Sprint(in.Shape), strings.TrimPrefix(fmt.Sprint(want.Shape[1:]), "["))
	case in.Shape[0] > most:
		return nil, fmt.Errorf("input %q has %d examples; at most %d are answered at once, send more requests", in.Name, in.Shape[0], most)
	}
	ink, err := in.pixels()
	if err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(ink, volume(in.Shape[1:]))), nil
}
