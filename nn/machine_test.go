package nn

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
)

// TestGraphIsCollected: nothing global holds a training graph that has run, so a
// process can train one model after the other.
func TestGraphIsCollected(t *testing.T) {
	graph := func() weak.Pointer[Graph[float32]] {
		net, err := New([]int{3}, func(b *Builder[float32], x *gorgonia.Node) *gorgonia.Node {
			return b.Linear("layer", x, 2)
		}, rand.New(rand.NewPCG(1, 1)))
		require.NoError(t, err)
		g, err := net.Graph(2, true)
		require.NoError(t, err)
		// As the losses of models do, this one leads back to the graph.
		loss := g.Builder().Function("loss", g.Output, func(x, dx []float32) (float64, error) {
			clear(dx)
			return float64(g.b.state.Step), nil
		})
		_, err = g.Compile(loss)
		require.NoError(t, err)
		g.alone = false // as in a graph with functions of other packages
		for range 2 {
			require.NoError(t, g.Run(make([]float32, 6)))
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
