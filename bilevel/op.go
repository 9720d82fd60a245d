package bilevel

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Value adds V(w, g) to the graph of its arguments: a float64 vector with one
// value a sample.
//
// w is a float64 vector of the rule weights w_sy. g holds the neural outputs,
// float32 or float64, of any shape with Slots()·Deep elements (or more, with
// Options.Prefix): slot i reads the i-th run of Deep elements in row-major
// order. A model without neural outputs has a nil g.
func (f *ValueFunction) Value(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	if err := f.checkNodes(w, g); err != nil {
		return nil, err
	}
	return f.node("V", w, g, nil, nil, func(w, g []float64, _ [][]float64) error { return f.Solve(w, g) })
}

// Moreau adds M(y; w, g, ρ) to the graph of its arguments: a float64 vector
// with one value a sample. w and g are as for Value; y is a float64 node with
// Samples()·Targets elements, rho a float64 scalar node > 0 (not
// differentiated).
func (f *ValueFunction) Moreau(w, g, y, rho *gorgonia.Node) (*gorgonia.Node, error) {
	if err := f.checkNodes(w, g); err != nil {
		return nil, err
	}
	if n := y.Shape().TotalSize(); y.Dtype() != tensor.Float64 || n != f.room.targets {
		return nil, fmt.Errorf("bilevel: y is %v of %d elements, want float64 of %d for the targets of %d samples",
			y.Dtype(), n, f.room.targets, f.samples)
	}
	if rho.Dtype() != tensor.Float64 || !rho.IsScalar() {
		return nil, fmt.Errorf("bilevel: rho is %v of shape %v, want a float64 scalar", rho.Dtype(), rho.Shape())
	}
	return f.node("M", w, g, gorgonia.Nodes{y, rho}, []backward{f.pointGradient, nil}, func(w, g []float64, rest [][]float64) error {
		return f.SolveMoreau(w, g, rest[0], rest[1][0])
	})
}

// checkNodes reports arguments of the wrong type or size.
func (f *ValueFunction) checkNodes(w, g *gorgonia.Node) error {
	if n, rules := w.Shape().TotalSize(), f.template.Rules; w.Dtype() != tensor.Float64 || n != rules {
		return fmt.Errorf("bilevel: w is %v of %d elements, want float64 of %d rules", w.Dtype(), n, rules)
	}
	if g == nil {
		return f.checkDeep(0)
	}
	if err := f.checkDeep(g.Shape().TotalSize()); err != nil {
		return err
	}
	if d := g.Dtype(); d != tensor.Float32 && d != tensor.Float64 {
		return fmt.Errorf("bilevel: g is %v, want float32 or float64", d)
	}
	return nil
}

// node adds the function of w, of g if there are neural outputs, and of the rest, whose
// values solve leaves.
func (f *ValueFunction) node(name string, w, g *gorgonia.Node, rest gorgonia.Nodes, back []backward,
	solve func(w, g []float64, rest [][]float64) error) (*gorgonia.Node, error) {
	// The op's own copy of the values: gorgonia may let the next op overwrite it.
	out := tensor.New(tensor.WithShape(f.Samples()), tensor.Of(tensor.Float64))
	run := func(in []gorgonia.Value) (gorgonia.Value, error) {
		var wide [][]float64
		for i, v := range in {
			read := float64s
			if i == 1 && g != nil {
				read = f.widen
			}
			x, err := read(v)
			if err != nil {
				return nil, err
			}
			wide = append(wide, x)
		}
		var deep []float64
		if g != nil {
			deep = wide[1]
		}
		if err := solve(wide[0], deep, wide[len(wide)-len(rest):]); err != nil {
			return nil, err
		}
		copy(out.Float64s(), f.values)
		return out, nil
	}
	op := &function{
		name: name, in: gorgonia.Nodes{w}, back: []backward{f.WeightGradient}, run: run,
		out: gorgonia.TensorType{Dims: 1, Of: tensor.Float64}, dims: tensor.Shape{f.Samples()},
	}
	if g != nil {
		op.in, op.back = append(op.in, g), append(op.back, f.deepGradient)
	}
	op.in, op.back = append(op.in, rest...), append(op.back, back...)
	return op.apply()
}

// deepGradient writes dv_i · share · Bᵀμ* of each slot, and zeros beyond the slots.
func (f *ValueFunction) deepGradient(dv, out []float64) {
	f.clearSpare(out)
	for slot := range f.insts {
		c := dv[slot%f.samples] * f.share[slot]
		dst := f.outputs(out, slot)
		for j, v := range f.outputs(f.dg, slot) {
			dst[j] = c * v
		}
	}
	clear(out[len(f.dg):])
}

// pointGradient writes dv_i · (y − ŷ*)/ρ of each sample, the mean over its
// draws.
func (f *ValueFunction) pointGradient(dv, out []float64) {
	clear(out)
	for slot := range f.insts {
		i := slot % f.samples
		c := dv[i] * f.share[slot]
		dst := out[f.at[i].targets:]
		for j, v := range f.points(f.dy, slot) {
			dst[j] += c * v
		}
	}
}
