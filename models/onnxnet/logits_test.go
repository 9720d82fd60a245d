package onnxnet

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestClassifiers: raw scores of a classifier are logits, and of its probabilities the logits
// have the softmax. Values by onnxruntime 1.31.1 and, of the last, by SGDClassifier of
// scikit-learn 1.9.1 with these coefficients, for the example (2, -1).
func TestClassifiers(t *testing.T) {
	scores, chances := []float64{4.5, -.25, -1.25}, []float64{.59957021, .26542211, .13500769}
	for _, c := range []struct {
		post, norm string
		want       []float64
		softmax    bool
		note       string
	}{
		{"NONE", "", scores, false, "the numbers of the LinearClassifier at the end are read as logits, as they are"},
		{"NONE", "L1", []float64{.75, -.041666668, -.20833333}, false, "the numbers of the Normalizer at the end are read as logits, as they are"},
		{"NONE", "L2", []float64{.9621405, -.05345225, -.26726124}, false, "the numbers of the Normalizer at the end are read as logits, as they are"},
		{"LOGISTIC", "", chances, true, "the probabilities of the LinearClassifier at the end are read as logits by their logarithms"},
		{"LOGISTIC", "L1", chances, true, "the probabilities of the Normalizer at the end are read as logits by their logarithms"},
		{"LOGISTIC", "L2", []float64{.89561898, .39647913, .20167023}, false, "the numbers of the Normalizer at the end are read as logits, as they are"},
		{"SOFTMAX", "L1", []float64{.9883039, .0085505042, .0031455546}, true, "the probabilities of the Normalizer at the end are read as logits by their logarithms"},
		{"BAYES", "", []float64{.9883039, .0085505042, .0031455546}, true, "the probabilities of the Exp at the end are read as logits by their logarithms"},
		{"RESHAPED", "", []float64{.9883039, .0085505042, .0031455546}, true, "the probabilities of the Exp at the end are read as logits by their logarithms"},
		{"ONE VS REST", "", chances, true, "the probabilities of the Div at the end are read as logits by their logarithms"},
		{"HUBER", "", []float64{8. / 11, 3. / 11, 0}, true, "the probabilities of the Div at the end are read as logits by their logarithms"},
		{"SGD", "", chances, true, "the probabilities of the Div at the end are read as logits by their logarithms"},
	} {
		coefficients, intercepts := []float32{1, -2, .5, 1, -1, 0}, []float32{.5, -.25, .75}
		classifier := of("LinearClassifier", "l y", []string{"x"}, "classlabels_ints", []int{0, 1, 2}, "coefficients", coefficients, "intercepts", intercepts, "post_transform", c.post)
		classifier.domain = ".ml"
		nodes := []*node{classifier}
		var weights []*tensor
		switch {
		case c.norm != "":
			norm := of("Normalizer", "z", []string{"y"}, "norm", c.norm)
			norm.domain = ".ml"
			nodes = append(nodes, norm)
		case c.post == "BAYES":
			weights = []*tensor{{name: "w", shape: []int{2, 3}, kind: kindFloat, floats: []float32{1, .5, -1, -2, 1, 0}}, {name: "b", shape: []int{3}, kind: kindFloat, floats: intercepts}}
			nodes = []*node{of("MatMul", "m", []string{"x", "w"}), of("Add", "s", []string{"m", "b"}), of("ReduceLogSumExp", "r", []string{"s"}, "axes", []int{1}), of("Sub", "d", []string{"s", "r"}), of("Exp", "y", []string{"d"})}
		case c.post == "RESHAPED": // as naive Bayes of scikit-learn has it
			weights = []*tensor{{name: "w", shape: []int{2, 3}, kind: kindFloat, floats: []float32{1, .5, -1, -2, 1, 0}}, {name: "b", shape: []int{3}, kind: kindFloat, floats: intercepts}, list("column", -1, 1)}
			nodes = []*node{of("MatMul", "m", []string{"x", "w"}), of("Add", "s", []string{"m", "b"}), of("ReduceLogSumExp", "r", []string{"s"}, "axes", []int{1}, "keepdims", 0),
				of("Reshape", "t", []string{"r", "column"}), of("Sub", "d", []string{"s", "t"}), of("Exp", "y", []string{"d"})}
		case c.post == "ONE VS REST": // chances of each class beside one another, by their sum
			weights = []*tensor{list("0", 0), list("1", 1), list("3", 3)}
			classifier.attributes["post_transform"].S = []byte("LOGISTIC")
			nodes = append(nodes, of("Slice", "p", []string{"y", "0", "1", "1"}), of("Slice", "q", []string{"y", "1", "3", "1"}), of("Concat", "c", []string{"p", "q"}, "axis", 1),
				of("ReduceSum", "r", []string{"c", "1"}), of("Div", "z", []string{"c", "r"}))
		case c.post == "HUBER": // (1 + z cut to -1 and 1) / 2, by the sum
			weights = []*tensor{number("-1", -1), number("1", 1), number("2", 2), list("a", 1)}
			classifier.attributes["post_transform"].S = []byte("NONE")
			nodes = append(nodes, of("Clip", "k", []string{"y", "-1", "1"}), of("Add", "o", []string{"k", "1"}), of("Div", "p", []string{"o", "2"}), of("ReduceSum", "r", []string{"p", "a"}), of("Div", "z", []string{"p", "r"}))
		case c.post == "SGD": // 1 / (1 + exp -z), by the sum; a row of zeros is taken for one of ones
			weights = []*tensor{{name: "w", shape: []int{2, 3}, kind: kindFloat, floats: []float32{1, .5, -1, -2, 1, 0}}, {name: "b", shape: []int{3}, kind: kindFloat, floats: intercepts},
				number("-1", -1), number("1", 1), number("3", 3), list("a", 1)}
			nodes = []*node{of("MatMul", "m", []string{"x", "w"}), of("Add", "s", []string{"m", "b"}), of("Mul", "n", []string{"s", "-1"}), of("Exp", "e", []string{"n"}), of("Add", "o", []string{"e", "1"}),
				of("Reciprocal", "p", []string{"o"}), of("ReduceSum", "r", []string{"p", "a"}), of("Cast", "t", []string{"r"}, "to", kindBool), of("Not", "u", []string{"t"}), of("Cast", "v", []string{"u"}, "to", kindFloat),
				of("Add", "q", []string{"p", "v"}), of("Mul", "k", []string{"v", "3"}), of("Add", "d", []string{"r", "k"}), of("Div", "z", []string{"q", "d"})}
		}
		f, err := small(17, []int{2}, weights, nodes...)
		require.NoError(t, err)
		if classifier == nodes[len(nodes)-1] {
			f.output, f.counts = "y", map[string]int{"y": 1}
			require.NoError(t, f.order())
		}
		f = f.Logits()
		got := answer(t, f, 1, 2, -1)
		if c.softmax {
			total := 0.0
			for i, z := range got {
				got[i] = math.Exp(z)
				total += got[i]
			}
			for i := range got {
				got[i] /= total
			}
		}
		assert.InDeltaSlice(t, c.want, got, 1e-7, c)
		assert.Equal(t, []string{c.note}, f.Notes())
	}
}
