package chain

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/diff/fd"
)

const chainRules, chainOutputs = 3, 8

// chainOf is a chain of three links over two separators of two and three states. The
// first link reads a variable of two values, the second two variables, the third
// none. Labels are the sample's parity.
func chainOf(t *testing.T, rng *rand.Rand, samples int, temperature float64) *Chain {
	t.Helper()
	states := []int{1, 2, 3, 1}
	var links []Link
	for l, variables := range [][][]int{{{4, 0}}, {{1, 2, 5}, {3, 6, 7, 0}}, nil} { // output 0 twice
		values := []int{2, 12, 1}[l]
		tables := [2]*Table{}
		for k := range tables {
			tables[k] = &Table{Phi: uniform(rng, states[l]*states[l+1]*values*chainRules, 0, 1)}
		}
		links = append(links, Link{Variables: variables, Table: func(sample int) (*Table, error) {
			if sample < 0 {
				return nil, errors.New("no such sample")
			}
			return tables[sample%2], nil
		}})
	}
	c, err := single(links, states, chainRules, samples, chainOutputs, temperature)
	require.NoError(t, err)
	return c
}

// single is New with one shape.
func single(links []Link, states []int, rules, samples, outputs int, temperature float64) (*Chain, error) {
	return New([]Shape{{links, states}}, func(int) int { return 0 }, rules, samples, outputs, temperature)
}

// bruteForce is F of one sample by its definition, one configuration after another.
func bruteForce(t *testing.T, c *Chain, sample int, w, g []float64) float64 {
	t.Helper()
	table := func(l int) []float64 {
		tab, err := c.shapes[0].Links[l].Table(sample)
		require.NoError(t, err)
		return tab.Phi
	}
	energy := func(l, k int) float64 {
		e := 0.0
		for r, phi := range table(l)[k*chainRules : (k+1)*chainRules] {
			e += w[r] * phi
		}
		return e
	}
	sum := 0.0
	for a := range 2 {
		for b := range 3 {
			for x, i := range []int{4, 0} {
				for u, j := range []int{1, 2, 5} {
					for v, k := range []int{3, 6, 7, 0} {
						e := energy(0, a*2+x) + energy(1, (a*3+b)*12+4*u+v) + energy(2, b)
						sum += g[i] * g[j] * g[k] * math.Exp(-e/c.temperature)
					}
				}
			}
		}
	}
	return -c.temperature * math.Log(sum)
}

func TestChainIsTheSumOverAll(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(81, seed))
		c := chainOf(t, rng, 2, []float64{0.02, 0.3}[seed%2])
		batch := []int{3, 8}
		require.NoError(t, c.Load(batch))
		for range 2 { // tables follow the weights
			w, g := uniform(rng, chainRules, 0.2, 1), uniform(rng, 2*chainOutputs, 0, 1)
			require.NoError(t, c.Evaluate(w, g))
			for i, sample := range batch {
				want := bruteForce(t, c, sample, w, g[i*chainOutputs:])
				assert.InDeltaf(t, want, c.Values()[i], 1e-12, "seed %d, sample %d", seed, i)
			}
		}
	}
}

// Shapes of one batch have the values of chains of their own, and tables that chains
// share follow the weights of each.
func TestShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 1))
	whole := chainOf(t, rng, 1, 0.1)
	s := whole.shapes[0]
	shapes := []Shape{s, {s.Links[:2], s.States[:3]}, {s.Links[1:], s.States[1:]}}
	all, err := New(shapes, func(sample int) int { return sample / 2 }, chainRules, 3, chainOutputs, 0.1)
	require.NoError(t, err)
	batch := []int{5, 0, 2}
	require.NoError(t, all.Load(batch))
	require.Equal(t, len(batch), all.Samples())
	for range 2 {
		w, g := uniform(rng, chainRules, 0.2, 1), uniform(rng, 3*chainOutputs, 0.05, 0.95)
		require.NoError(t, all.Evaluate(w, g))
		dg := make([]float64, len(g))
		all.DeepGradient([]float64{1, 1, 1}, dg)
		for i, sample := range batch {
			k := sample / 2
			one, err := single(shapes[k].Links, shapes[k].States, chainRules, 1, chainOutputs, 0.1)
			require.NoError(t, err)
			require.NoError(t, one.Load([]int{sample}))
			own, d := g[i*chainOutputs:][:chainOutputs], make([]float64, chainOutputs)
			for _, v := range [][]float64{uniform(rng, chainRules, 0.2, 1), w} {
				require.NoError(t, one.Evaluate(v, own))
			}
			one.DeepGradient([]float64{1}, d)
			if one.Values()[0] != all.Values()[i] || !slices.Equal(d, dg[i*chainOutputs:][:chainOutputs]) {
				t.Errorf("sample %d: %v in a batch, %v alone, or gradients differ", sample, all.Values()[i], one.Values()[0])
			}
		}
		require.NoError(t, whole.Load([]int{0}))
		if err := whole.Evaluate(w, g[chainOutputs:][:chainOutputs]); err != nil || whole.Values()[0] != all.Values()[1] {
			t.Errorf("%v with tables of other weights, want %v (%v)", whole.Values()[0], all.Values()[1], err)
		}
	}
	assert.ErrorContains(t, all.Load([]int{5, 0, 6}), "shape 3 of 3", "a shape that does not exist")
}

