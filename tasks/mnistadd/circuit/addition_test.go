package circuit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/nn"
)

func addition(t *testing.T, digits int) *Sum {
	t.Helper()
	s, err := Addition(digits)
	require.NoError(t, err)
	return s
}

// randomLogits are logits of the digits of 2d images, sharp times as far apart as normal variables.
func randomLogits(rng *rand.Rand, digits int, sharp float64) []float64 {
	z := make([]float64, 2*digits*base)
	for i := range z {
		z[i] = sharp * rng.NormFloat64()
	}
	return z
}

// softmax are the probabilities of logits.
func softmax(z []float64) []float64 {
	p := make([]float64, len(z))
	nn.Softmax(p, z, base)
	return p
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

// TestPosterior compares the probability of every two-digit sum, the digits'
// posterior and the most probable sum with sums over all 10,000 worlds, in logarithms: at logits
// that are ordinary, that leave probabilities below all double numbers, and as large as single precision has.
func TestPosterior(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := addition(t, 2)
	prior, post := make([]float64, 40), make([]float64, 40)
	for _, sharp := range []float64{2, 60, 1000, math.MaxFloat32 / 8} {
		z := randomLogits(rng, 2, sharp)
		logP := make([]float64, 0, len(z))
		for i := 0; i < len(z); i += base {
			for _, v := range z[i:][:base] {
				logP = append(logP, v-slices.Max(z[i:][:base])-logSum(z[i:][:base], slices.Max(z[i:][:base])))
			}
		}
		logs := make([][]float64, 199) // of the worlds with each sum, and by digit
		byDigit := make([][40][]float64, 199)
		for world := range 10000 {
			digits := [4]int{world / 1000, world / 100 % 10, world / 10 % 10, world % 10}
			log := 0.0
			for i, x := range digits {
				log += logP[10*i+x]
			}
			sum := world/100 + world%100
			logs[sum] = append(logs[sum], log)
			for i, x := range digits {
				byDigit[sum][10*i+x] = append(byDigit[sum][10*i+x], log)
			}
		}
		best, most := 0, math.Inf(-1)
		for sum, worlds := range logs {
			top := slices.Max(worlds)
			want := top + logSum(worlds, top)
			got, err := s.Posterior(z, placesOf(sum, 2), prior, post)
			require.NoError(t, err)
			assert.InDeltaf(t, want, got, 1e-11*max(1, -want), "sum %d at sharpness %v", sum, sharp)
			assert.Equal(t, softmax(z), prior)
			for i, p := range post {
				share := 0.0
				if worlds := byDigit[sum][i]; len(worlds) > 0 {
					share = math.Exp(slices.Max(worlds) - top + logSum(worlds, slices.Max(worlds)) - logSum(logs[sum], top))
				}
				require.InDeltaf(t, share, p, 1e-9, "sum %d at sharpness %v, digit %d of image %d", sum, sharp, i%10, i/10)
			}
			if want > most {
				best, most = sum, want
			}
		}
		if got, exact, err := s.Answer(t.Context(), prior, 0); err != nil || !exact || !slices.Equal(got, placesOf(best, 2)) {
			t.Errorf("answer %d (exact %v), most probable sum %d", got, exact, best)
		}
	}
	z := randomLogits(rng, 2, 2)
	for _, sum := range [][]int{nil, {1, 1}, {0, 0, 2}, {-1, 0, 0}, {0, 10, 0}, {0, 0, 0, 1}} {
		if _, err := s.Posterior(z, sum, prior, post); err == nil {
			t.Errorf("two two-digit numbers with the sum %d gave no error", sum)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		z[3] = v
		if _, err := s.Posterior(z, placesOf(10, 2), prior, post); err == nil {
			t.Errorf("the logit %v gave no error", v)
		}
	}
}

// logSum returns log Σ exp(x − top).
func logSum(x []float64, top float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return math.Log(sum)
}

// TestFar: what is left of a sum when every image excludes the digits that it needs has its probability and
// shares however far below the best digits they are, and in numbers of any length.
func TestFar(t *testing.T) {
	for _, digits := range []int{1, 3, 15, MaxDigits} {
		for _, far := range []float64{-30, -400, -1e6, -1e30} {
			s := addition(t, digits)
			z, prior, post := slices.Repeat([]float64{far}, 20*digits), make([]float64, 20*digits), make([]float64, 20*digits)
			for i := range 2 * digits {
				z[base*i] = 0
				z[base*i+2] = far - math.Ln2
			}
			// Every column adds up to 2: 0 + 2 and 2 + 0 have the weight e^far/2 each, 1 + 1 that squared, times 4.
			sum := append(slices.Repeat([]int{2}, digits), 0)
			logP, err := s.Posterior(z, sum, prior, post)
			require.NoError(t, err)
			want := float64(digits) * (far + math.Log1p(math.Exp(far)) - 2*math.Log1p(8.5*math.Exp(far)))
			assert.InEpsilon(t, want, logP, 1e-13, "%d digits at %v", digits, far)
			for i := range 2 * digits {
				one := math.Exp(far) / (1 + math.Exp(far))
				assert.InDeltaSlice(t, []float64{.5 - one/2, one, .5 - one/2}, post[base*i:][:3], 1e-9, "%d digits at %v", digits, far)
			}
		}
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
	z := randomLogits(rng, 15, 4)
	w := softmax(z)
	sum, exact, err := fifteen.Answer(t.Context(), w, 0)
	require.NoError(t, err)
	if !exact {
		t.Error("the search gave up on sharp outputs")
	}
	post := make([]float64, len(w))
	logP, err := fifteen.Posterior(z, sum, w, post)
	require.NoError(t, err)
	for p := range sum {
		for _, step := range []int{-1, 1} {
			other := slices.Clone(sum)
			other[p] += step
			if q, err := fifteen.Posterior(z, other, w, post); err == nil && q > logP {
				t.Errorf("sum %d has log-probability %g, the answer %d only %g", other, q, sum, logP)
			}
		}
	}
}

// TestGreedyEnd: a search cut short still answers, and says so.
func TestGreedyEnd(t *testing.T) {
	s := addition(t, 4)
	w := softmax(randomLogits(rand.New(rand.NewPCG(7, 8)), 4, 0.1))
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
