package mnistadd

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/bilevel"
	"hinge/data/mnist"
	"hinge/nn"
	"hinge/symbolic/lcqp"
	"hinge/tasks/mnistadd/deepproblog"
)

// TestKBestIsTheLikelihoodOfSums: with all states at temperature 1 the loss k-best, whose states
// are those that the rules allow beside a sum, has the value and the gradient of DeepProbLog's
// likelihood, which a circuit of the addition gives. So the two systems learn from the same signal.
func TestKBestIsTheLikelihoodOfSums(t *testing.T) {
	for digits, sums := range map[int][]int{1: {0, 1, 5, 9, 10, 17, 18}, 2: {0, 7, 99, 100, 101, 150, 198}} {
		for _, spread := range []float64{0.5, 3} {
			t.Run(fmt.Sprintf("%d digits, logits of %v", digits, spread), func(t *testing.T) {
				n := 2 * digits * mnist.Classes
				rng := rand.New(rand.NewPCG(uint64(digits), 3))
				logits, p, want := make([]float64, n*len(sums)), make([]float64, n*len(sums)), make([]float64, n*len(sums))
				for i := range logits {
					logits[i] = spread * rng.NormFloat64()
				}
				nn.Softmax(p, logits, mnist.Classes)
				places := make([][]int, len(sums))
				for a, sum := range sums {
					places[a] = mnist.NewSum(sum, digits)
				}
				likelihood, err := deepproblog.New(digits)
				require.NoError(t, err)
				value, err := likelihood.Value(logits, want, places)
				require.NoError(t, err)

				loss, dp := kBestOf(t, digits, places, p)
				require.InDelta(t, value, loss, 1e-12*value)
				got := make([]float64, len(p)) // by the logits
				for row := 0; row < len(p); row += mnist.Classes {
					mean := 0.0
					for c := range mnist.Classes {
						mean += p[row+c] * dp[row+c]
					}
					for c := range mnist.Classes {
						got[row+c] = p[row+c] * (dp[row+c] - mean)
					}
				}
				require.InDeltaSlice(t, want, got, 1e-12)
			})
		}
	}
}

// kBestOf returns the loss k-best at beliefs in digits, and its gradient.
func kBestOf(t *testing.T, digits int, sums [][]int, p []float64) (float64, []float64) {
	t.Helper()
	sym, err := NewSymbolic(digits, "")
	require.NoError(t, err)
	rows := make([]int, 2*digits)
	batch := make([]int, len(sums))
	for i := range rows {
		rows[i] = mnist.Classes
	}
	for i := range batch {
		batch[i] = i
	}
	o, err := bilevel.NewObjective(bilevel.Problem{
		Template: sym.Template, Samples: len(sums), Rows: func(int) []int { return rows },
		Label: func(addition int, in *lcqp.Instance) error { return sym.FixLabels(in, sums[addition]) },
	}, bilevel.Settings{Loss: bilevel.LossKBest})
	require.NoError(t, err)
	require.NoError(t, o.Load(batch))
	graph := gorgonia.NewGraph()
	w, g := bound(graph, "w", startWeights(sym)), bound(graph, "g", p)
	loss, err := o.Loss(w, g)
	require.NoError(t, err)
	grads, err := gorgonia.Grad(loss, g)
	require.NoError(t, err)
	machine := gorgonia.NewTapeMachine(graph)
	defer machine.Close()
	require.NoError(t, machine.RunAll())
	return loss.Value().Data().(float64), grads[0].Value().Data().([]float64)
}
