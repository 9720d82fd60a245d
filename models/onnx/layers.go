package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/advancedclimatesystems/gonnx/onnx"

	"hinge/nn"
)

// layer adds the nodes of a layer.
func (g *builder) layer(l *nn.Layer[float32]) error {
	y := &made{shape: l.Shape}
	g.values[l.Out] = y
	if len(l.In) == 0 {
		return g.leaf(l, y)
	}
	if version := needs(l); version > g.opsets[""] {
		return fmt.Errorf("needs operators of version %d, and the part of the network that was read has those of version %d: convert its file to a newer one", version, g.opsets[""])
	}
	x := g.values[l.In[0]]
	switch l.Op {
	case "Images":
		switch {
		case l.In[0] == 0:
			g.values[l.Out] = x
		case len(x.shape) == 4:
			y.maps = g.array(x)
		default:
			return errors.New("makes images of N×H×W that are not the input, which has no form in ONNX: reshape them to N×C×H×W")
		}
	case "Part":
		out, nodes, tensors, err := l.With.(*Part).Form(g.array(x), g.unique, func(name string) []float32 {
			for _, p := range l.Params {
				if p.Name == name {
					return exported(p)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		y.array, g.nodes, g.tensors = out, append(g.nodes, nodes...), append(g.tensors, tensors...)
	case "Conv":
		c := l.With.(nn.Conv)
		y.maps = g.add("Conv", l.Name, []string{g.maps(x), g.constant(l.Params[0])},
			attribute("kernel_shape", twice(c.Kernel)), attribute("strides", twice(max(c.Stride, 1))), attribute("pads", slices.Concat(twice(c.Pad), twice(c.Pad))))
	case "GroupConv":
		c := l.With.(nn.GroupConv)
		y.maps = g.add("Conv", l.Name, []string{g.maps(x), g.constant(l.Params[0])}, append(window(c.Window, x.shape, l.Shape), attribute("group", max(c.Groups, 1)))...)
	case "BatchNorm":
		return g.norm(l, x, y)
	case "MaxPool":
		c := l.With.([]int)
		y.maps = g.add("MaxPool", l.Name, []string{g.maps(x)},
			attribute("kernel_shape", twice(c[0])), attribute("strides", twice(c[1])), attribute("pads", slices.Concat(twice(c[2]), twice(c[2]))))
	case "WindowMax":
		with, err := pool(l.With.(nn.Window), x.shape, l.Shape)
		if err != nil {
			return err
		}
		y.maps = g.add("MaxPool", l.Name, []string{g.maps(x)}, with...)
	case "WindowAverage":
		return g.average(l, x, y)
	case "GlobalAvgPool":
		y.array = g.add("Flatten", l.Name+".flatten", []string{g.add("GlobalAveragePool", l.Name, []string{g.maps(x)})}, attribute("axis", 1))
	case "Linear":
		y.array = g.add("Gemm", l.Name, []string{g.array(x), g.constant(l.Params[0]), g.constant(l.Params[1])}, attribute("transB", 1))
	case "Bias":
		bias := g.constant(l.Params[0])
		if x.maps == "" {
			y.array = g.add("Add", l.Name, []string{g.array(x), bias})
			break
		}
		y.maps = g.add("Add", l.Name, []string{x.maps, g.add("Reshape", l.Name+".channels", []string{bias, g.integers(l.Name+".shape", len(l.Params[0].Value), 1, 1)})})
	case "ReLU":
		g.each(l, y, "Relu", l.Name+".relu")
	case "Average":
		g.each(l, y, "Mean", l.Name)
	case "Combine":
		of := map[nn.Binary]string{nn.Add: "Add", nn.Sub: "Sub", nn.Mul: "Mul", nn.Div: "Div"}
		g.each(l, y, of[l.With.(nn.Binary)], l.Name)
	case "MatMul":
		y.array = g.add("MatMul", l.Name, []string{g.array(x), g.array(g.values[l.In[1]])})
	case "Softmax", "Attention", "LogSoftmax":
		op, in := "Softmax", g.array(x)
		if l.Op == "LogSoftmax" {
			op = l.Op
		}
		if l.Op == "Softmax" && g.temperature != 1 {
			in = g.add("Div", l.Name+".cooled", []string{in, g.number(l.Name+".temperature", float32(g.temperature))})
		}
		y.array = g.add(op, l.Name, []string{in}, attribute("axis", len(l.Shape)-1))
	case "Standardise":
		g.standardise(l, x, y)
	case "Reduce":
		r := l.With.(nn.Reducing)
		of := map[nn.Reduction]string{nn.ReduceSum: "ReduceSum", nn.ReduceMean: "ReduceMean", nn.ReduceMax: "ReduceMax", nn.ReduceMin: "ReduceMin",
			nn.ReduceProduct: "ReduceProd", nn.ReduceLogSumExp: "ReduceLogSumExp", nn.ReduceL1: "ReduceL1", nn.ReduceL2: "ReduceL2"}
		y.array = g.reduce(of[r.By], l.Name, g.array(x), r.Axes, false)
	case "Select":
		where := g.add("Cast", l.Name+".where", []string{g.array(x)}, attribute("to", int(onnx.TensorProto_BOOL)))
		y.array = g.add("Where", l.Name, []string{where, g.array(g.values[l.In[1]]), g.array(g.values[l.In[2]])})
	case "Rows":
		rows := g.add("Cast", l.Name+".rows", []string{g.array(g.values[l.In[1]])}, attribute("to", int(onnx.TensorProto_INT64)))
		y.array = g.add("Gather", l.Name, []string{g.array(x), rows}, attribute("axis", 0))
	case "Reshape":
		var err error
		y.array, err = g.shaped(l, g.array(x), l.With.([]int))
		return err
	default:
		return fmt.Errorf("has no form in ONNX: it is a %s", l.Op)
	}
	return nil
}

// needs returns the version of the operators from which on a layer has a form.
func needs(l *nn.Layer[float32]) int {
	switch l.Op {
	case "WindowAverage":
		if w := l.With.(nn.Averaging); max(w.Dilation[0], w.Dilation[1]) > 1 {
			return 19
		}
	case "Rows":
		return 11
	case "WindowMax":
		return 10
	case "Select":
		return 9
	}
	return 0
}

// leaf adds a value that is made of no other.
func (g *builder) leaf(l *nn.Layer[float32], y *made) error {
	switch l.Op {
	case "Parameter":
		y.array = g.constant(l.Params[0])
	case "Constant":
		if slices.Min(l.Shape) <= 0 {
			return errors.New("is a constant of the size of the batch, which is free in ONNX")
		}
		y.array = g.unique(l.Name)
		g.tensors = append(g.tensors, tensor(y.array, l.Shape, l.With.([]float32)))
	default:
		return errors.New("has no form in ONNX")
	}
	return nil
}

// array returns a value with the axes of package nn, maps as N×C×H×W; what is missing of the two
// becomes a node.
func (g *builder) array(v *made) string {
	if v.array == "" {
		v.array = g.add("Transpose", v.maps+".array", []string{v.maps}, attribute("perm", []int{2, 3, 0, 1}))
	}
	return v.array
}

func (g *builder) maps(v *made) string {
	if v.maps == "" {
		v.maps = g.add("Transpose", v.array+".maps", []string{v.array}, attribute("perm", []int{2, 3, 0, 1}))
	}
	return v.maps
}

// each adds an operator on the elements of values of one shape: of maps where all are.
func (g *builder) each(l *nn.Layer[float32], y *made, op, name string) {
	form, to := g.array, &y.array
	if !slices.ContainsFunc(l.In, func(v int) bool { return g.values[v].maps == "" }) {
		form, to = g.maps, &y.maps
	}
	var in []string
	for _, v := range l.In {
		in = append(in, form(g.values[v]))
	}
	*to = g.add(op, name, in)
}

// window are the attributes of a window on maps of package nn. What lies beyond the padding where
// the last window reaches further becomes padding, too.
func window(w nn.Window, in, out []int) []*onnx.AttributeProto {
	var strides, dilations []int
	pads := w.Pad
	for i := range 2 {
		stride, dilation := max(w.Stride[i], 1), max(w.Dilation[i], 1)
		strides, dilations = append(strides, stride), append(dilations, dilation)
		pads[i+2] = max(pads[i+2], (out[i]-1)*stride+dilation*(w.Kernel[i]-1)+1-in[i]-pads[i])
	}
	return []*onnx.AttributeProto{attribute("kernel_shape", w.Kernel[:]), attribute("strides", strides), attribute("dilations", dilations), attribute("pads", pads[:])}
}

// pool are the attributes of the window of a pool.
func pool(w nn.Window, in, out []int) ([]*onnx.AttributeProto, error) {
	with := window(w, in, out)
	for i, pad := range with[len(with)-1].Ints {
		if int(pad) >= w.Kernel[i%2] {
			return nil, fmt.Errorf("has %d pixels of padding beside a kernel of %d, and onnxruntime wants less than the kernel", pad, w.Kernel[i%2])
		}
	}
	return with, nil
}

// average adds an average pool.
func (g *builder) average(l *nn.Layer[float32], x, y *made) error {
	w := l.With.(nn.Averaging)
	with, err := pool(w.Window, x.shape, l.Shape)
	if err != nil {
		return err
	}
	if needs(l) == 0 {
		with = slices.DeleteFunc(with, func(a *onnx.AttributeProto) bool { return a.Name == "dilations" })
	}
	if w.Padded {
		for i := range 2 {
			if int(with[len(with)-1].Ints[i+2]) > w.Pad[i+2] {
				return errors.New("counts padding in windows that reach beyond it, for which runtimes have different averages: give it padding instead of Ceil")
			}
		}
		with = append(with, attribute("count_include_pad", 1))
	}
	y.maps = g.add("AveragePool", l.Name, []string{g.maps(x)}, with...)
	return nil
}

// standardise adds (x − m)/√(v + ε) of rows.
func (g *builder) standardise(l *nn.Layer[float32], x, y *made) {
	last := []int{len(l.Shape) - 1}
	in := g.array(x)
	off := g.add("Sub", l.Name+".centred", []string{in, g.reduce("ReduceMean", l.Name+".mean", in, last, true)})
	variance := g.reduce("ReduceMean", l.Name+".variance", g.add("Mul", l.Name+".squared", []string{off, off}), last, true)
	epsilon := g.number(l.Name+".epsilon", float32(l.With.(float64)))
	y.array = g.add("Div", l.Name, []string{off, g.add("Sqrt", l.Name+".deviation", []string{g.add("Add", l.Name+".positive", []string{variance, epsilon})})})
}

// reduce adds a reduction over axes, all of them if there are none.
func (g *builder) reduce(op, name, in string, axes []int, keep bool) string {
	inputs, with := []string{in}, []*onnx.AttributeProto{attribute("keepdims", map[bool]int{true: 1}[keep])}
	switch version := g.opsets[""]; {
	case len(axes) == 0:
	case version >= 18 || version >= 13 && op == "ReduceSum":
		inputs = append(inputs, g.integers(name+".axes", axes...))
	default:
		with = append(with, attribute("axes", axes))
	}
	return g.add(op, name, inputs, with...)
}

// shaped adds a node that gives the elements of in another shape.
func (g *builder) shaped(l *nn.Layer[float32], in string, shape []int) (string, error) {
	sides := slices.Clone(shape)
	free := 0
	for i, d := range sides {
		if d <= 0 {
			sides[i] = -1
			free++
		}
	}
	if free > 1 {
		return "", fmt.Errorf("has the shape %v, with the batch in two axes (0 or below)", shape)
	}
	return g.add("Reshape", l.Name, []string{in, g.integers(l.Name+".shape", sides...)}), nil
}

// norm adds a batch normalisation and the operations fused with it. Channels are the last axis of
// an array here and axis 1 in ONNX.
func (g *builder) norm(l *nn.Layer[float32], x, y *made) error {
	c := l.With.(nn.BatchNorm)
	form, to := g.array, &y.array
	rank := len(l.Shape)
	if rank == 4 && l.Shape[0] > 0 { // a map, whose examples are not in front
		form, to = g.maps, &y.maps
	}
	in := []string{form(x)}
	rows := to == &y.array && rank != 2
	if rows {
		in = []string{g.add("Flatten", l.Name+".rows", in, attribute("axis", rank-1))}
	}
	for _, p := range l.Params {
		in = append(in, g.constant(p))
	}
	*to = g.add("BatchNormalization", l.Name, in, attribute("epsilon", float32(cmp.Or(c.Epsilon, 1e-5))))
	if rows {
		name, err := g.shaped(l, *to, l.Shape)
		if err != nil {
			return err
		}
		*to = name
	}
	if len(l.In) > 1 {
		*to = g.add("Add", l.Name+".add", []string{*to, form(g.values[l.In[1]])})
	}
	if c.ReLU {
		*to = g.add("Relu", l.Name+".relu", []string{*to})
	}
	return nil
}

// integers is a constant list.
func (g *builder) integers(name string, list ...int) string {
	name = g.unique(name)
	var data []int64
	for _, v := range list {
		data = append(data, int64(v))
	}
	g.tensors = append(g.tensors, tensor(name, []int{len(data)}, data))
	return name
}

// number is a constant without axes.
func (g *builder) number(name string, v float32) string {
	name = g.unique(name)
	g.tensors = append(g.tensors, tensor(name, nil, []float32{v}))
	return name
}
