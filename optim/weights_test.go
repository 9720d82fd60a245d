package optim

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// descend runs a method on the loss whose gradient is given.
func descend(t *testing.T, m *WeightStep, w []float64, steps int, gradient func(w []float64) []float64) {
	t.Helper()
	for epoch := range steps {
		require.NoError(t, m.Update(w, gradient(w), epoch))
		onSimplex(t, w)
	}
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

func onSimplex(t fataler, w []float64) {
	t.Helper()
	sum := 0.0
	for _, x := range w {
		if !(x >= 0) {
			t.Fatalf("weights %v", w)
		}
		sum += x
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Fatalf("weights %v sum to %v", w, sum)
	}
}

func uniform(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 / float64(n)
	}
	return w
}

func TestMirrorDescentOneStep(t *testing.T) {
	w := []float64{0.2, 0.3, 0.5}
	g := []float64{1, -2, 0.5}
	m := &WeightStep{WeightOptions: WeightOptions{Step: 0.7, Shrink: true}}
	want := make([]float64, 3)
	sum := 0.0
	for i := range w {
		want[i] = w[i] * math.Exp(-0.7/3*g[i])
		sum += want[i]
	}
	require.NoError(t, m.Update(w, g, 2))
	for i := range w {
		if math.Abs(w[i]-want[i]/sum) > 1e-15 {
			t.Errorf("weight %d is %v, want %v", i, w[i], want[i]/sum)
		}
	}
}

// A multiplicative step leaves a weight of 0 at 0, whatever the gradient, and the others move as if
// it were not there: not by a bound on the gradient of −log 0 either. A weight above 0 that a step takes
// below the smallest number stays above 0.
func TestMirrorDescentKeepsZero(t *testing.T) {
	o := WeightOptions{Step: 0.7, Regularizer: Regularizer{NegLog: 1e-3}}
	w, without := []float64{0.4, 0, 0.6}, []float64{0.4, 0.6}
	require.NoError(t, (&WeightStep{WeightOptions: o}).Update(w, []float64{1, -3, 2}, 0))
	require.NoError(t, (&WeightStep{WeightOptions: o}).Update(without, []float64{1, 2}, 0))
	assert.Equal(t, []float64{without[0], 0, without[1]}, w)
	a, b := 0.4*math.Exp(-0.7*(1-1e-3/0.4)), 0.6*math.Exp(-0.7*(2-1e-3/0.6))
	assert.InDelta(t, a/(a+b), w[0], 1e-15)
	w = []float64{0.5, 0, 0.5}
	require.NoError(t, (&WeightStep{WeightOptions: WeightOptions{Step: 1e6}}).Update(w, []float64{1, 0, 0}, 0))
	assert.Equal(t, []float64{floor, 0, 1 - floor}, w)
	w = []float64{0, 0}
	require.NoError(t, new(WeightStep).Update(w, []float64{1, -1}, 0))
	assert.Equal(t, []float64{0, 0}, w)
}

// The bound applies to loss and regulariser together, before the step size.
func TestMaxNormBoundsTheStep(t *testing.T) {
	step := func(o WeightOptions, grad ...float64) []float64 {
		w := uniform(2)
		require.NoError(t, (&WeightStep{WeightOptions: o}).Update(w, grad, 0))
		return w
	}
	got := step(WeightOptions{Step: 0.01, MaxNorm: 25, Regularizer: Regularizer{L2: 5}}, -105, 45) // with 2·5·½: −100, 50
	want := step(WeightOptions{Step: 0.01}, -25, 12.5)
	assert.Equal(t, want, got)
}

// With an entropy term e the optimum is the softmax of −cost/e.
// TestDeadZone: entries up to the dead zone count as 0, so that equal weights keep their bits beside a
// regulariser, and larger ones count whole: w_r e^(−η g_r) / Σ.
func TestDeadZone(t *testing.T) {
	o := WeightOptions{Step: 0.1, DeadZone: 0.5, Regularizer: Regularizer{NegLog: 0.05}}
	start := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	require.NoError(t, ToSimplex(start))
	w := slices.Clone(start)
	m := &WeightStep{WeightOptions: o}
	for range 100 {
		require.NoError(t, m.Update(w, []float64{.5, -.5, .3, 0, .1, .2, .4, .49, 0, .1, .2, .3, .4}, 0))
	}
	require.Equal(t, start, w)
	o.NegLog = 0
	w = []float64{.5, .25, .25}
	require.NoError(t, (&WeightStep{WeightOptions: o}).Update(w, []float64{.7, .4, -.6}, 0))
	up := []float64{.5 * math.Exp(-.07), .25, .25 * math.Exp(.06)}
	for i, sum := 0, up[0]+up[1]+up[2]; i < 3; i++ {
		require.InDelta(t, up[i]/sum, w[i], 1e-12)
	}
}

