package nn

import "gorgonia.org/gorgonia"

// skipLink connects the two branches that leave a residual block's input x.
//
// Gorgonia adds the gradients of a value with two consumers by a stock Add
// that allocates its result anew in every step. A skip connection avoids it:
// the second branch reads x through an op that gorgonia does not differentiate
// through, and the first branch's convolution takes the gradient that arrived
// there as one more input of its backward pass.
type skipLink struct {
	grad *gorgonia.Node // set while differentiating
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
	out := b.apply(skip, x.Shape(), x, main)
	b.needs[out] = true
	return b.same(out, x)
}
