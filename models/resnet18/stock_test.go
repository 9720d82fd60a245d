package resnet18

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/nn"
)

// stockNet is ResNet18 from gorgonia's own ops in float64, on images whose last
// map is 1×1, so that the average is a reshape (gorgonia's own has a wrong
// gradient).
type stockNet struct {
	g      *gorgonia.ExprGraph
	w      map[string]nn.Tensor[float64]
	names  []string // of the parameters
	leaves gorgonia.Nodes
	reduce []func(grad []float64) []float64 // from a leaf's gradient to the parameter's
}

func (s *stockNet) leaf(name string, shape []int, data []float64, reduce func([]float64) []float64) *gorgonia.Node {
	v := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
	n := gorgonia.NewTensor(s.g, tensor.Float64, len(shape), gorgonia.WithName(name), gorgonia.WithShape(shape...), gorgonia.WithValue(v))
	s.names, s.leaves, s.reduce = append(s.names, name), append(s.leaves, n), append(s.reduce, reduce)
	return n
}

// spread is a parameter with one value a channel, repeated to a shape whose axis
// 1 are the channels: gorgonia wants it so.
func (s *stockNet) spread(name string, shape tensor.Shape) *gorgonia.Node {
	value := s.w[name].Data
	inner := shape.TotalSize() / (shape[0] * shape[1])
	data := make([]float64, shape.TotalSize())
	for i := range data {
		data[i] = value[i/inner%len(value)]
	}
	return s.leaf(name, shape, data, func(grad []float64) []float64 {
		sum := make([]float64, len(value))
		for i, v := range grad {
			sum[i/inner%len(value)] += v
		}
		return sum
	})
}

func same(grad []float64) []float64 { return grad }

func (s *stockNet) conv(name string, x *gorgonia.Node, k, stride, pad int) *gorgonia.Node {
	p := s.w[name+".weight"]
	w := s.leaf(p.Name, p.Shape, p.Data, same)
	return gorgonia.Must(gorgonia.Conv2d(x, w, tensor.Shape{k, k}, []int{pad, pad}, []int{stride, stride}, []int{1, 1}))
}

func (s *stockNet) norm(name string, x *gorgonia.Node) *gorgonia.Node {
	y, _, _, _, err := gorgonia.BatchNorm(x, s.spread(name+".weight", x.Shape()), s.spread(name+".bias", x.Shape()), .9, 1e-5)
	return gorgonia.Must(y, err)
}

func (s *stockNet) linear(name string, x *gorgonia.Node) *gorgonia.Node {
	p := s.w[name+".weight"]
	out, in := p.Shape[0], p.Shape[1]
	flip := func(m []float64, rows, cols int) []float64 {
		t := make([]float64, len(m))
		for i := range rows {
			for j := range cols {
				t[j*rows+i] = m[i*cols+j]
			}
		}
		return t
	}
	w := s.leaf(p.Name, []int{in, out}, flip(p.Data, out, in), func(grad []float64) []float64 { return flip(grad, in, out) })
	y := gorgonia.Must(gorgonia.Mul(x, w))
	return gorgonia.Must(gorgonia.Add(y, s.spread(name+".bias", y.Shape())))
}

func rectify(x *gorgonia.Node) *gorgonia.Node { return gorgonia.Must(gorgonia.Rectify(x)) }

func (s *stockNet) apply(c Config, x *gorgonia.Node) *gorgonia.Node {
	x = rectify(s.norm("bn1", s.conv("conv1", x, 7, 2, 3)))
	x = gorgonia.Must(gorgonia.MaxPool2D(x, tensor.Shape{3, 3}, []int{1, 1}, []int{2, 2}))
	for stage := range c.Widths {
		for block := range 2 {
			name := fmt.Sprintf("layer%d.%d", stage+1, block)
			stride, short := 1, x
			if stage > 0 && block == 0 {
				stride = 2
				short = s.norm(name+".downsample.1", s.conv(name+".downsample.0", x, 1, 2, 0))
			}
			y := rectify(s.norm(name+".bn1", s.conv(name+".conv1", x, 3, stride, 1)))
			y = s.norm(name+".bn2", s.conv(name+".conv2", y, 3, 1, 1))
			x = rectify(gorgonia.Must(gorgonia.Add(y, short)))
		}
	}
	x = s.linear("fc", gorgonia.Must(gorgonia.Reshape(x, tensor.Shape{x.Shape()[0], x.Shape()[1]})))
	return s.linear("head.1", rectify(s.linear("head.0", x)))
}