func TestEntropyOptimum(t *testing.T) {
	const e = 2.0
	cost := []float64{3, 1, 2, 1.5}
	want := make([]float64, len(cost))
	sum := 0.0
	for i, c := range cost {
		want[i] = math.Exp(-c / e)
		sum += want[i]
	}
	for name, m := range map[string]*WeightStep{
		"mirror descent":     &WeightStep{WeightOptions: WeightOptions{Step: 0.2, Regularizer: Regularizer{Entropy: e}}},
		"projected gradient": &WeightStep{WeightOptions: WeightOptions{Method: Projected, Step: 0.01, Regularizer: Regularizer{Entropy: e}}},
	} {
		w := uniform(4)
		descend(t, m, w, 3000, func([]float64) []float64 { return cost })
		for i := range w {
			if math.Abs(w[i]-want[i]/sum) > 1e-9 {
				t.Errorf("%s: weight %d is %v, want %v", name, i, w[i], want[i]/sum)
			}
		}
	}
}

// Plain gradient steps find the optimum among the weights that are not negative,
// whatever they sum to.
func TestGradientStepFindsOptimum(t *testing.T) {
	w, want := []float64{1, 2, 0.5}, []float64{3, 0.25, 0} // of (w - 3)² + (w - ¼)² + (w + 1)²
	m := &WeightStep{WeightOptions: WeightOptions{Method: Gradient, Step: 0.3}}
	for epoch := range 300 {
		require.NoError(t, m.Update(w, []float64{2 * (w[0] - 3), 2 * (w[1] - 0.25), 2 * (w[2] + 1)}, epoch))
	}
	for i := range w {
		if math.Abs(w[i]-want[i]) > 1e-12 {
			t.Errorf("weight %d is %v, want %v", i, w[i], want[i])
		}
	}
}

func TestMirrorDescentStaysOnSimplex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		w := rapid.SliceOfN(rapid.Float64Range(0, 1), n, n).Draw(t, "w")
		if ToSimplex(w) != nil {
			w = uniform(n)
		}
		start := slices.Clone(w)
		m := &WeightStep{WeightOptions: WeightOptions{Step: rapid.Float64Range(0, 1e300).Draw(t, "step")}}
		g := rapid.SliceOfN(rapid.Float64Range(-1e300, 1e300), n, n).Draw(t, "g")
		require.NoError(t, m.Update(w, g, 0))
		onSimplex(t, w)
		for i, x := range w {
			if x < floor && (x != 0 || start[i] != 0) {
				t.Fatalf("weight %v below the floor", x)
			}
		}
	})
}

func TestFloorAboveUniform(t *testing.T) {
	w := []float64{0.9, 0.1}
	normalizeAbove(w, 0.7)
	assert.Equal(t, []float64{0.5, 0.5}, w)
}

func TestBadGradientLeavesWeights(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		for name, m := range map[string]*WeightStep{
			"mirror descent":     &WeightStep{WeightOptions: WeightOptions{Step: 1}},
			"projected gradient": &WeightStep{WeightOptions: WeightOptions{Method: Projected, Step: 1}},
			"gradient":           &WeightStep{WeightOptions: WeightOptions{Method: Gradient, Step: 1}},
		} {
			w := []float64{0.25, 0.75}
			if err := m.Update(w, []float64{1, bad}, 0); err == nil || !slices.Equal(w, []float64{0.25, 0.75}) {
				t.Errorf("%s, %v: weights %v, error %v", name, bad, w, err)
			}
		}
	}
}

// Zero stands for the same whoever fills in the options: a bound of 25 and a step of 0.01;
// a negative bound is none, and steps are by the method of the name.
func TestWeightOptionsOfZero(t *testing.T) {
	step := func(o WeightOptions) []float64 {
		w := []float64{0.5, 0.5}
		require.NoError(t, (&WeightStep{WeightOptions: o}).Update(w, []float64{50, 0}, 0))
		return w
	}
	for _, m := range []Method{"", Mirror, Projected, Gradient} {
		at := func(s, bound float64) []float64 { return step(WeightOptions{Method: m, Step: s, MaxNorm: bound}) }
		if got, want := at(0, 0), at(0.01, 25); !slices.Equal(got, want) {
			t.Errorf("%s: zero options move to %v, want %v", m, got, want)
		}
		if slices.Equal(at(0.01, 0), at(0.01, -1)) || !slices.Equal(at(0.01, -1), at(0.01, 50)) {
			t.Errorf("%s: without bound to %v, with one of 50 to %v", m, at(0.01, -1), at(0.01, 50))
		}
	}
	mirror, projected, gradient := step(WeightOptions{Method: Mirror}), step(WeightOptions{Method: Projected}), step(WeightOptions{Method: Gradient})
	if slices.Equal(mirror, projected) || slices.Equal(projected, gradient) || !slices.Equal(mirror, step(WeightOptions{})) {
		t.Errorf("mirror %v, projected %v, gradient %v", mirror, projected, gradient)
	}
}
