package optim

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// bruteProjection tries every support: on a support S the projection is x − θ with
// θ = (Σ_S x − 1)/|S|, and S is that of the projection when no entry of S is below θ
// and no other above it. (Distances do not tell: those of two supports can differ by
// less than rounding where the points differ by 1e-8.)
func bruteProjection(x []float64) []float64 {
	for set := 1; set < 1<<len(x); set++ {
		sum := -1.0
		for i, v := range x {
			if set>>i&1 == 1 {
				sum += v
			}
		}
		theta := sum / float64(bits.OnesCount(uint(set)))
		y, right := make([]float64, len(x)), true
		for i, v := range x {
			if set>>i&1 == 1 {
				y[i] = max(v-theta, 0)
				right = right && v >= theta-1e-15
			} else {
				right = right && v <= theta+1e-15
			}
		}
		if right {
			return y
		}
	}
	return nil
}

func TestProjectSimplexAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-3, 3), 1, 7).Draw(t, "x")
		want := bruteProjection(x)
		ProjectSimplex(x)
		for i := range x {
			if math.Abs(x[i]-want[i]) > 1e-12 {
				t.Fatalf("got %v, want %v", x, want)
			}
		}
	})
}

func TestProjectSimplexSpecialPoints(t *testing.T) {
	for _, c := range []struct{ x, want []float64 }{
		{nil, nil},
		{[]float64{-9}, []float64{1}},
		{[]float64{0.2, 0.3, 0.5}, []float64{0.2, 0.3, 0.5}},
		{[]float64{7, 7, 7, 7}, []float64{0.25, 0.25, 0.25, 0.25}},
		{[]float64{1e12, 1e12 + 0.5}, []float64{0.25, 0.75}},
		{[]float64{-1e300, 1e300}, []float64{0, 1}},
	} {
		x := slices.Clone(c.x)
		ProjectSimplex(x)
		for i := range x {
			if math.Abs(x[i]-c.want[i]) > 1e-4 {
				t.Errorf("projection of %v is %v, want %v", c.x, x, c.want)
			}
		}
	}
}

func TestToSimplex(t *testing.T) {
	w := []float64{1, 2, 0, 5}
	if err := ToSimplex(w); err != nil || !slices.Equal(w, []float64{0.125, 0.25, 0, 0.625}) {
		t.Errorf("%v, %v", w, err)
	}
	for _, bad := range [][]float64{nil, {0, 0}, {1, -1}, {math.NaN()}, {math.Inf(1)}, {math.MaxFloat64, math.MaxFloat64}} {
		before := slices.Clone(bad)
		assert.Errorf(t, ToSimplex(bad), "%v: no error", before)
	}
}

// valueOf is R(w) as the comment of Regularizer has it.
func valueOf(r Regularizer, w []float64) float64 {
	sum := 0.0
	for _, x := range w {
		log := math.Log(max(x, logFloor))
		sum += r.L2*x*x - r.NegLog*log + r.Entropy*x*log
	}
	return sum
}

func TestRegularizerGradient(t *testing.T) {
	const h = 1e-6
	for _, r := range []Regularizer{{L2: 2}, {NegLog: 0.3}, {Entropy: 1.5}, {L2: 1, NegLog: 0.01, Entropy: 10}} {
		w := []float64{0.1, 0.25, 0.6, 0.05}
		grad := []float64{1, 2, 3, 4} // AddGrad adds
		r.AddGrad(grad, w)
		for i := range w {
			up, down := slices.Clone(w), slices.Clone(w)
			up[i] += h
			down[i] -= h
			want := (valueOf(r, up)-valueOf(r, down))/(2*h) + float64(i+1)
			if math.Abs(grad[i]-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%+v: ∂R/∂w%d is %v, want %v", r, i, grad[i], want)
			}
		}
	}
}

func TestRegularizerIsFiniteAtZero(t *testing.T) {
	r := Regularizer{L2: 1, NegLog: 1, Entropy: 1}
	grad := make([]float64, 2)
	r.AddGrad(grad, []float64{0, 1})
	if v := valueOf(r, []float64{0, 1}); math.IsInf(v, 0) || math.IsNaN(v) || math.IsInf(grad[0], 0) || math.IsNaN(grad[0]) {
		t.Errorf("value %v, gradient %v", v, grad)
	}
}

func TestClipMax(t *testing.T) {
	g := []float64{10, -50, 0}
	ClipMax(g, 0)
	ClipMax(g, 50)
	assert.Equal(t, []float64{10, -50, 0}, g, "changed within the limit")
	ClipMax(g, 25)
	assert.Equal(t, []float64{5, -25, 0}, g, "clipped")
}