// run returns the output and the gradients of 1/n·Σ y² by all parameters.
func (s *stockNet) run(t *testing.T, c Config, x []float64, n, side int) ([]float64, map[string][]float64) {
	t.Helper()
	in := gorgonia.NewTensor(s.g, tensor.Float64, 4, gorgonia.WithName("x"), gorgonia.WithShape(n, 1, side, side),
		gorgonia.WithValue(tensor.New(tensor.WithShape(n, 1, side, side), tensor.WithBacking(x))))
	y := s.apply(c, in)
	var out gorgonia.Value
	gorgonia.Read(y, &out)
	grads, err := gorgonia.Grad(gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.HadamardProd(y, y)))), s.leaves...)
	require.NoError(t, err)
	vm := gorgonia.NewTapeMachine(s.g)
	defer vm.Close()
	require.NoError(t, vm.RunAll())
	all := make(map[string][]float64)
	for i, node := range grads {
		d := s.reduce[i](node.Value().Data().([]float64))
		for j := range d {
			d[j] /= float64(n)
		}
		all[s.names[i]] = d
	}
	return out.Data().([]float64), all
}

// TestAgainstGorgonia compares the whole network on the fast kernels, in float32,
// and on the portable ones, in float64, with gorgonia's own ops.
//
// Where a unit is within rounding of zero, the two precisions may disagree on
// the ReLU's derivative, which moves the gradients below it by some 1e-3. With
// about half a million units that happens in some batches, so in float32 each
// parameter has to agree in one batch of several; a wrong kernel would fail in all.
func TestAgainstGorgonia(t *testing.T) {
	const n, side = 8, 28
	c := MNISTAddition(1, 0).WithDefaults()
	precise, fast := newNet[float64](t, c, side), newNet[float32](t, c, side)
	for i, p := range precise.Params().All() {
		for j, v := range p.Value {
			fast.Params().All()[i].Value[j] = float32(v)
			p.Value[j] = float64(float32(v))
		}
	}
	best, far := make(map[string]float64), 66
	for seed := uint64(0); seed < 3 && far > 0; seed++ {
		s := &stockNet{g: gorgonia.NewGraph(), w: make(map[string]nn.Tensor[float64])}
		for _, p := range precise.Params().Export() {
			s.w[p.Name] = p
		}
		x64, x32 := seededPixels[float64](n, side, seed), seededPixels[float32](n, side, seed)
		for i, v := range x32 {
			x64[i] = float64(v)
		}
		want, grads := s.run(t, c, x64, n, side)
		y64, grads64 := gradients(t, precise, x64, n, make([]float64, n*10))
		y32, grads32 := gradients(t, fast, x32, n, make([]float32, n*10))
		if d, f := distance(y64, want), distance(y32, want); d > 1e-10 || f > 1e-5 {
			t.Errorf("output differs by %.2g, in float32 by %.2g", d, f)
		}
		if len(grads) != 66 || len(grads64) != 66 {
			t.Fatalf("%d gradients of ours, %d of gorgonia's, want 66", len(grads64), len(grads))
		}
		far = 0
		for name, g := range grads {
			if d := distance(grads64[name], g); !(d < 1e-8) {
				t.Errorf("gradient of %s differs by %.2g", name, d)
			}
			d := distance(grads32[name], g)
			if old, ok := best[name]; !ok || d < old {
				best[name] = d
			}
			if !(best[name] < 1e-4) {
				far++
			}
		}
	}
	for name, d := range best {
		if !(d < 1e-4) {
			t.Errorf("float32 gradient of %s differs by %.2g", name, d)
		}
	}
}
