package nn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// BatchNorm describes batch normalisation over all axes but the last, fused
// with what follows it in a residual network.
type BatchNorm struct {
	// ReLU takes the positive part of the result.
	ReLU bool
	// Residual, if not nil, is added before the ReLU. It has the shape of x.
	Residual *gorgonia.Node
	// Momentum is the weight of the new batch in the running statistics, above 0 and
	// up to 1; 0 means 0.1.
	Momentum float64
	// Epsilon is added to the variance, above 0; 0 means 1e-5.
	Epsilon float64
}

// BatchNorm computes
//
//	y = act(γ·(x - m)/√(v + ε) + β + residual)
//
// per channel, the last axis of x (Ioffe and Szegedy, 2015). In training, m and
// v are the mean and the biased variance of the batch, or with State.Sync those of
// all parts of a batch, and the run updates the
// running mean and the running unbiased variance; in evaluation, m and v are
// these running statistics, the layer cannot be differentiated, and if x is a
// convolution the two are computed as one. Training with frozen running statistics
// (see Params.Freeze) takes them too, and leaves them.
//
// Parameters: name.weight (γ, ones) and name.bias (β, zeros); buffers:
// name.running_mean (zeros) and name.running_var (ones). The buffers belong to
// the network, so training and evaluation graphs share them.
func (b *Builder[T]) BatchNorm(name string, x *gorgonia.Node, c BatchNorm) *gorgonia.Node {
	rows, channels := b.rows(name, x)
	if b.err != nil {
		return nil
	}
	c.Momentum, c.Epsilon = cmp.Or(c.Momentum, 0.1), cmp.Or(c.Epsilon, 1e-5)
	if !(c.Momentum > 0 && c.Momentum <= 1 && c.Epsilon > 0) {
		return b.Fail(name, "momentum %v and ε %v, want a momentum up to 1 and both above 0", c.Momentum, c.Epsilon)
	}
	shape := x.Shape()
	if c.Residual != nil && !c.Residual.Shape().Eq(shape) {
		return b.Fail(name, "the residual has shape %v, x has %v", c.Residual.Shape(), shape)
	}
	n := &norm[T]{b: b, name: name, cfg: c, x: x, rows: rows, channels: channels}
	vector := func(suffix string, buffer bool) Param[T] {
		return Param[T]{Name: name + suffix, Shape: []int{channels}, Buffer: buffer}
	}
	pw, gamma := b.param(vector(".weight", false), constant[T](1))
	pb, beta := b.param(vector(".bias", false), constant[T](0))
	n.runMean = b.declare(vector(".running_mean", true), constant[T](0))
	n.runVar = b.declare(vector(".running_var", true), constant[T](1))
	if b.err != nil {
		return nil
	}
	n.gamma, n.pw, n.pb = gamma, pw, pb
	n.mean, n.variance, n.invstd = make([]T, channels), make([]T, channels), make([]T, channels)
	n.sums = make([]float64, 2*channels)
	n.frozen = n.runMean.Frozen || n.runVar.Frozen
	if b.Training && rows < 2 && !n.frozen {
		return b.Fail(name, "batch normalisation in training wants more than one value per channel, not shape %v", shape)
	}

	in := []*gorgonia.Node{x, gamma, beta}
	if c.Residual != nil {
		in = append(in, c.Residual)
	}
	n.op = &op[T]{name: "norm " + name, wrt: slices.Repeat([]bool{true}, len(in)), run: n.evaluate}
	if b.Training {
		n.op.run, n.op.diff = n.train, n.backward
		if n.frozen {
			n.op.run = n.keep
		}
	} else if conv, ok := x.Op().(*op[T]); ok && conv.conv != nil {
		b.folded = append(b.folded, x)
		n.conv, n.op.run = conv.conv, n.evaluateFolded
		in = append(slices.Clone(conv.in), in[1:]...)
		n.op.wrt = make([]bool, len(in))
	}
	n.y = b.apply(n.op, shape, in...)
	from := []*gorgonia.Node{x}
	if c.Residual != nil {
		from = append(from, c.Residual)
	}
	return b.layer("BatchNorm", name, n.y, c, []*Param[T]{pw, pb, n.runMean, n.runVar}, from...)
}

// norm is the state of one batch normalisation in one graph.
type norm[T Float] struct {
	b              *Builder[T]
	name           string
	cfg            BatchNorm
	op             *op[T]
	x, gamma, y    *gorgonia.Node
	rows, channels int
	conv           *kernel.Conv[T] // computed together with it, in evaluation

	pw, pb                 *Param[T] // γ, β
	runMean, runVar        *Param[T]
	mean, variance, invstd []T // of the last batch; scratch in evaluation

	sums   []float64 // scratch: its moments, then the sums of the backward pass
	folded bool      // mean and variance hold the factors and summands of a held network
	frozen bool      // the running statistics are in place of the batch's
}

