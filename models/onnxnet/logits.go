package onnxnet

import (
	"fmt"
	"math"
	"slices"
)

// passing are operators that leave the numbers of their first input as they are.
var passing = []string{"Identity", "Cast", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Dropout", "Transpose"}

// source is the node that makes the numbers of a value.
func (f *File) source(name string) *node {
	n := f.maker(name)
	for n != nil && slices.Contains(passing, n.op) {
		n = f.maker(n.in[0])
	}
	return n
}

// Logits is the network without a Softmax or Sigmoid at its end, for a use that puts one
// there itself: whatever follows it that changes the form alone stays. Probabilities of classes
// that are made otherwise, as scikit-learn's are, are read as their logarithms, of which the
// softmax is the probabilities again; all other numbers, raw scores among them, are logits.
func (f *File) Logits() *File {
	last := f.source(f.output)
	g := *f
	how := "the numbers of the %s at the end are read as logits, as they are"
	switch {
	case last == nil:
		return f
	case last.op == "Softmax" || last.op == "Sigmoid":
		g.last, how = last, "the %s at the end is left out: the numbers before it are read as logits"
	case f.likely(last):
		g.log, how = true, "the probabilities of the %s at the end are read as logits by their logarithms"
	case slices.Contains([]string{"Gemm", "MatMul", "Add", "LogSoftmax", "LinearRegressor"}, last.op):
		return f
	}
	g.notes = append(slices.Clone(f.notes), fmt.Sprintf(how, last.op))
	return &g
}

// likely reports whether the numbers of a node at the end are probabilities of classes, up to a
// factor of each example: chances of a classifier, or numbers of at least 0 by their sum.
func (f *File) likely(n *node) bool {
	first := func(name string) (string, *node) { // of what a term for rows of zeros is added to
		if n := f.maker(name); n != nil && n.op == "Add" {
			name = n.in[0]
		}
		return name, f.maker(name)
	}
	switch n.op {
	case "LinearClassifier":
		return f.positive(n.out[len(n.out)-1])
	case "Normalizer":
		return n.text("norm", "MAX") == "L1" && f.positive(n.in[0])
	case "Exp": // as of naive Bayes
		z := f.maker(n.in[0])
		if z != nil && z.op == "Sub" {
			total := f.source(z.in[1])
			return total != nil && total.op == "ReduceLogSumExp" && total.in[0] == z.in[0]
		}
		return z != nil && z.op == "LogSoftmax"
	case "Div":
		x, _ := first(n.in[0])
		_, total := first(n.in[1])
		return total != nil && total.op == "ReduceSum" && total.in[0] == x && f.positive(n.in[0]) && f.positive(n.in[1])
	}
	return f.complements(n)
}

// positive reports whether a value is known to have no number below 0.
func (f *File) positive(name string) bool {
	least, _ := f.bounds(name)
	return least >= 0
}

// bounds are numbers that those of a value are known to lie between.
func (f *File) bounds(name string) (least, most float64) {
	all := math.Inf(1)
	if t := f.weights[name]; t != nil && !t.learned && t.size() > 0 {
		return slices.Min(t.numbers()), slices.Max(t.numbers())
	}
	n := f.maker(name)
	if n == nil || len(n.in) == 0 {
		return -all, all
	}
	of := func(i int) (least, most float64) {
		if i < len(n.in) {
			return f.bounds(n.in[i])
		}
		return -all, all
	}
	switch n.op {
	case "Sigmoid", "Softmax", "Not":
		return 0, 1
	case "Exp", "Relu", "Abs":
		return 0, all
	case "LinearClassifier":
		if slices.Contains([]string{"LOGISTIC", "SOFTMAX"}, n.text("post_transform", "NONE")) {
			return 0, 1
		}
		return -all, all
	case "Add", "Sub", "Mul", "Div", "Clip", "Concat", "Slice", "Reciprocal", "ReduceSum", "Normalizer":
	default:
		if !slices.Contains(passing, n.op) {
			return -all, all // without a look at the network before it
		}
	}
	a, b := of(0)
	c, d := of(1)
	switch {
	case n.op == "Add":
		return a + c, b + d
	case n.op == "Sub":
		return a - d, b - c
	case n.op == "Div" && c == d && c > 0:
		return a / c, b / c
	case n.op == "Clip":
		_, e := of(2)
		return max(a, min(c, e)), min(b, e)
	case n.op == "Concat":
		for i := range n.in {
			c, d := of(i)
			a, b = min(a, c), max(b, d)
		}
		return a, b
	case n.op == "Slice" || slices.Contains(passing, n.op):
		return a, b
	case a >= 0 && (c >= 0 || n.op != "Mul" && n.op != "Div"):
		return 0, all
	}
	return -all, all
}

// complements reports whether a node puts 1 − p beside p, which is from 0 to 1.
func (f *File) complements(n *node) bool {
	if n.op != "Concat" || len(n.in) != 2 {
		return false
	}
	q := f.maker(n.in[0])
	one := q != nil && q.op == "Sub" && f.weights[q.in[0]] != nil && f.weights[q.in[0]].size() == 1 && f.weights[q.in[0]].at(0) == 1
	if !one || q.in[1] != n.in[1] {
		return false
	}
	least, most := f.bounds(n.in[1])
	return least >= 0 && most <= 1
}
