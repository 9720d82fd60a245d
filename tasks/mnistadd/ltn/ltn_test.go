package ltn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/diff/fd"

	"hinge/data/mnist"
)

// TestGradient checks every derivative against central differences, for every
// exponent of the schedule.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for digits := 1; digits <= 3; digits++ {
		loss, err := New(digits)
		require.NoError(t, err)
		sums := [][]int{mnist.NewSum(5, digits), mnist.NewSum(int(math.Pow10(digits))+1, digits)}
		z := make([]float64, len(sums)*2*digits*10)
		for i := range z {
			z[i] = 2 * rng.NormFloat64()
		}
		for _, q := range []float64{1, 2, 4, 6} {
			grad, other := make([]float64, len(z)), make([]float64, len(z))
			_, err := loss.Value(z, grad, sums, q)
			require.NoError(t, err)
			want := fd.Gradient(nil, func(z []float64) float64 {
				v, _ := loss.Value(z, other, sums, q)
				return v
			}, z, &fd.Settings{Formula: fd.Central})
			assert.InDeltaSlice(t, want, grad, 1e-8, "%d digits, q %v", digits, q)
		}
	}
}

// TestByHand compares the loss with the formula of the package comment, written
// out over all pairs of digits.
func TestByHand(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	loss, err := New(1)
	require.NoError(t, err)
	sums := [][]int{{4, 0}, {1, 1}, {8, 1}}
	z := make([]float64, 60)
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	z[9] += 12 // a network that is nearly sure of a wrong digit
	u := make([]float64, 60)
	for i := 0; i < 60; i += 10 {
		total := 0.0
		for x := range 10 {
			u[i+x] = math.Exp(z[i+x])
			total += u[i+x]
		}
		for x := range 10 {
			u[i+x] /= total
		}
	}
	for _, q := range []float64{1, 2, 6} {
		square := 0.0
		for a, sum := range sums {
			mean, n := 0.0, 0.0
			for x := range 10 {
				for y := range 10 {
					if x+y == mnist.Sum(sum).Int() {
						mean += math.Pow(u[20*a+x]*u[20*a+10+y], q)
						n++
					}
				}
			}
			e := math.Pow(mean/n, 1/q)
			square += (1 - e) * (1 - e)
		}
		want := math.Sqrt(square / 3)
		if got, err := loss.Value(z, make([]float64, 60), sums, q); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("q %v: %v (%v), by hand %v", q, got, err, want)
		}
	}
}

// TestSatisfied: at the truth the loss and its gradient vanish, also where the
// root has no derivative.
func TestSatisfied(t *testing.T) {
	loss, err := New(2)
	require.NoError(t, err)
	z, grad := make([]float64, 40), make([]float64, 40)
	for i, x := range []int{9, 9, 9, 9} {
		z[10*i+x] = 800
	}
	value, err := loss.Value(z, grad, [][]int{{8, 9, 1}}, 6)
	if err != nil || value > 1e-12 {
		t.Errorf("loss %v, error %v", value, err)
	}
	for i, d := range grad {
		if !(math.Abs(d) < 1e-12) {
			t.Errorf("gradient %d is %v", i, d)
		}
	}
	if _, err := loss.Value(z, grad, [][]int{{9, 9, 2}}, 6); err == nil {
		t.Error("an impossible sum gave no error")
	}
}

func TestAnswer(t *testing.T) {
	loss, err := New(2)
	require.NoError(t, err)
	p := make([]float64, 40)
	for i, x := range []int{4, 2, 7, 9} {
		p[10*i+x] = 1
	}
	if got, err := loss.Answer(t.Context(), p); err != nil || mnist.Sum(got).Int() != 42+79 {
		t.Errorf("42 + 79 = %d", got)
	}
}

func ExampleExponent() {
	for epoch := 0; epoch < 20; epoch += 4 {
		fmt.Print(Exponent(float64(epoch)/20), " ")
	}
	// Output: 1 2 4 6 6
}
