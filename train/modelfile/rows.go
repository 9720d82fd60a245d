package modelfile

import (
	"errors"
	"fmt"
	"strings"

	"hinge/bilevel"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/train/config"
	"hinge/train/learning"
)

// classesOf returns the numbers of classes of an example's neural outputs where these are, one
// softmax after the other, all its classes in any order. at is the first output of another
// kind, or −1.
func (e *examples) classesOf(x *example) (rows []int, at int) {
	for from := 0; from < len(x.outputs); {
		first := x.outputs[from]
		h := e.part.views[first.network].of(first.output)
		classes := h.to - h.from
		if h.Output == "sigmoid" || from+classes > len(x.outputs) {
			return nil, from
		}
		for _, o := range x.outputs[from : from+classes] { // no output is there twice
			if o.network != first.network || o.entity != first.entity || o.output < h.from || o.output >= h.to {
				return nil, from
			}
		}
		rows = append(rows, classes)
		from += classes
	}
	return rows, -1
}

// rows is Setup.Classes; nil where the outputs are not rows of classes.
func (e *examples) rows(number int) []int {
	rows, _ := e.classesOf(e.list[number])
	return rows
}

// checkRows reports an output of an example that is in no row of classes.
func (e *examples) checkRows(x *example) error {
	_, at := e.classesOf(x)
	if at < 0 {
		return nil
	}
	o := x.outputs[at]
	v := e.part.views[o.network]
	h := v.of(o.output)
	if h.Output == "sigmoid" {
		return config.Usage("loss", "%s: the outputs of %s are sigmoids, and the loss learns from classes of which one holds", e.cfg.Loss, h.predicate)
	}
	return &model.Error{Pos: h.Pos, Msg: fmt.Sprintf("the loss %s wants all classes of %s(%s) among the targets and in rules", e.cfg.Loss, h.predicate, strings.Join(v.names[o.entity], ", "))}
}

// contrary names the true values that contradict rules, and these.
func (e *examples) contrary(err *bilevel.ContraryError) error {
	const most = 5
	var values []string
	x, names := e.list[err.Sample], e.part.template.Program().Targets
	for n, i := range err.Targets {
		if n == most {
			values = append(values, fmt.Sprintf("%d more", len(err.Targets)-n))
			break
		}
		values = append(values, fmt.Sprintf("%s = %v", names[x.targets[i]], x.truth[i]))
	}
	return &learning.DataError{Err: fmt.Errorf("%s: the truth %s: %w", e.part.File, strings.Join(values, ", "), err)}
}

// infeasible names the example whose hard rules contradict each other, by its targets, and the file.
func (e *examples) infeasible(err *bilevel.SampleError) error {
	if about, ok := errors.AsType[*infer.InfeasibleError](err.Err); ok {
		x, names := e.list[err.Sample], e.part.template.Program().Targets
		about.Targets = func(i int32) string { return names[x.targets[i]] }
	}
	return fmt.Errorf("%s: %w", e.part.File, err.Err)
}
