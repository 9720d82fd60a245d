package modelfile

import (
	"fmt"

	"hinge/symbolic/model"
	"hinge/train"
)

// classesOf returns the numbers of classes of an example's neural outputs where these are, one after
// the other, all classes of softmaxes. at is the first output that is none of such, or −1.
func (e *examples) classesOf(x *example) (rows []int, at int) {
	for from := 0; from < len(x.outputs); {
		o := x.outputs[from]
		h := e.part.views[o.network].of(o.output)
		for k := range h.to - h.from {
			next := output{o.network, o.entity, h.from + k}
			if h.Output == "sigmoid" || from+k >= len(x.outputs) || x.outputs[from+k] != next {
				return nil, from
			}
		}
		rows = append(rows, h.to-h.from)
		from += h.to - h.from
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
		return train.Usage("loss", "%s: the outputs of %s are sigmoids, and the loss learns from classes of which one holds", e.cfg.Loss, h.predicate)
	}
	return &model.Error{Pos: h.Pos, Msg: fmt.Sprintf("the loss %s wants all classes of %s(%s) among the targets and in rules, in the order of the classes", e.cfg.Loss, h.predicate, v.names[o.entity])}
}