// The gradients are those of F, by finite differences.
func TestChainGradients(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(82, seed))
		c := chainOf(t, rng, 2, []float64{0.05, 0.5}[seed%2])
		require.NoError(t, c.Load([]int{int(seed), 2}))
		w, g := uniform(rng, chainRules, 0.2, 1), uniform(rng, 2*chainOutputs, 0.05, 0.95)
		coef := []float64{0.7, -1.3}
		value := func(w, g []float64) float64 {
			require.NoError(t, c.Evaluate(w, g))
			return coef[0]*c.Values()[0] + coef[1]*c.Values()[1]
		}
		value(w, g)
		dw, dg := make([]float64, len(w)), make([]float64, len(g))
		c.WeightGradient(coef, dw)
		c.DeepGradient(coef, dg)
		central := &fd.Settings{Formula: fd.Central}
		assert.InDeltaSlice(t, fd.Gradient(nil, func(w []float64) float64 { return value(w, g) }, w, central), dw, 1e-6, "seed %d: by w", seed)
		assert.InDeltaSlice(t, fd.Gradient(nil, func(g []float64) float64 { return value(w, g) }, g, central), dg, 1e-6, "seed %d: by g", seed)
	}
}

// A thousand links do not underflow, and beliefs of 0 and 1 have finite gradients.
func TestChainIsStable(t *testing.T) {
	const n = 1000
	table := &Table{Phi: []float64{0, 3, 2, 0, 5, 0, 0, 4}} // two states, two states, two values
	link := Link{Variables: [][]int{{0, 1}}, Table: func(int) (*Table, error) { return table, nil }}
	links, states := make([]Link, n), make([]int, n+1)
	for l := range links {
		links[l] = link
		states[l] = 2
	}
	states[n] = 2
	c, err := single(links, states, 1, 1, 2, 0.01)
	require.NoError(t, err)
	require.NoError(t, c.Load([]int{0}))
	// Believing in value 0 alone, the cheapest path stays in state 0 for nothing.
	require.NoError(t, c.Evaluate([]float64{1}, []float64{1, 0}))
	assert.InDelta(t, 0, c.Values()[0], 0.01)
	// Value 1: the cycle 0 → 1 → 0 costs nothing.
	require.NoError(t, c.Evaluate([]float64{1}, []float64{0, 1}))
	if f := c.Values()[0]; math.Abs(f) > 0.02 || slices.ContainsFunc(c.dg, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
		t.Errorf("F = %v, gradient %v", f, c.dg)
	}
	for _, g := range [][]float64{{0, 0}, {math.NaN(), 1}} {
		assert.ErrorContains(t, c.Evaluate([]float64{1}, g), "outputs are NaN, or rule out everything", "beliefs %v", g)
	}
}

// What is believed costs 10 by one path and 20 by another, and much less what is ruled out: e^(−10/T) is 0 in double precision.
func TestChainOfRuledOutValues(t *testing.T) {
	const temperature = 0.01
	table := &Table{Phi: []float64{0, 10, 20, 20, 0, 10 + temperature*math.Log(3)}} // a value is ruled out in three pairs
	sure := &Table{Phi: []float64{0, 0, 0}}
	links := []Link{{Variables: [][]int{{0, 1}}, Table: func(int) (*Table, error) { return table, nil }}, {Table: func(int) (*Table, error) { return sure, nil }}}
	c, err := single(links, []int{1, 3, 1}, 1, 1, 2, temperature)
	require.NoError(t, err)
	require.NoError(t, c.Load([]int{0}))
	require.NoError(t, c.Evaluate([]float64{1}, []float64{0, 1}))
	assert.InDelta(t, 10-temperature*math.Log(4./3), c.Values()[0], 1e-12)
	dw, dg := make([]float64, 1), make([]float64, 2)
	c.WeightGradient([]float64{1}, dw)
	c.DeepGradient([]float64{1}, dg)
	assert.InDelta(t, 10+temperature*math.Log(3)/4, dw[0], 1e-12)
	assert.InDelta(t, -temperature, dg[1], 1e-12)
	assert.Less(t, dg[0], -1e100) // to believe in what costs nothing
	assert.Zero(t, 0*dg[0])
}

