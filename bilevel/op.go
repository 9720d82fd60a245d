package bilevel

import (
	"fmt"
	"hash"
	"hash/fnv"
	"sync/atomic"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// opID makes the hash of every op unique, so that gorgonia never merges two ops
// that only look alike.
var opID atomic.Uint64

// role says what an input of the value-function op is.
type role int

const (
	roleWeights role = iota
	roleDeep
	rolePoint
	roleRho
)

func (r role) String() string { return [...]string{"w", "g", "y", "ρ"}[r] }

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
	op := newValueOp(f, w, g, nil, nil)
	return gorgonia.ApplyOp(op, op.in...)
}

// Moreau adds M(y; w, g, ρ) to the graph of its arguments: a float64 vector
// with one value a sample. w and g are as for Value; y is a float64 node with
// Samples()·Targets elements, rho a float64 scalar node > 0 (not
// differentiated).
func (f *ValueFunction) Moreau(w, g, y, rho *gorgonia.Node) (*gorgonia.Node, error) {
	if err := f.checkNodes(w, g); err != nil {
		return nil, err
	}
	if n := y.Shape().TotalSize(); y.Dtype() != tensor.Float64 || n != f.samples*f.template.Targets {
		return nil, fmt.Errorf("bilevel: y is %v of %d elements, want float64 of %d samples × %d targets",
			y.Dtype(), n, f.samples, f.template.Targets)
	}
	if rho.Dtype() != tensor.Float64 || !rho.IsScalar() {
		return nil, fmt.Errorf("bilevel: rho is %v of shape %v, want a float64 scalar", rho.Dtype(), rho.Shape())
	}
	op := newValueOp(f, w, g, y, rho)
	return gorgonia.ApplyOp(op, op.in...)
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

// valueOp is the forward op: inputs w, g if there are neural outputs, and for
// the Moreau envelope y and ρ; output the values.
type valueOp struct {
	f     *ValueFunction
	id    uint64
	in    []*gorgonia.Node
	roles []role
	out   *tensor.Dense
}

func newValueOp(f *ValueFunction, inputs ...*gorgonia.Node) *valueOp {
	op := &valueOp{
		f: f, id: opID.Add(1),
		out: tensor.New(tensor.WithShape(f.Samples()), tensor.Of(tensor.Float64)),
	}
	for i, n := range inputs {
		if n != nil {
			op.in, op.roles = append(op.in, n), append(op.roles, role(i))
		}
	}
	return op
}

func (op *valueOp) Arity() int { return len(op.in) }

func (op *valueOp) Type() hm.Type {
	return functionType(op.in, gorgonia.TensorType{Dims: 1, Of: tensor.Float64})
}

// functionType is the type inputs → out, made of concrete types and anew on
// every call: gorgonia's inference confuses type variables with its own and
// recycles what it is given.
func functionType(inputs []*gorgonia.Node, out hm.Type) hm.Type {
	types := make([]hm.Type, 0, len(inputs)+1)
	for _, n := range inputs {
		types = append(types, n.Type())
	}
	return hm.NewFnType(append(types, out)...)
}

func (op *valueOp) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) {
	return tensor.Shape{op.f.Samples()}, nil
}

func (op *valueOp) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	f := op.f
	var args [roleRho + 1][]float64
	for i, v := range in {
		var err error
		if op.roles[i] == roleDeep {
			args[roleDeep], err = f.widen(v)
		} else {
			args[op.roles[i]], err = float64s(v)
		}
		if err != nil {
			return nil, err
		}
	}
	var err error
	if y := args[rolePoint]; y == nil {
		err = f.Solve(args[roleWeights], args[roleDeep])
	} else {
		err = f.SolveMoreau(args[roleWeights], args[roleDeep], y, args[roleRho][0])
	}
	if err != nil {
		return nil, err
	}
	return op.result(), nil
}

// result copies the values into the op's own tensor: gorgonia may let the next
// op overwrite it.
func (op *valueOp) result() gorgonia.Value {
	copy(op.out.Float64s(), op.f.Values())
	return op.out
}

func (op *valueOp) ReturnsPtr() bool     { return true }
func (op *valueOp) CallsExtern() bool    { return false }
func (op *valueOp) OverwritesInput() int { return -1 }
func (op *valueOp) String() string {
	if op.roles[len(op.roles)-1] != roleRho {
		return fmt.Sprintf("V#%d(w, g)", op.id)
	}
	return fmt.Sprintf("M#%d(y; w, g, ρ)", op.id)
}
func (op *valueOp) WriteHash(h hash.Hash) { fmt.Fprint(h, op.String()) }
func (op *valueOp) Hashcode() uint32      { return hashOf(op) }

