package bilevel

import (
	"fmt"
	"hash"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// scalarOp makes a differentiable scalar function of float64 vectors, written
// in Go, a node: forward computes the value and leaves the derivatives in grads,
// one slice an input.
type scalarOp struct {
	name    string
	id      uint64
	in      []*gorgonia.Node
	forward func(in [][]float64) float64
	grads   [][]float64
	args    [][]float64
}

// applyScalar adds the node.
func applyScalar(name string, forward func([][]float64) float64, grads [][]float64, in ...*gorgonia.Node) (*gorgonia.Node, error) {
	op := &scalarOp{name: name, id: opID.Add(1), in: in, forward: forward, grads: grads, args: make([][]float64, len(in))}
	return gorgonia.ApplyOp(op, in...)
}

func (op *scalarOp) Arity() int    { return len(op.in) }
func (op *scalarOp) Type() hm.Type { return functionType(op.in, tensor.Float64) }
func (op *scalarOp) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) {
	return tensor.ScalarShape(), nil
}

func (op *scalarOp) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	for i, v := range in {
		var err error
		if op.args[i], err = float64s(v); err != nil {
			return nil, err
		}
	}
	return gorgonia.NewF64(op.forward(op.args)), nil
}

func (op *scalarOp) ReturnsPtr() bool      { return false }
func (op *scalarOp) CallsExtern() bool     { return false }
func (op *scalarOp) OverwritesInput() int  { return -1 }
func (op *scalarOp) String() string        { return fmt.Sprintf("%s#%d", op.name, op.id) }
func (op *scalarOp) WriteHash(h hash.Hash) { fmt.Fprint(h, op.String()) }
func (op *scalarOp) Hashcode() uint32      { return hashOf(op) }

func (op *scalarOp) DiffWRT(n int) []bool {
	d := make([]bool, n)
	for i := range d {
		d[i] = true
	}
	return d
}

func (op *scalarOp) SymDiff(inputs gorgonia.Nodes, output, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	out := make(gorgonia.Nodes, len(inputs))
	for i, n := range inputs {
		pick := &scalarPick{of: op, which: i, in: []*gorgonia.Node{n, output, grad}, shape: n.Shape().Clone()}
		pick.out = tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(pick.shape...))
		d, err := gorgonia.ApplyOp(pick, n, output, grad)
		if err != nil {
			return nil, fmt.Errorf("bilevel: gradient of %v for input %d: %w", op, i, err)
		}
		out[i] = d
	}
	return out, nil
}

// scalarPick is a kept derivative times the incoming gradient: inputs (the
// differentiated input, the scalar, dL/dscalar).
type scalarPick struct {
	of    *scalarOp
	which int
	in    []*gorgonia.Node
	shape tensor.Shape
	out   *tensor.Dense
}

func (op *scalarPick) Arity() int                                            { return len(op.in) }
func (op *scalarPick) Type() hm.Type                                         { return functionType(op.in, op.in[0].Type()) }
func (op *scalarPick) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return op.shape, nil }

func (op *scalarPick) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	up, err := float64s(in[2])
	if err != nil {
		return nil, err
	}
	out := op.out.Float64s()
	for i, d := range op.of.grads[op.which] {
		out[i] = up[0] * d
	}
	return op.out, nil
}

func (op *scalarPick) ReturnsPtr() bool      { return true }
func (op *scalarPick) CallsExtern() bool     { return false }
func (op *scalarPick) OverwritesInput() int  { return -1 }
func (op *scalarPick) String() string        { return fmt.Sprintf("∂%v/∂%d", op.of, op.which) }
func (op *scalarPick) WriteHash(h hash.Hash) { fmt.Fprint(h, op.String()) }
func (op *scalarPick) Hashcode() uint32      { return hashOf(op) }

var (
	_ gorgonia.SDOp = (*scalarOp)(nil)
	_ gorgonia.Op   = (*scalarPick)(nil)
)
