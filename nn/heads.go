package nn

import (
	"fmt"

	"gorgonia.org/gorgonia"
)

// Head is a part of a network's logits, From ≤ k < To of an example: the classes of one
// softmax, or outputs that are each a sigmoid.
type Head struct {
	From, To int
	Sigmoid  bool
}

// Heads is Beliefs for logits N×C of several heads, one behind the other: softmaxes, or
// sigmoids, which are softmaxes of a logit and 0, also where they are drawn. The output is
// N×C, in training with K draws K×N×C. see, which may be nil, is shown the logits of every
// graph.
func Heads[T Float](logits Definition[T], heads []Head, s Sampling, see func(logits *gorgonia.Node)) Definition[T] {
	return func(b *Builder[T], x *gorgonia.Node) *gorgonia.Node {
		z := logits(b, x)
		if b.err != nil {
			return nil
		}
		if see != nil {
			see(z)
		}
		width := heads[len(heads)-1].To
		if len(heads) == 1 && !heads[0].Sigmoid {
			return b.beliefs("output", z, s)
		}
		var parts []*gorgonia.Node
		draws := 1
		// place is the element of the parts, one after the other, that an output is: of
		// draw k and example n.
		place := make([]func(k, n int) int, width)
		from := 0
		for i, h := range heads {
			classes := h.To - h.From
			rows, columns, step := b.Batch, classes, 1
			if h.Sigmoid {
				rows, columns, step = b.Batch*classes, 2, 2
			}
			var index []int
			for n := range b.Batch {
				for c := h.From; c < h.To; c++ {
					index = append(index, n*width+c)
					if h.Sigmoid {
						index = append(index, -1)
					}
				}
			}
			name := fmt.Sprint("output", i)
			part := b.beliefs(name, b.Reshape(name, b.Gather(name, index, z), rows, columns), s)
			if b.err != nil {
				return nil
			}
			parts = append(parts, part)
			draws = part.Shape().TotalSize() / (rows * columns)
			at := from
			for c := range classes {
				place[h.From+c] = func(k, n int) int { return at + k*rows*columns + (n*classes+c)*step }
			}
			from += part.Shape().TotalSize()
		}
		index := make([]int, 0, draws*b.Batch*width)
		for k := range draws {
			for n := range b.Batch {
				for _, of := range place {
					index = append(index, of(k, n))
				}
			}
		}
		shape := []int{b.Batch, width}
		if len(parts[0].Shape()) == 3 {
			shape = append([]int{draws}, shape...)
		}
		return b.Reshape("output", b.Gather("output", index, parts...), shape...)
	}
}
