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

// function is a Go function of nodes as a gorgonia op. Its derivatives need no second
// evaluation: run stores the numbers that they are computed from.
type function struct {
	name string // unique, see numbered
	in   gorgonia.Nodes
	out  hm.Type
	dims tensor.Shape // of the output
	run  func(in []gorgonia.Value) (gorgonia.Value, error)
	// back, one an input, turns the gradient for the output into that for the
	// input; nil where the function is not differentiated.
	back []backward
}

// backward writes the gradient dx for an input, given that for the output.
type backward func(dout, dx []float64)

// nodes counts the functions and inputs.
var nodes atomic.Uint64

// numbered makes a name unique: gorgonia merges nodes that look alike.
func numbered(name string) string { return fmt.Sprintf("%s#%d", name, nodes.Add(1)) }

// apply adds the function to the graph of its inputs.
func (f *function) apply() (*gorgonia.Node, error) {
	f.name = numbered(f.name)
	return gorgonia.ApplyOp(f, f.in...)
}

func (f *function) Arity() int { return len(f.in) }

// Type is inputs → output, made of concrete types anew on every call, because gorgonia's
// inference confuses type variables with its own and reuses the types it is given.
func (f *function) Type() hm.Type {
	types := make([]hm.Type, 0, len(f.in)+1)
	for _, n := range f.in {
		types = append(types, n.Type())
	}
	return hm.NewFnType(append(types, f.out)...)
}

func (f *function) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return f.dims, nil }
func (f *function) Do(in ...gorgonia.Value) (gorgonia.Value, error)       { return f.run(in) }
func (f *function) ReturnsPtr() bool                                      { return true }
func (f *function) CallsExtern() bool                                     { return false }
func (f *function) OverwritesInput() int                                  { return -1 }
func (f *function) String() string                                        { return f.name }
func (f *function) WriteHash(h hash.Hash)                                 { fmt.Fprint(h, f.name) }

func (f *function) Hashcode() uint32 {
	h := fnv.New32a()
	f.WriteHash(h)
	return h.Sum32()
}

func (f *function) DiffWRT(n int) []bool {
	d := make([]bool, n)
	for i := range min(n, len(f.back)) {
		d[i] = f.back[i] != nil
	}
	return d
}

func (f *function) SymDiff(inputs gorgonia.Nodes, output, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	grads := make(gorgonia.Nodes, len(inputs))
	for i, back := range f.back {
		if back == nil {
			continue
		}
		var err error
		if grads[i], err = f.derivative(i, back, inputs[i], output, grad).apply(); err != nil {
			return nil, fmt.Errorf("bilevel: gradient of %v for input %d: %w", f, i, err)
		}
	}
	return grads, nil
}

// derivative is the function that gives the gradient for input i. The output is an
// argument only to order it after the run.
func (f *function) derivative(i int, back backward, input, output, grad *gorgonia.Node) *function {
	shape := input.Shape().Clone()
	out := tensor.New(tensor.Of(input.Dtype()), tensor.WithShape(shape...))
	dx, _ := out.Data().([]float64)
	narrow, single := out.Data().([]float32)
	if single {
		dx = make([]float64, len(narrow))
	}
	run := func(in []gorgonia.Value) (gorgonia.Value, error) {
		dout, err := float64s(in[2])
		if err != nil {
			return nil, err
		}
		back(dout, dx)
		for i := range narrow {
			narrow[i] = float32(dx[i])
		}
		return out, nil
	}
	return &function{name: fmt.Sprintf("∂%v/∂%d", f, i), in: gorgonia.Nodes{input, output, grad}, out: input.Type(), dims: shape, run: run}
}

// scalar adds a float64 scalar to the graph of its inputs, which are of float32 or float64. f returns the
// value for the inputs x and leaves its derivatives by each of them in derivatives.
func scalar(name string, in gorgonia.Nodes, derivatives [][]float64, f func(x [][]float64) (float64, error)) (*gorgonia.Node, error) {
	op := &function{name: name, in: in, out: tensor.Float64, dims: tensor.ScalarShape()}
	x := make([][]float64, len(in))
	for i, n := range in {
		x[i] = make([]float64, n.Shape().TotalSize())
		op.back = append(op.back, func(up, dx []float64) {
			for j, d := range derivatives[i] {
				dx[j] = up[0] * d
			}
		})
	}
	op.run = func(in []gorgonia.Value) (gorgonia.Value, error) {
		for i, v := range in {
			switch d := v.Data().(type) {
			case []float64:
				copy(x[i], d)
			case []float32:
				for j, e := range d {
					x[i][j] = float64(e)
				}
			default:
				return nil, fmt.Errorf("bilevel: %s of %v, want float32 or float64", name, v.Dtype())
			}
		}
		v, err := f(x)
		return gorgonia.NewF64(v), err
	}
	return op.apply()
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

var _ gorgonia.SDOp = (*function)(nil)
