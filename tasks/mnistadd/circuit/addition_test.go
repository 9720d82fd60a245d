package circuit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func addition(t *testing.T, digits int) *Sum {
	t.Helper()
	s, err := Addition(digits)
	require.NoError(t, err)
	return s
}

// randomDigits are normalised digit probabilities of 2d images.
func randomDigits(rng *rand.Rand, digits int, sharp float64) []float64 {
	w := make([]float64, 2*digits*base)
	for i := range 2 * digits {
		row := w[base*i:][:base]
		total := 0.0
		for x := range row {
			row[x] = math.Exp(sharp * rng.NormFloat64())
			total += row[x]
		}
		for x := range row {
			row[x] /= total
		}
	}
	return w
}

// placesOf is a sum of numbers of so many digits by its digits, the ones first.
func placesOf(sum, digits int) []int {
	places := make([]int, digits+1)
	for p := range places {
		places[p] = sum % base
		sum /= base
	}
	return places
}

// TestPosterior compares the likelihood of every two-digit sum, the digits'
// posterior and the most probable sum with sums over all 10,000 worlds.
func TestPosterior(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := addition(t, 2)
	w := randomDigits(rng, 2, 2)
	for i := range w {
		w[i] *= 7 // nothing relies on normalised rows
	}
	mass := make([]float64, 199)
	share := make([][]float64, 199)
	for i := range share {
		share[i] = make([]float64, 40)
	}
	for world := range 10000 {
		digits := [4]int{world / 1000, world / 100 % 10, world / 10 % 10, world % 10}
		weight := 1.0
		for i, x := range digits {
			weight *= w[10*i+x]
		}
		sum := world/100 + world%100
		mass[sum] += weight
		for i, x := range digits {
			share[sum][10*i+x] += weight
		}
	}
	post := make([]float64, 40)
	best := 0
	for sum, want := range mass {
		logCount, err := s.Posterior(w, placesOf(sum, 2), post)
		require.NoError(t, err)
		assert.InDeltaf(t, want, math.Exp(logCount), 1e-11*want, "count of %d", sum)
		for i, p := range post {
			require.InDeltaf(t, share[sum][i]/want, p, 1e-11, "sum %d, digit %d of image %d", sum, i%10, i/10)
		}
		if want > mass[best] {
			best = sum
		}
	}
	if got, exact, err := s.Answer(t.Context(), w, 0); err != nil || !exact || !slices.Equal(got, placesOf(best, 2)) {
		t.Errorf("answer %d (exact %v), most probable sum %d", got, exact, best)
	}
	for _, sum := range [][]int{nil, {1, 1}, {0, 0, 2}, {-1, 0, 0}, {0, 10, 0}, {0, 0, 0, 1}} {
		if _, err := s.Posterior(w, sum, post); err == nil {
			t.Errorf("two two-digit numbers with the sum %d gave no error", sum)
		}
	}
	w[3] = math.NaN()
	if _, err := s.Posterior(w, placesOf(10, 2), post); err == nil {
		t.Error("a weight that is no number gave no error")
	}
}

// TestSharp: weights far below the largest of their image count as they are, here with what is left of a sum
// when all other digits are as good as impossible, and a sum of weights 0 has a count, too.
func TestSharp(t *testing.T) {
	for digits, least := range map[int]float64{1: 1e-140, 2: 1e-70, 5: 1e-25} {
		s := addition(t, digits)
		w, post := slices.Repeat([]float64{0}, 20*digits), make([]float64, 20*digits)
		for i := range 2 * digits {
			w[base*i], w[base*i+1], w[base*i+2] = 1, least, least/10
		}
		// The ones add up to 2: 0 + 2, 1 + 1 and 2 + 0; the other places to 0.
		logCount, err := s.Posterior(w, placesOf(2, digits), post)
		require.NoError(t, err)
		assert.InDelta(t, math.Log(2*least/10+least*least), logCount, 1e-9, "%d digits", digits)
		assert.InDelta(t, .5, post[base*(digits-1)+2], 1e-9, "%d digits", digits)
		_, err = s.Posterior(w, placesOf(9, digits), post)
		require.NoError(t, err)
	}
}

// TestLong: the program is the same for any number of digits, its circuit grows
// with the digits and not with the worlds, and its probabilities add up.
func TestLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	one, fifteen := addition(t, 1), addition(t, 15)
	if len(fifteen.input) > 16*len(one.input)*2 {
		t.Errorf("%d edges for 15 digits, %d for one", len(fifteen.input), len(one.input))
	}
	w := randomDigits(rng, 15, 4)
	sum, exact, err := fifteen.Answer(t.Context(), w, 0)
	require.NoError(t, err)
	if !exact {
		t.Error("the search gave up on sharp outputs")
	}
	fifteen.SetSum(fifteen.inputs, nil)
	assert.InDelta(t, 1, fifteen.Up(fifteen.inputs), 1e-12)
	post := make([]float64, len(w))
	logP, err := fifteen.Posterior(w, sum, post)
	require.NoError(t, err)
	for p := range sum {
		for _, step := range []int{-1, 1} {
			other := slices.Clone(sum)
			other[p] += step
			if q, err := fifteen.Posterior(w, other, post); err == nil && q > logP {
				t.Errorf("sum %d has log-probability %g, the answer %d only %g", other, q, sum, logP)
			}
		}
	}
}

// TestGreedyEnd: a search cut short still answers, and says so.
func TestGreedyEnd(t *testing.T) {
	s := addition(t, 4)
	w := randomDigits(rand.New(rand.NewPCG(7, 8)), 4, 0.1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := s.Answer(ended, w, 3)
	require.ErrorIs(t, err, context.Canceled)
	got, exact, err := s.Answer(t.Context(), w, 3)
	require.NoError(t, err)
	if exact || !s.possible(got) {
		t.Errorf("answer %v, exact %v, after 3 extensions", got, exact)
	}
}
