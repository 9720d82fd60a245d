package deepproblog

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/diff/fd"

	"hinge/data/mnist"
)

func normal(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 2 * rng.NormFloat64()
	}
	return x
}

// TestGradient checks every derivative against central differences, for numbers
// of one to four digits.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for digits := 1; digits <= 4; digits++ {
		loss, err := New(digits)
		require.NoError(t, err)
		unit := int(math.Pow10(digits))
		sums := [][]int{mnist.NewSum(7, digits), mnist.NewSum(unit+3, digits), mnist.NewSum(2*unit-2, digits)}
		z := normal(rng, len(sums)*2*digits*10)
		grad, other := make([]float64, len(z)), make([]float64, len(z))
		_, err = loss.Value(z, grad, sums)
		require.NoError(t, err)
		want := fd.Gradient(nil, func(z []float64) float64 {
			v, _ := loss.Value(z, other, sums)
			return v
		}, z, &fd.Settings{Formula: fd.Central})
		assert.InDeltaSlice(t, want, grad, 1e-8, "%d digits", digits)
	}
}

// TestValue compares the loss of one-digit additions with the sum over pairs.
func TestValue(t *testing.T) {
	loss, err := New(1)
	require.NoError(t, err)
	z := normal(rand.New(rand.NewPCG(3, 4)), 20)
	var p [2][10]float64
	for i := range p {
		total := 0.0
		for x := range 10 {
			p[i][x] = math.Exp(z[10*i+x])
			total += p[i][x]
		}
		for x := range 10 {
			p[i][x] /= total
		}
	}
	best, most := 0, 0.0
	for sum := range 19 {
		want := 0.0
		for x := max(0, sum-9); x <= min(9, sum); x++ {
			want += p[0][x] * p[1][sum-x]
		}
		got, err := loss.Value(z, make([]float64, 20), [][]int{mnist.NewSum(sum, 1)})
		if err != nil || math.Abs(got+math.Log(want)) > 1e-12 {
			t.Errorf("sum %d: loss %v (%v), want %v", sum, got, err, -math.Log(want))
		}
		if want > most {
			best, most = sum, want
		}
	}
	if got, err := loss.Answer(t.Context(), append(p[0][:], p[1][:]...)); err != nil || mnist.Sum(got).Int() != best {
		t.Errorf("answer %d, most probable sum %d", got, best)
	}
}

func TestErrors(t *testing.T) {
	loss, err := New(1)
	require.NoError(t, err)
	z, grad := make([]float64, 40), make([]float64, 40)
	if _, err := loss.Value(z, grad, [][]int{{3, 0}, {9, 2}}); err == nil || !strings.Contains(err.Error(), "addition 1") {
		t.Errorf("sum 29: %v", err)
	}
	z[0] = math.NaN()
	if _, err := loss.Value(z, grad, [][]int{{3, 0}, {4, 0}}); err == nil {
		t.Error("a logit that is no number gave no error")
	}
	if _, err := New(0); err == nil {
		t.Error("numbers without digits gave no error")
	}
}

// From uniform logits, gradient descent on one addition with sum 0 finds that
// both images show 0.
func ExampleLoss_Value() {
	loss, err := New(1)
	if err != nil {
		panic(err)
	}
	z, grad := make([]float64, 20), make([]float64, 20)
	for range 100 {
		if _, err := loss.Value(z, grad, [][]int{{0, 0}}); err != nil {
			panic(err)
		}
		for i, d := range grad {
			z[i] -= d
		}
	}
	value, err := loss.Value(z, grad, [][]int{{0, 0}})
	sum, _ := loss.Answer(context.Background(), z)
	fmt.Printf("%.3f %v %d\n", value, err, sum)
	// Output: 0.019 <nil> [0 0]
}
