package nn

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gorgonia.org/gorgonia"
)

// Definition describes a network: it calls the Builder's layers on x, the
// examples [N][example...], and returns the output, whose last axis but one is
// N (N×C, K×N×C or H×W×N×C). It is run once for every graph, so it must declare
// the same parameters each time; b.Training and b.Batch may steer the rest. In evaluation an
// example's outputs depend on no other example of its batch, unless NewWhole makes the network.
type Definition[T Float] func(b *Builder[T], x *gorgonia.Node) *gorgonia.Node

// Net is a network: one definition, one parameter set, and graphs for training
// and evaluation at any batch size over the same storage.
//
// A Net and its graphs belong to one goroutine at a time; each layer uses up to
// GOMAXPROCS threads by itself.
type Net[T Float] struct {
	define  Definition[T]
	example []int
	params  Params[T]
	state   *State
	rng     *rand.Rand
	eval    map[int]*Graph[T]
	whole   bool    // all examples are one batch: see NewWhole
	held    *Net[T] // that answers in place of this one: see Hold
}

// chunk is the largest batch Forward runs at once.
const chunk = 128

// New makes the network and initialises its parameters from rng by running the
// definition once in training mode. example is the shape of one example: {28,
// 28} for the pixels of an MNIST image. The state starts with temperature 1.
func New[T Float](example []int, define Definition[T], rng *rand.Rand) (*Net[T], error) {
	n, coupled, err := newNet(example, 2, false, define, rng) // batch normalisation needs two examples
	if err == nil && coupled != "" {
		return nil, errors.New(coupled)
	}
	return n, err
}

// NewWhole is New for a definition that fits one batch size only, such as one
// whose layers couple all nodes of a graph: Forward takes all examples as one batch, without
// padding.
func NewWhole[T Float](example []int, batch int, define Definition[T], rng *rand.Rand) (*Net[T], error) {
	n, _, err := newNet(example, batch, true, define, rng)
	return n, err
}

func newNet[T Float](example []int, batch int, whole bool, define Definition[T], rng *rand.Rand) (*Net[T], string, error) {
	if len(example) == 0 || slices.Min(example) < 1 {
		return nil, "", fmt.Errorf("nn: example shape %v", example)
	}
	n := &Net[T]{define: define, example: slices.Clone(example), rng: rng, state: &State{Temperature: 1}, eval: make(map[int]*Graph[T]), whole: whole}
	g, err := n.Graph(batch, true)
	if err != nil {
		return nil, "", err
	}
	n.rng = nil
	return n, g.b.coupled, nil
}

// Params returns the parameters and buffers, shared by all graphs.
func (n *Net[T]) Params() *Params[T] { return &n.params }

// Example is the shape of one example.
func (n *Net[T]) Example() []int { return slices.Clone(n.example) }

// State returns the step, seed and temperature, to be changed between runs.
func (n *Net[T]) State() *State { return n.state }

// Forward evaluates count examples, x [count][example...], in evaluation mode
// and returns the output with the batch axis count long. It works in chunks
// through graphs it keeps; short chunks are padded with zeros, which changes no
// other example's output. A network that NewWhole made takes all examples at once. An output that
// is not a number is a DivergedError, with which the outputs are returned.
func (n *Net[T]) Forward(x []T, count int) ([]T, error) {
	if n.held != nil {
		return n.held.Forward(x, count)
	}
	in := size(n.example)
	if count < 0 || len(x) != count*in {
		return nil, fmt.Errorf("nn: %d input numbers for %d examples of shape %v", len(x), count, n.example)
	}
	defer func() { n.state.chunk = 0 }()
	var out []T
	var fault *DivergedError
	most := chunk
	if n.whole {
		most = max(count, 1)
	}
	for lo := 0; lo < count; lo += most {
		m := min(most, count-lo)
		g, err := n.evalGraph(m)
		if err != nil {
			return nil, err
		}
		n.state.chunk = uint64(lo/most) + 1
		buf := x[lo*in : (lo+m)*in]
		if m < g.b.Batch {
			buf = append(slices.Clone(buf), make([]T, (g.b.Batch-m)*in)...)
		}
		if err := g.ask(buf); err != nil {
			return nil, err
		}
		if fault == nil {
			if fault = diverged(g.Result(), buf, g.Output, m); fault != nil {
				fault.Example += lo
			}
		}
		outer, inner := batchAxis(g.Output)
		if out == nil {
			out = make([]T, outer*count*inner)
		}
		for k := range outer {
			copy(out[(k*count+lo)*inner:], g.Result()[k*g.b.Batch*inner:][:m*inner])
		}
	}
	if fault != nil {
		return out, fault
	}
	return out, nil
}

// evalGraph returns the smallest evaluation graph for at least m examples, of a
// batch size that is a power of two; for exactly m where all examples are one batch.
func (n *Net[T]) evalGraph(m int) (*Graph[T], error) {
	batch := min(chunk, 1<<bits.Len(uint(m-1)))
	if n.whole {
		batch = m
	}
	if g := n.eval[batch]; g != nil {
		return g, nil
	}
	g, err := n.Graph(batch, false)
	if err == nil {
		_, err = g.Compile(nil)
	}
	if err != nil {
		return nil, err
	}
	n.eval[batch] = g
	return g, nil
}