// DiffWRT: everything but ρ, which is a parameter of the algorithm.
func (op *valueOp) DiffWRT(n int) []bool {
	d := make([]bool, n)
	for i, r := range op.roles[:n] {
		d[i] = r != roleRho
	}
	return d
}

func (op *valueOp) SymDiff(inputs gorgonia.Nodes, output, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	grads := make(gorgonia.Nodes, len(inputs))
	for i, n := range inputs {
		if op.roles[i] == roleRho {
			continue
		}
		// The output is an argument too: it orders the pick after the solve.
		d, err := gorgonia.ApplyOp(newPickOp(op, op.roles[i], n, output, grad), n, output, grad)
		if err != nil {
			return nil, fmt.Errorf("bilevel: gradient of %v for input %d: %w", op, i, err)
		}
		grads[i] = d
	}
	return grads, nil
}

// pickOp weighs one of the gradients kept by the last solve with the incoming
// gradient: inputs (the differentiated input, V, dL/dV).
type pickOp struct {
	of    *valueOp
	which role
	in    []*gorgonia.Node
	shape tensor.Shape
	out   gorgonia.Value
	wide  []float64 // the gradient before it becomes float32
}

func newPickOp(of *valueOp, which role, inputs ...*gorgonia.Node) *pickOp {
	op := &pickOp{of: of, which: which, in: inputs, shape: inputs[0].Shape().Clone()}
	op.out = tensor.New(tensor.Of(inputs[0].Dtype()), tensor.WithShape(op.shape...))
	if inputs[0].Dtype() == tensor.Float32 {
		op.wide = make([]float64, op.shape.TotalSize())
	}
	return op
}

func (op *pickOp) Arity() int                                            { return len(op.in) }
func (op *pickOp) Type() hm.Type                                         { return functionType(op.in, op.in[0].Type()) }
func (op *pickOp) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return op.shape, nil }

func (op *pickOp) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	dv, err := float64s(in[2])
	if err != nil {
		return nil, err
	}
	f := op.of.f
	switch out := op.out.Data().(type) {
	case []float64:
		switch op.which {
		case roleWeights:
			f.WeightGradient(dv, out)
		case roleDeep:
			f.deepGradient(dv, out)
		case rolePoint:
			f.pointGradient(dv, out)
		}
	case []float32:
		f.deepGradient(dv, op.wide)
		for i, v := range op.wide {
			out[i] = float32(v)
		}
	}
	return op.out, nil
}

func (op *pickOp) ReturnsPtr() bool     { return true }
func (op *pickOp) CallsExtern() bool    { return false }
func (op *pickOp) OverwritesInput() int { return -1 }
func (op *pickOp) String() string {
	return fmt.Sprintf("∂%v/∂%v", op.of, op.which)
}
func (op *pickOp) WriteHash(h hash.Hash) { fmt.Fprint(h, op.String()) }
func (op *pickOp) Hashcode() uint32      { return hashOf(op) }

// deepGradient writes dv_i · share · Bᵀμ* of each slot, and zeros beyond the slots.
func (f *ValueFunction) deepGradient(dv, out []float64) {
	n := f.template.Deep
	for slot := range f.insts {
		c := dv[slot%f.samples] * f.share[slot]
		dst := out[slot*n : (slot+1)*n]
		for j, v := range f.dg[slot*n : (slot+1)*n] {
			dst[j] = c * v
		}
	}
	clear(out[len(f.dg):])
}

// pointGradient writes dv_i · (y − ŷ*)/ρ of each sample, the mean over its
// draws.
func (f *ValueFunction) pointGradient(dv, out []float64) {
	clear(out)
	n := f.template.Targets
	for slot := range f.insts {
		i := slot % f.samples
		c := dv[i] * f.share[slot]
		dst := out[i*n : (i+1)*n]
		for j, v := range f.dy[slot*n : (slot+1)*n] {
			dst[j] += c * v
		}
	}
}

// float64s returns the backing slice of a float64 value without copying.
func float64s(v gorgonia.Value) ([]float64, error) {
	switch d := v.Data().(type) {
	case []float64:
		return d, nil
	case float64:
		return []float64{d}, nil
	}
	return nil, fmt.Errorf("bilevel: got %v, want float64", v.Dtype())
}

func hashOf(op gorgonia.Op) uint32 {
	h := fnv.New32a()
	op.WriteHash(h)
	return h.Sum32()
}

var (
	_ gorgonia.SDOp = (*valueOp)(nil)
	_ gorgonia.Op   = (*pickOp)(nil)
)
