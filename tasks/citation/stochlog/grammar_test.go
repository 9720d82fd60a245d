package stochlog_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"

	"hinge/tasks/citation/stochlog"
)

// random is a graph with n papers and about 1.5 links each, some without.
func random(rng *rand.Rand, n int) [][2]int32 {
	var links [][2]int32
	seen := map[[2]int32]bool{}
	for range 3 * n / 2 {
		l := [2]int32{int32(rng.IntN(n)), int32(rng.IntN(n))}
		if l[0] > l[1] {
			l[0], l[1] = l[1], l[0]
		}
		if l[0] != l[1] && !seen[l] {
			seen[l] = true
			links = append(links, l)
		}
	}
	return links
}

func probabilities(rng *rand.Rand, n, classes int) []float64 {
	p := make([]float64, n*classes)
	for i := range n {
		sum := 0.0
		for c := range classes {
			p[i*classes+c] = 0.05 + rng.Float64()
			sum += p[i*classes+c]
		}
		for c := range classes {
			p[i*classes+c] /= sum
		}
	}
	return p
}

// derive sums the probabilities of all derivations of doc(d, c, n), one by one.
func derive(links [][2]int32, p []float64, classes, d, c int, stop []float64) (sum float64, derivations int) {
	n := len(stop)
	if n == 0 {
		return p[d*classes+c], 1
	}
	var next []int
	for _, l := range links {
		if int(l[0]) == d {
			next = append(next, int(l[1]))
		}
		if int(l[1]) == d {
			next = append(next, int(l[0]))
		}
	}
	if len(next) == 0 {
		return p[d*classes+c], 1
	}
	sum, derivations = stop[n-1]*p[d*classes+c], 1
	for _, z := range next {
		q, k := derive(links, p, classes, z, c, stop[:n-1])
		sum += (1 - stop[n-1]) / float64(len(next)) * q
		derivations += k
	}
	return sum, derivations
}

// TestInfer: the dynamic program is the sum over all derivations, and a
// distribution.
func TestInfer(t *testing.T) {
	most := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n, classes, depth := 3+rng.IntN(8), 2+rng.IntN(3), rng.IntN(5)
		links, p := random(rng, n), probabilities(rng, n, classes)
		stop := make([]float64, depth)
		for i := range stop {
			stop[i] = rng.Float64()
		}
		g, err := stochlog.New(n, links, depth)
		require.NoError(t, err)
		got := g.Infer(p, classes, stop)
		for d := range n {
			total := 0.0
			for c := range classes {
				want, k := derive(links, p, classes, d, c, stop)
				most = max(most, k)
				require.InDeltaf(t, want, got[d*classes+c], 1e-12, "seed %d: P(%d | %d)", seed, c, d)
				total += want
			}
			assert.InDeltaf(t, 1, total, 1e-12, "seed %d: paper %d", seed, d)
		}
	}
	assert.GreaterOrEqual(t, most, 50, "the graphs are too small to show anything")
}

// TestGradient compares with central differences.
func TestGradient(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 2))
		const n, classes, depth = 8, 3, 3
		links, p := random(rng, n), probabilities(rng, n, classes)
		stop := []float64{0.3, 0.6, 0.45}
		labels, weights := make([]int, n), []float64{0: 1, 2: 2.5, 5: 1, 7: 0}
		for i := range labels {
			labels[i] = rng.IntN(classes)
		}
		g, err := stochlog.New(n, links, depth)
		require.NoError(t, err)
		dp, dstop := make([]float64, len(p)), make([]float64, depth)
		value := func(p, stop []float64) float64 {
			v, err := g.Gradient(p, make([]float64, len(p)), classes, stop, make([]float64, depth), weights, labels)
			require.NoError(t, err)
			return v
		}
		_, err = g.Gradient(p, dp, classes, stop, dstop, weights, labels)
		require.NoError(t, err)
		central := &fd.Settings{Formula: fd.Central}
		assert.InDeltaSlice(t, fd.Gradient(nil, func(p []float64) float64 { return value(p, stop) }, p, central), dp, 1e-7, "seed %d: by p", seed)
		assert.InDeltaSlice(t, fd.Gradient(nil, func(stop []float64) float64 { return value(p, stop) }, stop, central), dstop, 1e-7, "seed %d: by stop", seed)
		assert.Positive(t, floats.Norm(dp, 1), "seed %d: the gradient by p is zero", seed)
		assert.Positive(t, floats.Norm(dstop, 1), "seed %d: the gradient by stop is zero", seed)
	}
}

// TestDepthZero is the network alone.
func TestDepthZero(t *testing.T) {
	g, err := stochlog.New(2, [][2]int32{{0, 1}}, 0)
	require.NoError(t, err)
	p := []float64{0.2, 0.8, 0.7, 0.3}
	for i, v := range g.Infer(p, 2, nil) {
		assert.Equal(t, p[i], v, "P")
	}
	dp := make([]float64, 4)
	loss, err := g.Gradient(p, dp, 2, nil, nil, []float64{0, 1}, []int{0, 0})
	if err != nil || math.Abs(loss+math.Log(0.7)) > 1e-15 || dp[2] != -1/0.7 {
		t.Errorf("loss %v, gradient %v, %v", loss, dp, err)
	}
}

func TestErrors(t *testing.T) {
	for want, f := range map[string]func() error{
		"0 papers":              func() error { _, err := stochlog.New(0, nil, 1); return err },
		"derivations of -1":     func() error { _, err := stochlog.New(3, nil, -1); return err },
		"link 0 joins 1 and 3":  func() error { _, err := stochlog.New(3, [][2]int32{{1, 3}}, 1); return err },
		"link 1 joins -1 and 0": func() error { _, err := stochlog.New(3, [][2]int32{{0, 1}, {-1, 0}}, 1); return err },
		"label 2 of paper 0": func() error { // the number after its own is the next paper's
			g, err := stochlog.New(2, nil, 1)
			if err != nil {
				return err
			}
			_, err = g.Gradient([]float64{0.5, 0.5, 0.25, 0.75}, make([]float64, 4), 2, []float64{0.5}, make([]float64, 1), []float64{1, 0}, []int{2, 0})
			return err
		},
		"with probability 0": func() error {
			g, err := stochlog.New(1, nil, 1)
			if err != nil {
				return err
			}
			_, err = g.Gradient([]float64{0, 1}, make([]float64, 2), 2, []float64{0.5}, make([]float64, 1), []float64{1}, []int{0})
			return err
		},
	} {
		assert.ErrorContains(t, f(), want)
	}
}

// Paper 0 is unreadable, but cites two papers on topic 1.
func Example() {
	g, err := stochlog.New(3, [][2]int32{{0, 1}, {0, 2}}, 1)
	if err != nil {
		panic(err)
	}
	p := []float64{0.5, 0.5, 0.1, 0.9, 0.2, 0.8}
	fmt.Printf("%.3f\n", g.Infer(p, 2, []float64{0.4})[:2])
	// Output:
	// [0.290 0.710]
}
