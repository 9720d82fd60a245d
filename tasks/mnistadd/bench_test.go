package mnistadd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/data/mnist"
	"hinge/tasks/mnistadd/chain"
	"hinge/tasks/mnistadd/deepproblog"
	"hinge/train/learning"
)

// BenchmarkLatent is the symbolic half of a step of the Energy loss: the latent
// problem of every addition of a batch, for each of 32 Gumbel draws at
// temperature 1.
func BenchmarkLatent(b *testing.B) {
	for _, c := range []struct {
		digits, additions int
		condition         bool
	}{{1, 30, false}, {1, 30, true}, {2, 15, false}, {2, 15, true}} {
		digits, additions := c.digits, c.additions
		name := "whole"
		if c.condition {
			name = "conditioned"
		}
		b.Run(fmt.Sprintf("add%d/%s", digits, name), func(b *testing.B) {
			sym, err := NewSymbolic(digits, "")
			require.NoError(b, err)
			slots := 32 * additions
			f, err := bilevel.New(sym.Template, slots, bilevel.Options{Draws: 32, Condition: c.condition})
			require.NoError(b, err)
			rng := rand.New(rand.NewPCG(1, 1))
			for a := range additions {
				sum := mnist.NewSum(rng.IntN(largest(digits)+1), digits)
				for k := range 32 {
					require.NoError(b, sym.FixLabels(f.Instance(k*additions+a), sum))
				}
			}
			g := softDigits(rng, slots*2*digits)
			w := startWeights(sym)
			for b.Loop() {
				require.NoError(b, f.Solve(w, g))
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*slots), "µs/solve")
		})
	}
}

// BenchmarkNeighbours is ten programs of each of 15 additions of two-digit numbers given their
// sums: the images have classes, and each of the ten programs has another one for one image.
func BenchmarkNeighbours(b *testing.B) {
	const additions, classes = 15, 10
	sym, err := NewSymbolic(2, "")
	require.NoError(b, err)
	f, err := bilevel.New(sym.Template, classes*additions, bilevel.Options{Draws: classes, Condition: true})
	require.NoError(b, err)
	rng := rand.New(rand.NewPCG(1, 1))
	g := make([]float64, classes*additions*sym.Template.Deep)
	for a := range additions {
		sum := mnist.NewSum(rng.IntN(largest(2)+1), 2)
		for k := range classes {
			require.NoError(b, sym.FixLabels(f.Instance(k*additions+a), sum))
		}
		image, digits := rng.IntN(4), [4]int{rng.IntN(10), rng.IntN(10), rng.IntN(10), rng.IntN(10)}
		for k := range classes {
			digits[image] = k
			for i, d := range digits {
				g[(k*additions+a)*sym.Template.Deep+classes*i+d] = 1
			}
		}
	}
	w := startWeights(sym)
	for b.Loop() {
		require.NoError(b, f.Solve(w, g))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e3/float64(b.N*additions), "µs/ten")
}

// BenchmarkEpoch is the symbolic half of learning from longer and longer numbers: the
// free energy of chains, with its gradients, and of DeepProbLog's, for 60
// images. s/epoch is for all 60,000.
func BenchmarkEpoch(b *testing.B) {
	for _, digits := range []int{1, 2, 4, 8, 15} {
		additions := max(1, 30/digits)
		images := 2 * digits * additions
		rng := rand.New(rand.NewPCG(1, uint64(digits)))
		sums := make([][]int, additions)
		for i := range sums {
			sums[i] = mnist.NewSum(2*rng.IntN(int(math.Pow10(digits))), digits)
		}
		b.Run(fmt.Sprintf("chain/N=%d", digits), func(b *testing.B) {
			sym, err := NewSymbolic(digits, "")
			require.NoError(b, err)
			whole, err := chain.Columns(sym.addition(), func(i int) []int { return sums[i] })
			require.NoError(b, err)
			c, err := windows{digits, digits}.chain(whole, sym.Template.Rules, additions, 0.05)
			require.NoError(b, err)
			batch := make([]int, additions)
			for i := range batch {
				batch[i] = i
			}
			w, g := startWeights(sym), softDigits(rng, images)
			for b.Loop() {
				require.NoError(b, c.Load(batch))
				require.NoError(b, c.Evaluate(w, g))
			}
			reportEpoch(b, images)
		})
		b.Run(fmt.Sprintf("deepproblog/N=%d", digits), func(b *testing.B) {
			loss, err := deepproblog.New(digits)
			require.NoError(b, err)
			g := softDigits(rng, images)
			for i, p := range g {
				g[i] = math.Log(p)
			}
			grad := make([]float64, len(g))
			for b.Loop() {
				_, err := loss.Value(g, grad, sums)
				require.NoError(b, err)
			}
			reportEpoch(b, images)
		})
	}
}

// reportEpoch reports the seconds that 60,000 images take, of which an iteration had
// so many.
func reportEpoch(b *testing.B, images int) {
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*60000/float64(images), "s/epoch")
}

// softDigits draws the outputs of a half-trained network for n images: Gumbel
// samples of logits that favour one digit.
func softDigits(rng *rand.Rand, n int) []float64 {
	g := make([]float64, 10*n)
	for i := range n {
		row, hot, total := g[10*i:10*i+10], rng.IntN(10), 0.0
		for x := range row {
			logit := 0.0
			if x == hot {
				logit = 3
			}
			row[x] = math.Exp(logit) / rng.ExpFloat64() // Gumbel noise on the logit
			total += row[x]
		}
		for x := range row {
			row[x] /= total
		}
	}
	return g
}

// BenchmarkAnswers is one addition of two-digit numbers of one's own, with the views of
// a test.
func BenchmarkAnswers(b *testing.B) {
	c := Defaults(2, "energy", "best", 150)
	c.Task = "mnist-add2"
	model, err := Open(c, 2, "")
	require.NoError(b, err)
	a, err := model.(learning.Answerer).Answers()
	require.NoError(b, err)
	examples := examplesOf(model.(*Model).reader, 1)
	for b.Loop() {
		_, err := a.Answer(examples)
		require.NoError(b, err)
	}
}
