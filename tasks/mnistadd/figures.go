package mnistadd

import (
	"context"
	"fmt"
	pixels "image"
	"slices"

	"hinge/data/mnist"
	"hinge/nn"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// tested is the last test.
type tested struct {
	adds    *mnist.Additions
	outputs []float32 // [images][10], where images are read one by one
	answers []mnist.Sum
}

// describe shows an addition: its images, and the digits that the network alone reads
// in them, given its outputs.
func (r *reader) describe(part learning.Part, addition int, g []float32, answer mnist.Sum) (learning.Case, error) {
	adds := r.of(part)
	c := learning.Case{Name: fmt.Sprintf("addition %d", addition), Answer: fmt.Sprint(answer), Truth: fmt.Sprint(adds.Sums[addition])}
	for k, i := range adds.Row(addition) {
		picture, err := learning.Mosaic([]pixels.Image{r.part.Picture(int(i))}, 1, nil)
		if err != nil {
			return c, err
		}
		c.Pictures = append(c.Pictures, picture)
		if k == adds.Digits {
			c.Read += " + "
		}
		c.Read += fmt.Sprint(nn.Argmax(g[k*mnist.Classes:][:mnist.Classes]))
	}
	return c, nil
}

// Describe implements neupsl.Describer: it shows the values of the answered sum and of the true sum,
// where each sum has an atom.
func (a additions) Describe(part learning.Part, addition int, g []float32, y []float64) (learning.Case, []int, error) {
	answer := a.sym.Answer(y)
	c, err := a.describe(part, addition, g, answer)
	if a.sym.sums == nil {
		return c, nil, err
	}
	truth := a.of(part).Sums[addition]
	for _, sum := range []mnist.Sum{answer, truth} {
		at := a.sym.sums[sum.Int()]
		c.Values = append(c.Values, mapstate.AtomValue{Atom: a.sym.Template.Program().Targets[at], Value: y[at]})
		if slices.Equal(answer, truth) {
			break
		}
	}
	return c, nil, err
}

// Value implements neupsl.Describer: the value of the sum's atom, or the least value of its places.
func (a additions) Value(y []float64) float64 {
	if a.sym.sums != nil {
		return y[a.sym.sums[greatest(y, a.sym.sums)]]
	}
	least := 1.0
	for _, place := range a.sym.places {
		least = min(least, y[place[greatest(y, place)]])
	}
	return least
}

// Report implements learning.Reporter: there are no further figures.
func (m *Baseline) Report(context.Context) (map[string]float64, error) { return nil, nil }

// Show implements learning.Reporter, for systems that read digits.
func (m *Baseline) Show() (*learning.Shown, error) {
	shown := m.rows.Show()
	if shown == nil {
		return nil, nil
	}
	s, last, images := *shown, &m.last, 2*m.split.Digits
	right := make([]bool, last.adds.Len())
	for a, answer := range last.answers {
		right[a] = slices.Equal(answer, last.adds.Sums[a])
	}
	belief := learning.Beliefs(m.Class, learning.TestPart, images, len(right), last.outputs)
	return &s, s.Worst(right, belief, func(a int) (learning.Case, error) {
		c, err := m.describe(learning.TestPart, a, last.outputs[a*images*mnist.Classes:], last.answers[a])
		c.Belief = &belief[a]
		return c, err
	})
}

var _ learning.Reporter = (*Baseline)(nil)
