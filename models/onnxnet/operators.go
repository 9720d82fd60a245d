package onnxnet

import "hinge/nn"

// operators returns the operators that are understood, by name.
func operators[T nn.Float]() map[string]operator[T] {
	m := map[string]operator[T]{
		"Conv": conv[T], "BatchNormalization": batchNorm[T], "MaxPool": maxPool[T], "AveragePool": averagePool[T],
		"GlobalAveragePool": globalAveragePool[T], "Gemm": gemm[T], "MatMul": matMul[T], "LayerNormalization": layerNorm[T],
		"Relu": relu[T], "LeakyRelu": leakyRelu[T], "Gelu": gelu[T], "Clip": clip[T], "Pow": pow[T],
		"Add": pairwise[T](nn.Add), "Sub": pairwise[T](nn.Sub), "Mul": pairwise[T](nn.Mul), "Div": pairwise[T](nn.Div),
		"Softmax": softmax[T], "ReduceMean": reduceMean[T], "Concat": concat[T], "Split": split[T], "Slice": slice[T], "Pad": pad[T], "Gather": take[T],
		"Flatten": flatten[T], "Reshape": reshape[T], "Transpose": transpose[T], "Squeeze": squeeze[T], "Unsqueeze": unsqueeze[T],
		"Shape": shapeOf[T], "Cast": cast[T], "Identity": identity[T], "Dropout": dropout[T], "Constant": constantOf[T],
	}
	for name, f := range functions {
		m[name] = mapped[T](f)
	}
	return m
}

// list is a list of integers: an attribute, or in later versions an input.
func (c *context[T]) list(n *node, name string, input int) ([]int, bool) {
	if a := n.attributes[name]; a.kind == attributeList {
		return a.list, true
	}
	if v := c.input(n, input); v != nil && v.whole {
		return v.ints, true
	}
	return nil, false
}
