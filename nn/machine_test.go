package nn

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
	"weak"

	"gorgonia.org/gorgonia"
)

// TestGraphIsCollected: nothing global holds a training graph that has run, so a
// process can train one model after the other.
func TestGraphIsCollected(t *testing.T) {
	graph := func() weak.Pointer[Graph[float32]] {
		net, err := New([]int{3}, func(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.Linear("layer", x, 2)
		}, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		g, err := net.Graph(2, true)
		if err != nil {
			t.Fatal(err)
		}
		// A function of gorgonia's own, which keeps the machine in use.
		loss, err := gorgonia.Mean(gorgonia.Must(gorgonia.Square(g.Output)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Compile(loss); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := g.Run(make([]float32, 6)); err != nil {
				t.Fatal(err)
			}
		}
		return weak.Make(g)
	}()
	for range 50 {
		runtime.GC()
		if graph.Value() == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the graph of a network that nobody uses any more stays in memory")
}
