package nn

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/nn/kernel"
)

// op is the gorgonia operation behind every layer of this package: a plain Go
// function from input slices to one output slice, whose memory it may share with ops
// that run at other times (see buffers).
//
// Gorgonia's rules that shape it: an op has one result, so a layer whose
// backward pass yields several gradients runs it in one op and hands out the
// others through "pick" ops over the same kept state; Type is built from the
// concrete types of the inputs (inference uses the type variable b itself) and
// must be fresh on every call, because gorgonia recycles it; the hash carries a
// number unique in the graph, or common subexpression elimination would merge
// two layers of equal shape.
type op[T Float] struct {
	name  string
	id    int
	in    []*gorgonia.Node
	shape []int
	// wrt tells the inputs the op can be differentiated by: all of an op with diff, unless
	// it is set.
	wrt []bool
	// run computes out from in. The slices belong to other ops and must not be written or
	// kept. With a nil run, out stays unchanged: the data of the pick ops are filled by
	// another op.
	run func(in [][]T, out []T) error
	// diff builds the gradient nodes, one an input; nil where wrt is false.
	diff func(grad *gorgonia.Node) gorgonia.Nodes
	// join, on a convolution, is the shortcut whose gradient is added to the gradient of input
	// 0; from, on a skip op, is the same link (see Builder.Skip).
	join, from *skipLink
	// rectified, on a linear layer, is run with the ReLU behind it.
	rectified func(in [][]T, out []T) error
	// conv, on a convolution, is its kernel.
	conv *kernel.Conv[T]

	data []T            // the output; found by the first Do unless preset
	out  gorgonia.Value // data as gorgonia sees it
	args [][]T          // reused argument list

	shared  *buffers[T] // where the output comes from, see shareBuffers
	readers int         // that have not run yet in the first run
	kept    bool        // the output must not be shared
	passes  bool        // the output goes back to shared when all have read it
	ran     bool
}

func (o *op[T]) Arity() int { return len(o.in) }

func (o *op[T]) Type() hm.Type {
	types := make([]hm.Type, 0, len(o.in)+1)
	for _, n := range o.in {
		types = append(types, n.Type())
	}
	return hm.NewFnType(append(types, typeOf[T](len(o.shape)))...)
}

func (o *op[T]) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) {
	return tensor.Shape(o.shape).Clone(), nil
}

// Do runs the op into its own output tensor.
func (o *op[T]) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	if o.from != nil {
		return in[0], nil
	}
	if o.out == nil {
		o.out = valueOf(o.buffer(), o.shape)
		o.args = make([][]T, len(in))
	}
	if o.run == nil {
		o.seen()
		return o.out, nil
	}
	for i, v := range in {
		o.args[i] = values[T](v)
	}
	if err := o.execute(); err != nil {
		return nil, err
	}
	o.seen()
	return o.out, nil
}

// execute computes the output from args.
func (o *op[T]) execute() error {
	if err := o.run(o.args, o.data); err != nil {
		return fmt.Errorf("nn: %s: %w", o.name, err)
	}
	clear(o.args)
	switch s := o.out.(type) {
	case *gorgonia.F32:
		*s = gorgonia.F32(o.data[0])
	case *gorgonia.F64:
		*s = gorgonia.F64(o.data[0])
	}
	return nil
}

func (o *op[T]) ReturnsPtr() bool      { return true }
func (o *op[T]) CallsExtern() bool     { return false }
func (o *op[T]) OverwritesInput() int  { return -1 }
func (o *op[T]) WriteHash(h hash.Hash) { fmt.Fprintf(h, "hinge/nn %s #%d", o.name, o.id) }
func (o *op[T]) String() string        { return o.name }
func (o *op[T]) DiffWRT(int) []bool    { return o.wrt }

func (o *op[T]) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// SymDiff builds the gradient nodes of the inputs and tells skip connections
// about the gradients that reach them.
func (o *op[T]) SymDiff(in gorgonia.Nodes, _, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	if o.diff == nil {
		return nil, fmt.Errorf("nn: %s has no derivative", o.name)
	}
	if o.join != nil && o.join.grad == nil {
		return nil, fmt.Errorf("nn: %s: no gradient reached its skip connection; only layers of this package may consume one, and it must lead to the loss", o.name)
	}
	grads := o.diff(grad)
	for i, n := range in {
		if s, ok := n.Op().(*op[T]); ok && s.from != nil && grads[i] != nil {
			if s.from.grad != nil {
				return nil, fmt.Errorf("nn: %s: the skip connection has a second consumer", o.name)
			}
			s.from.grad = grads[i]
		}
	}
	return grads, nil
}

var (
	_ gorgonia.SDOp = (*op[float32])(nil)
	_ gorgonia.SDOp = (*op[float64])(nil)
)

// each is a derivative of one gradient an input, made where the op is differentiated by it.
func (o *op[T]) each(gradients ...func(dy *gorgonia.Node) *gorgonia.Node) {
	o.diff = func(dy *gorgonia.Node) gorgonia.Nodes {
		grads := make(gorgonia.Nodes, len(gradients))
		for i, gradient := range gradients {
			if o.wrt[i] {
				grads[i] = gradient(dy)
			}
		}
		return grads
	}
}

// typeOf is the gorgonia type of a tensor of T with the given rank.
func typeOf[T Float](rank int) hm.Type {
	if rank == 0 {
		return dtypeOf[T]()
	}
	return gorgonia.TensorType{Dims: rank, Of: dtypeOf[T]()}
}

func dtypeOf[T Float]() tensor.Dtype {
	var zero T
	if _, ok := any(zero).(float32); ok {
		return tensor.Float32
	}
	return tensor.Float64
}

// values returns the elements of a value; tensors are not copied.
func values[T Float](v gorgonia.Value) []T {
	switch v := v.(type) {
	case *tensor.Dense:
		if dtypeOf[T]() == tensor.Float32 {
			return any(v.Float32s()).([]T)
		}
		return any(v.Float64s()).([]T)
	case *gorgonia.F32:
		return []T{T(*v)}
	case *gorgonia.F64:
		return []T{T(*v)}
	}
	panic(fmt.Sprintf("nn: a value of type %T is not a dense float tensor", v))
}

// valueOf wraps a slice as the value of a node of that shape. Tensors share the slice;
// scalars, which gorgonia does not represent as tensors, cannot.
func valueOf[T Float](data []T, shape []int) gorgonia.Value {
	switch {
	case len(shape) > 0:
		return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
	case dtypeOf[T]() == tensor.Float32:
		return gorgonia.NewF32(float32(data[0]))
	default:
		return gorgonia.NewF64(float64(data[0]))
	}
}