// residual returns the optional last input, behind n others.
func residual[T Float](in [][]T, n int) []T {
	if len(in) == n {
		return nil
	}
	return in[n]
}

func (n *norm[T]) train(in [][]T, y []T) error {
	kernel.BatchNormMoments(in[0], n.sums, n.rows, n.channels)
	rows, err := n.b.state.syncMoments(n.name, n.sums, n.rows)
	if err != nil {
		return err
	}
	kernel.BatchNormApply(in[0], in[1], in[2], residual(in, 3), y, n.sums, n.mean, n.variance, n.invstd,
		n.cfg.ReLU, T(n.cfg.Epsilon), n.rows, n.channels)
	m := T(n.cfg.Momentum)
	unbias := T(float64(rows) / float64(rows-1))
	for j := range n.channels {
		if math.IsInf(float64(n.variance[j]), 1) {
			return fmt.Errorf("%s: the variance of channel %d is beyond the numbers that the network computes with; scale its inputs", n.name, j)
		}
		n.runMean.Value[j] += m * (n.mean[j] - n.runMean.Value[j])
		n.runVar.Value[j] += m * (unbias*n.variance[j] - n.runVar.Value[j])
	}
	return nil
}

// keep is train with the running statistics as the moments.
func (n *norm[T]) keep(in [][]T, y []T) error {
	for j := range n.channels {
		n.sums[j], n.sums[n.channels+j] = float64(n.runMean.Value[j]), float64(n.runVar.Value[j])
	}
	kernel.BatchNormApply(in[0], in[1], in[2], residual(in, 3), y, n.sums, n.mean, n.variance, n.invstd,
		n.cfg.ReLU, T(n.cfg.Epsilon), n.rows, n.channels)
	return nil
}

// fold returns the factors and summands that evaluation applies, in a held network those of
// the first run.
func (n *norm[T]) fold(gamma, beta []T) (scale, shift []T) {
	if scale, shift = n.mean, n.variance; n.folded {
		return scale, shift
	}
	kernel.FoldBatchNorm(gamma, beta, n.runMean.Value, n.runVar.Value, T(n.cfg.Epsilon), scale, shift)
	n.folded = n.pw.kept != nil
	return scale, shift
}

func (n *norm[T]) evaluate(in [][]T, y []T) error {
	scale, shift := n.fold(in[1], in[2])
	kernel.ScaleShift(in[0], scale, shift, residual(in, 3), y, n.cfg.ReLU, n.rows, n.channels)
	return nil
}

// evaluateFolded is evaluate on the convolution of in[0] by the weights in[1].
func (n *norm[T]) evaluateFolded(in [][]T, y []T) error {
	scale, shift := n.fold(in[2], in[3])
	n.conv.ForwardFolded(in[0], in[1], scale, shift, residual(in, 4), y, n.cfg.ReLU)
	return nil
}

// backward computes all gradients in one op, from which the nodes of each are picked.
func (n *norm[T]) backward(dy *gorgonia.Node) gorgonia.Nodes {
	dgamma, dbeta := n.pw.grad(), n.pb.grad()
	var dres *op[T] // its buffer takes the gradient of the residual
	dx := n.b.gradientOp(&op[T]{name: "dx " + n.op.name, run: func(in [][]T, dx []T) error {
		var dz []T
		if dres != nil {
			dz = dres.buffer()
		}
		kernel.BatchNormSums(in[0], in[1], in[2], n.mean, n.cfg.ReLU, n.sums, n.rows, n.channels)
		for j := range n.channels { // of this part alone, as all gradients of parameters are
			dbeta[j], dgamma[j] = T(n.sums[j]), T(n.sums[n.channels+j]*float64(n.invstd[j]))
		}
		rows, err := n.rows, error(nil)
		if n.frozen {
			clear(n.sums) // the moments do not depend on x
		} else if rows, err = n.b.state.syncSums(n.name, n.sums, n.rows); err != nil {
			return err
		}
		kernel.BatchNormBack(in[0], in[1], in[2], in[3], n.mean, n.invstd, n.cfg.ReLU, n.sums, dx, dz, rows, n.rows, n.channels)
		return nil
	}}, n.x.Shape(), dy, n.x, n.y, n.gamma)

	grads := make(gorgonia.Nodes, len(n.op.wrt))
	vector := []int{n.channels}
	if n.op.wrt[0] {
		grads[0] = dx
	}
	if n.op.wrt[1] {
		grads[1] = n.b.pick("dgamma "+n.name, dgamma, vector, dx)
	}
	if n.op.wrt[2] {
		grads[2] = n.b.pick("dbeta "+n.name, dbeta, vector, dx)
	}
	if len(grads) == 4 && n.op.wrt[3] {
		grads[3] = n.b.pick("dres "+n.name, nil, n.x.Shape(), dx)
		dres = grads[3].Op().(*op[T])
	}
	return grads
}
