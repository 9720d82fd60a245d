package nn

import "hinge/nn/kernel"

// Hold has Forward, and evaluation graphs that are made from now on, answer by the parameters and
// buffers as they are now, whatever is written to them afterwards, until Release or another Hold;
// graphs stay with the weights that they were made with. It is for programs that ask a network
// again and again without learning: what the layers compute of the weights alone is then kept
// from call to call. Outputs have the same bits. A held network has its weights up to three times
// in memory.
func (n *Net[T]) Hold() {
	held := &Net[T]{define: n.define, example: n.example, state: n.state, eval: make(map[int]*Graph[T]), whole: n.whole}
	for _, p := range n.params.list {
		q := held.params.add(&Param[T]{Name: p.Name, Shape: p.Shape, Buffer: p.Buffer, layout: p.layout, kept: new(kernel.Kept[T])})
		copy(q.Value, p.Value)
	}
	n.held = held
}

// Release has Forward answer by the parameters as they are at each call, as before Hold.
func (n *Net[T]) Release() { n.held = nil }
