package circuit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// randomWeights are positive and not normalised: nothing may rely on sums of 1.
func randomWeights(rng *rand.Rand, n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = math.Exp(rng.NormFloat64())
	}
	return w
}

// worlds calls f with every world of a program and its weight.
func worlds(p Program, w []float64, f func(world []int, weight float64)) {
	world := make([]int, 0, len(p.Values))
	var walk func(state, offset int, weight float64)
	walk = func(state, offset int, weight float64) {
		v := len(world)
		if v == len(p.Values) {
			f(world, weight)
			return
		}
		for value := range p.Values[v] {
			if next := p.Next(v, state, value); next >= 0 {
				world = append(world, value)
				walk(next, offset+p.Values[v], weight*w[offset+value])
				world = world[:v]
			}
		}
	}
	walk(0, 0, 1)
}

// randomProgram has up to four states a variable and rejects a third of all
// moves.
func randomProgram(rng *rand.Rand) Program {
	p := Program{Values: make([]int, 2+rng.IntN(5))}
	table := make(map[[3]int]int)
	for v := range p.Values {
		p.Values[v] = 1 + rng.IntN(4)
		for state := range 4 {
			for value := range p.Values[v] {
				table[[3]int{v, state, value}] = rng.IntN(6) - 2
			}
		}
	}
	p.Next = func(variable, state, value int) int { return table[[3]int{variable, state, value}] }
	return p
}

// TestAgainstEnumeration compares count, derivative and most probable
// assignment of random programs with the sums over all their worlds.
func TestAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for range 400 {
		p := randomProgram(rng)
		c, err := Compile(p)
		total := 0
		for _, n := range p.Values {
			total += n
		}
		w := randomWeights(rng, total)
		want, derivative := 0.0, make([]float64, total)
		query := []int{rng.IntN(2), 2 + rng.IntN(5)}
		if query[1] >= len(p.Values) {
			query = query[:1]
		}
		masses := make(map[[2]int]float64)
		offset := make([]int, len(p.Values))
		for v := 1; v < len(offset); v++ {
			offset[v] = offset[v-1] + p.Values[v-1]
		}
		worlds(p, w, func(world []int, weight float64) {
			want += weight
			for v, value := range world {
				derivative[offset[v]+value] += weight / w[offset[v]+value]
			}
			key := [2]int{world[query[0]]}
			if len(query) > 1 {
				key[1] = world[query[1]]
			}
			masses[key] += weight
		})
		if want == 0 {
			require.ErrorIs(t, err, errNoWorld)
			continue
		}
		require.NoError(t, err)
		tried++
		require.InDelta(t, want, c.Up(w), 1e-12*want)
		for i, got := range c.Down() {
			require.InDeltaf(t, w[i]*derivative[i]/want, got, 1e-12, "share %d", i)
		}
		values, count, exact, err := c.MostProbable(t.Context(), w, query, 0)
		require.NoError(t, err)
		key := [2]int{values[0]}
		if len(values) > 1 {
			key[1] = values[1]
		}
		largest := 0.0
		for _, m := range masses {
			largest = max(largest, m)
		}
		if !exact || math.Abs(count-largest) > 1e-12*largest || math.Abs(masses[key]-largest) > 1e-12*largest {
			t.Fatalf("most probable %v: %g (exact %v), largest %g", values, count, exact, largest)
		}
	}
	assert.GreaterOrEqual(t, tried, 200)
}

// TestMerge: states that have the same future share a node.
func TestMerge(t *testing.T) {
	p := Program{Values: []int{5, 2}, Next: func(variable, _, value int) int { return value }}
	c, err := Compile(p)
	require.NoError(t, err)
	if len(c.level) != 3 || len(c.input) != 7 {
		t.Errorf("%d nodes and %d edges, want 3 and 7: five states, one future", len(c.level), len(c.input))
	}
}

func TestCompileErrors(t *testing.T) {
	if _, err := Compile(Program{Values: []int{2, 0}, Next: func(_, _, _ int) int { return 0 }}); err == nil {
		t.Error("a variable without values compiled")
	}
	for _, digits := range []int{0, MaxDigits + 1} {
		_, err := Addition(digits)
		assert.ErrorContains(t, err, "want 1 to 300")
	}
	// 10^d pairs of digits have a sum of nines without a carry: each pair of a column adds up to 9.
	s, z := addition(t, MaxDigits), make([]float64, 2*MaxDigits*base)
	logP, err := s.Posterior(z, append(slices.Repeat([]int{9}, MaxDigits), 0), make([]float64, len(z)), make([]float64, len(z)))
	require.NoError(t, err)
	assert.InDelta(t, -MaxDigits*math.Ln10, logP, 1e-9)
}

// No values are the most probable where weights are no numbers or their sums overflow.
func TestMostProbableOfNoNumbers(t *testing.T) {
	c, err := Compile(Program{Values: []int{2}, Next: func(int, int, int) int { return 0 }})
	require.NoError(t, err)
	for _, w := range [][]float64{{math.NaN(), 1}, {math.MaxFloat64, math.MaxFloat64}} {
		_, _, exact, err := c.MostProbable(t.Context(), w, []int{0}, 0)
		require.ErrorContains(t, err, "weighted count")
		require.False(t, exact)
	}
}
