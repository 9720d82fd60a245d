package nn

import (
	"slices"

	"gorgonia.org/gorgonia"
)

// skipLink connects the two branches that leave a residual block's input x.
//
// Gorgonia adds the gradients of a value with two consumers by a stock Add
// that allocates its result anew in every step. A skip connection avoids it:
// the second branch reads x through an op that gorgonia does not differentiate
// through, and the first branch's convolution takes the gradient that arrived
// there as one more input of its backward pass.
type skipLink struct {
	grad *gorgonia.Node // set while differentiating
	open func()         // makes gorgonia add the gradients after all
}

// Skip returns x again, for the shortcut branch of a residual block. main must
// be the output of the Conv that consumes x on the other branch; its backward
// pass adds the shortcut's gradient to its own. The result must be consumed by
// exactly one layer of this package.
func (b *Builder[T]) Skip(name string, x, main *gorgonia.Node) *gorgonia.Node {
	if b.failed(name, x, main) || !b.needsGrad(x) {
		return x
	}
	conv, ok := main.Op().(*op[T])
	if !ok || !b.joins[conv] || conv.in[0] != x {
		return b.Fail(name, "the main branch of a skip connection must be one Conv of the same value without another skip")
	}
	delete(b.joins, conv)
	link := new(skipLink)
	conv.join = link
	// main is an input for its place in the order alone: gorgonia then
	// differentiates the shortcut before the convolution.
	skip := &op[T]{name: name, wrt: []bool{false, false}, from: link}
	skip.diff = func(dy *gorgonia.Node) gorgonia.Nodes { return gorgonia.Nodes{dy, nil} }
	link.open = func() { skip.wrt[0], conv.join = true, nil }
	out := b.apply(skip, x.Shape(), x, main)
	b.needs[out] = true
	return b.same(out, x)
}

// open opens the skip connection that is the only input o is differentiated by, as where the
// layers of a shortcut are frozen: gorgonia would not differentiate o.
func (b *Builder[T]) open(o *op[T]) {
	if i := slices.Index(o.wrt, true); i >= 0 && !slices.Contains(o.wrt[i+1:], true) {
		if s, ok := o.in[i].Op().(*op[T]); ok && s.from != nil {
			s.from.open()
		}
	}
}
