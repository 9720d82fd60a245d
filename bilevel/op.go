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

// inputs of the value-function op, in order.
const (
	inWeights = iota
	inDeep
	inPoint
	inRho
)

// Value adds V(w, g) to the graph of its arguments: a float64 vector with one
// value a slot.
//
// w is a float64 vector of the rule weights w_sy. g holds the neural outputs,
// float32 or float64, of any shape with Slots()·Deep() elements: slot i reads
// the i-th run of Deep() elements in row-major order.
func (f *ValueFunction) Value(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	if err := f.checkNodes(w, g); err != nil {
		return nil, err
	}
	return gorgonia.ApplyOp(newValueOp(f, w, g), w, g)
}

// Moreau adds M(y; w, g, ρ) to the graph of its arguments: a float64 vector
// with one value a slot. w and g are as for Value; y is a float64 node with
// Slots()·Targets() elements, rho a float64 scalar node > 0 (not
// differentiated).
func (f *ValueFunction) Moreau(w, g, y, rho *gorgonia.Node) (*gorgonia.Node, error) {
	if err := f.checkNodes(w, g); err != nil {
		return nil, err
	}
	if n := y.Shape().TotalSize(); y.Dtype() != tensor.Float64 || n != f.Slots()*f.template.Targets {
		return nil, fmt.Errorf("bilevel: y is %v of %d elements, want float64 of %d slots × %d targets",
			y.Dtype(), n, f.Slots(), f.template.Targets)
	}
	if rho.Dtype() != tensor.Float64 || !rho.IsScalar() {
		return nil, fmt.Errorf("bilevel: rho is %v of shape %v, want a float64 scalar", rho.Dtype(), rho.Shape())
	}
	return gorgonia.ApplyOp(newValueOp(f, w, g, y, rho), w, g, y, rho)
}

func (f *ValueFunction) checkNodes(w, g *gorgonia.Node) error {
	if n := w.Shape().TotalSize(); w.Dtype() != tensor.Float64 || n != f.template.Rules {
		return fmt.Errorf("bilevel: w is %v of %d elements, want float64 of %d rules", w.Dtype(), n, f.template.Rules)
	}
	if n := g.Shape().TotalSize(); n != f.Slots()*f.template.Deep {
		return fmt.Errorf("bilevel: g has %d elements, want %d slots × %d neural outputs", n, f.Slots(), f.template.Deep)
	}
	if d := g.Dtype(); d != tensor.Float32 && d != tensor.Float64 {
		return fmt.Errorf("bilevel: g is %v, want float32 or float64", d)
	}
	return nil
}

// valueOp is the forward op: inputs (w, g) or (w, g, y, ρ), output the values.
type valueOp struct {
	f   *ValueFunction
	id  uint64
	in  []*gorgonia.Node
	out *tensor.Dense
}

func newValueOp(f *ValueFunction, inputs ...*gorgonia.Node) *valueOp {
	return &valueOp{
		f: f, id: opID.Add(1), in: inputs,
		out: tensor.New(tensor.WithShape(f.Slots()), tensor.Of(tensor.Float64)),
	}
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
	return tensor.Shape{op.f.Slots()}, nil
}

func (op *valueOp) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	f := op.f
	w, err := float64s(in[inWeights])
	if err != nil {
		return nil, err
	}
	g, err := f.widen(in[inDeep])
	if err != nil {
		return nil, err
	}
	if len(in) == 2 {
		if err := f.Solve(w, g); err != nil {
			return nil, err
		}
		return op.result(), nil
	}
	y, err := float64s(in[inPoint])
	if err != nil {
		return nil, err
	}
	rho, err := float64s(in[inRho])
	if err != nil {
		return nil, err
	}
	if err := f.SolveMoreau(w, g, y, rho[0]); err != nil {
		return nil, err
	}
	return op.result(), nil
}

// result copies the values into the op's own tensor: gorgonia may let the next
// op overwrite it.
func (op *valueOp) result() gorgonia.Value {
	copy(op.out.Float64s(), op.f.values)
	return op.out
}

func (op *valueOp) ReturnsPtr() bool     { return true }
func (op *valueOp) CallsExtern() bool    { return false }
func (op *valueOp) OverwritesInput() int { return -1 }
func (op *valueOp) String() string {
	if len(op.in) == 2 {
		return fmt.Sprintf("V#%d(w, g)", op.id)
	}
	return fmt.Sprintf("M#%d(y; w, g, ρ)", op.id)
}
func (op *valueOp) WriteHash(h hash.Hash) { fmt.Fprint(h, op.String()) }
func (op *valueOp) Hashcode() uint32      { return hashOf(op) }

// DiffWRT: everything but ρ, which is a parameter of the algorithm.
func (op *valueOp) DiffWRT(n int) []bool { return []bool{true, true, true, false}[:n] }

func (op *valueOp) SymDiff(inputs gorgonia.Nodes, output, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	grads := make(gorgonia.Nodes, len(inputs))
	for i, n := range inputs[:min(len(inputs), inRho)] {
		// The output is an argument too: it orders the pick after the solve.
		d, err := gorgonia.ApplyOp(newPickOp(op, i, n, output, grad), n, output, grad)
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
	which int
	in    []*gorgonia.Node
	shape tensor.Shape
	out   gorgonia.Value
}

func newPickOp(of *valueOp, which int, inputs ...*gorgonia.Node) *pickOp {
	op := &pickOp{of: of, which: which, in: inputs, shape: inputs[0].Shape().Clone()}
	op.out = tensor.New(tensor.Of(inputs[0].Dtype()), tensor.WithShape(op.shape...))
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
		case inWeights:
			f.WeightGradient(dv, out)
		case inDeep:
			scaleSlots(dv, f.dg, out)
		case inPoint:
			scaleSlots(dv, f.dy, out)
		}
	case []float32:
		scaleSlots(dv, f.dg, out)
	}
	return op.out, nil
}

func (op *pickOp) ReturnsPtr() bool     { return true }
func (op *pickOp) CallsExtern() bool    { return false }
func (op *pickOp) OverwritesInput() int { return -1 }
func (op *pickOp) String() string {
	return fmt.Sprintf("∂%v/∂%s", op.of, [...]string{"w", "g", "y"}[op.which])
}
func (op *pickOp) WriteHash(h hash.Hash) { fmt.Fprint(h, op.String()) }
func (op *pickOp) Hashcode() uint32      { return hashOf(op) }

// scaleSlots writes dv_i · d_i for each slot i: d and out hold one run of equal
// length a slot.
func scaleSlots[T float32 | float64](dv, d []float64, out []T) {
	n := len(d) / len(dv)
	for i, c := range dv {
		src, dst := d[i*n:(i+1)*n], out[i*n:(i+1)*n]
		for j, v := range src {
			dst[j] = T(c * v)
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
