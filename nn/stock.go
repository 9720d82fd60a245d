package nn

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"gorgonia.org/gorgonia"
)

// stock lists operations of gorgonia v0.9.18 (with tensor v0.9.24) that compute something
// else than their name, or are one node with another operation on the same input. is is
// matched with the type of a node's operation and its term (see term).
var stock = []struct {
	is       *regexp.Regexp
	why, use string
}{
	{regexp.MustCompile(`^avgPoolOp`), "AveragePool2D divides by the width of its input and has the gradient 0", "Builder.WindowAverage"},
	{regexp.MustCompile(`^globalAveragePoolOp`), "GlobalAveragePool2D has no gradient", "Builder.GlobalAvgPool"},
	{regexp.MustCompile(`^maxPoolOp`), "MaxPool2D is wrong with four pads, two that differ in the last two are one node, and AveragePool1D takes the maximum too", "Builder.MaxPool, WindowMax or WindowAverage"},
	{regexp.MustCompile(`^im2colOp`), "two convolutions of one input that differ in their dilation are one node", "Builder.Conv or GroupConv"},
	{regexp.MustCompile(`^softmaxOp`), "SoftMax and LogSoftMax of one input are one node", "Builder.Softmax or LogSoftmax"},
	{regexp.MustCompile(`^dropoutOp`), "Dropout drops in evaluation too, and does not follow the seed", "Builder.Dropout"},
	{regexp.MustCompile(`^BatchNormOp`), "BatchNorm takes the statistics of the batch in evaluation too", "Builder.BatchNorm"},
	{regexp.MustCompile(`^ctcLossOp`), "the mean of CTCLoss has the gradient of the sum", "Builder.Function with a loss and its gradient"},
	{regexp.MustCompile(`^byIndicesOp`), "the gradient of ByIndices lands in wrong places", "Builder.Gather"},
	{regexp.MustCompile(`^atOp`), "At has no value", "Builder.Gather"},
	{regexp.MustCompile(`^sliceOp T\[(:, )*\d+:\d+:([2-9]|\d\d)`), "a slice with steps loses elements", "Builder.Gather"},
	{regexp.MustCompile(`^linAlgBinOp a ⊗ b`), "OuterProd has a wrong gradient", "Builder.MatMul"},
	{regexp.MustCompile(`^elemUnaryOp log2`), "Log2 has a wrong gradient", "Log, divided by log 2"},
	{regexp.MustCompile(`^elemUnaryOp invSqrt`), "InverseSqrt has a wrong gradient", "Inverse of Sqrt"},
	{regexp.MustCompile(`^elemUnaryOp ln\(\+ false\(Σ[^(]*\(exp\(`), "LogSumExp is another function", "Builder.Reduce with ReduceLogSumExp"},
	{regexp.MustCompile(`^elemBinOp \^ false\(Σ[^(]*\(\^ false\(`), "Norm of an odd p sums signed powers", "Builder.Reduce with ReduceL1 or ReduceL2"},
}

// checkStock reports the first operation of the graph that is known to be wrong, or that
// gorgonia may have merged with another node, with what to use in its place.
func checkStock(g *gorgonia.ExprGraph) error {
	for _, n := range g.ByName("") {
		if n.Op() == nil {
			return fmt.Errorf("nn: an input node of shape %v has no name: gorgonia takes two of them for one; use Builder.Constant, or gorgonia.WithName", n.Shape())
		}
	}
	for i, n := range g.AllNodes() {
		if n.ID() != int64(i) {
			return errors.New("nn: gorgonia has taken a node out of the graph, as BinaryXent does, and confuses nodes since; use Builder.BinaryCrossEntropy")
		}
		why, use := "", ""
		kind, library := strings.CutPrefix(strings.TrimPrefix(fmt.Sprintf("%T", n.Op()), "*"), "gorgonia.")
		if !library {
			continue
		}
		in := children(n)
		switch {
		case kind == "sumOp" || kind == "maxOp":
			if axes := strings.Fields(strings.Trim(n.Op().String(), "MaxAlongΣ[]")); misreduced(len(in[0].Shape()), axes) {
				why, use = fmt.Sprintf("a reduction of the shape %v over the axes %v is wrong", in[0].Shape(), axes), "Builder.Reduce"
			}
		case kind == "constantTensor" && strings.Contains(fmt.Sprint(n.Value()), "..."):
			why, use = "constants are told apart by their printed values, and the middle of this one is printed as dots", "Builder.Constant"
		case kind == "elemBinOp" && len(in) == 2 && in[1].Op() != nil && in[1].Op().String() == ">= true" && children(in[1])[0] == in[0]:
			why, use = "Rectify of −∞ is NaN, and its gradient at 0 is 1", "Builder.ReLU (in place of LeakyRelu Builder.Map)"
		default:
			text := kind + " " + term(n, 4)
			for _, s := range stock {
				if s.is.MatchString(text) {
					why, use = s.why, s.use
				}
			}
		}
		if use != "" {
			return fmt.Errorf("nn: node %v of gorgonia's own operations: %s; use %s", n.Op(), why, use)
		}
	}
	return nil
}

// misreduced reports whether a reduction over axes meets the case that tensor computes wrongly:
// it reduces one axis after the other, and the last but one of four and more is wrong.
func misreduced(dims int, axes []string) bool {
	for i, a := range axes {
		if axis, err := strconv.Atoi(a); err != nil || len(axes) < dims && dims-i > 3 && axis-i == dims-i-2 {
			return true
		}
	}
	return false
}

// term is the operation of a node with its arguments, some levels deep: ln(+ false(exp(), )).
func term(n *gorgonia.Node, depth int) string {
	if n.Op() == nil || depth == 0 {
		return ""
	}
	var args []string
	for _, in := range children(n) {
		args = append(args, term(in, depth-1))
	}
	return fmt.Sprintf("%v(%s)", n.Op(), strings.Join(args, ", "))
}

func children(n *gorgonia.Node) (list gorgonia.Nodes) {
	for in := n.Graph().From(n.ID()); in.Next(); {
		list = append(list, in.Node().(*gorgonia.Node))
	}
	return list
}