// Two paths cost the same, each in another link, however far e^(−cost/T) is below the least number.
func TestChainOfHardRules(t *testing.T) {
	const temperature = 0.01
	for _, cost := range []float64{3, 7.3, 8, 1e4} {
		first, second := &Table{Phi: []float64{0, 0, cost, cost}}, &Table{Phi: []float64{cost, cost, 0, 0}}
		var links []Link
		for l, table := range []*Table{first, second} {
			links = append(links, Link{Variables: [][]int{{2 * l, 2*l + 1}}, Table: func(int) (*Table, error) { return table, nil }})
		}
		c, err := single(links, []int{1, 2, 1}, 1, 1, 4, temperature)
		require.NoError(t, err)
		require.NoError(t, c.Load([]int{0}))
		require.NoError(t, c.Evaluate([]float64{1}, []float64{.25, .75, .5, .5}), "cost %v", cost)
		assert.InDelta(t, cost-temperature*math.Ln2, c.Values()[0], 1e-12*cost, "cost %v", cost)
		dw, dg := make([]float64, 1), make([]float64, 4)
		c.WeightGradient([]float64{1}, dw)
		c.DeepGradient([]float64{1}, dg)
		assert.InEpsilon(t, cost, dw[0], 1e-9, "cost %v", cost)
		assert.InDeltaSlice(t, slices.Repeat([]float64{-temperature}, 4), dg, 1e-11, "cost %v", cost)
	}
}

func TestChainRefuses(t *testing.T) {
	link := Link{Variables: [][]int{{0, 1}}, Table: func(int) (*Table, error) { return &Table{Phi: make([]float64, 5)}, nil }}
	refuse := func(want string, links []Link, states []int, temperature float64) {
		t.Helper()
		if _, err := single(links, states, chainRules, 1, 2, temperature); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := New(nil, nil, chainRules, 1, 2, 0.1); err == nil {
		t.Error("a chain of no shapes was accepted")
	}
	refuse("0 links", nil, []int{1}, 0.1)
	refuse("2 separators", []Link{link, link}, []int{1, 1}, 0.1)
	refuse("temperature 0", []Link{link}, []int{1, 1}, 0)
	refuse("at least 1", []Link{link}, []int{0, 1}, 0.1)
	refuse("reads neural output 2", []Link{{Variables: [][]int{{0, 2}}}}, []int{1, 1}, 0.1)

	c, err := single([]Link{link}, []int{1, 1}, chainRules, 1, 2, 0.1)
	require.NoError(t, err)
	assert.ErrorContains(t, c.Load([]int{0}), "a table of 5 numbers, want 6", "a table that is too short")
	c = chainOf(t, rand.New(rand.NewPCG(84, 1)), 1, 0.1)
	assert.Error(t, c.Load([]int{1, 2}), "a batch of the wrong size was accepted")
	assert.ErrorContains(t, c.Load([]int{-3}), "labels of sample -3", "labels that do not exist")
	require.NoError(t, c.Load([]int{3}))
	assert.Error(t, c.Evaluate(make([]float64, chainRules), make([]float64, 5)), "5 outputs for 8 were accepted")
	assert.Error(t, c.Evaluate(make([]float64, 1), make([]float64, chainOutputs)), "1 weight for 3 was accepted")
}

func uniform(rng *rand.Rand, n int, lo, hi float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = lo + (hi-lo)*rng.Float64()
	}
	return x
}

// What a link costs whatever its states are is added to F, also where e^(−w·Φ/T) is below the least number.
func TestConstants(t *testing.T) {
	rng := rand.New(rand.NewPCG(86, 1))
	phi := uniform(rng, 2*3, 0, 1)
	free := func(more float64) (f float64, dg []float64) {
		table := &Table{Phi: slices.Clone(phi)}
		for k := range table.Phi {
			table.Phi[k] += more
		}
		link := Link{Variables: [][]int{{0, 1}}, Table: func(int) (*Table, error) { return table, nil }}
		c, err := single([]Link{link}, []int{1, 1}, 3, 1, 2, 0.01)
		require.NoError(t, err)
		require.NoError(t, c.Load([]int{0}))
		require.NoError(t, c.Evaluate([]float64{0.2, 0.3, 0.5}, []float64{0.4, 0.6}))
		return c.Values()[0], c.dg
	}
	f, dg := free(0)
	much, same := free(1000)
	assert.InDelta(t, f+1000, much, 1e-9)
	assert.InDeltaSlice(t, dg, same, 1e-9)
}
