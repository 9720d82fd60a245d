package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// zeroed draws a chain of n targets in which every second rule has weight 0, and the same
// chain without these rules.
func zeroed(t *testing.T, rng *rand.Rand, n int) (in, without *lcqp.Instance) {
	all, some := infertest.New(n), infertest.New(n)
	for i := range n {
		for k := range 6 {
			weight, squared, b := 0.1+rng.Float64(), rng.IntN(2) == 0, rng.Float64()-0.5
			col, val := []int32{int32(i)}, []float64{rng.NormFloat64()}
			if i+1 < n && k > 1 {
				col, val = append(col, int32(i+1)), append(val, rng.NormFloat64())
			}
			if k%2 == 1 {
				weight = 0
			} else {
				some.Soft(some.Rule(weight, squared), b, col, val...)
			}
			all.Soft(all.Rule(weight, squared), b, col, val...)
		}
	}
	return all.Instance(t, 0.01), some.Instance(t, 0.01)
}

// A rule of weight 0 is regularised by nothing: V and the answer are those of the program without
// it, by every method, and Φ counts what the answer breaks of it.
func TestWeightZero(t *testing.T) {
	b := infertest.New(1).Square(1, 1, -1)
	for range 20 {
		b.Square(0, 0, 1).Linear(0, 0, 1)
	}
	in := b.Instance(t, 0.01)
	methods := []Settings{{NoPresolve: true}, {Method: InteriorPoint{}, NoPresolve: true}, {Method: Auto{Begin: ByPatches}}}
	for _, name := range Names() {
		m, err := New(name)
		require.NoError(t, err)
		if m.Capabilities().Exact {
			methods = append(methods, Settings{Method: m})
		}
	}
	rng := rand.New(rand.NewPCG(11, 27))
	for _, s := range methods {
		// (1 + ε)(1 − y)² + εy² is least at y = 1.01/1.02.
		res := solve(t, in, nil, s)
		mustBeSolved(t, in, res)
		assert.InDelta(t, 1.01/1.02, res.Y[0], 1e-7, "%+v", s)
		sizes := []int{3, 40}
		if s.Method == (Auto{Begin: ByPatches}) {
			sizes = []int{decomposeFrom}
		}
		for _, n := range sizes {
			in, without := zeroed(t, rng, n)
			s := s
			s.GapAbsolute = 1e-10
			res, want := solve(t, in, nil, s), solve(t, without, nil, Settings{GapAbsolute: 1e-10})
			mustBeSolved(t, in, res)
			require.InDelta(t, want.PrimalValue, res.PrimalValue, 1e-8, "%+v, %d targets", s, n)
			require.InDelta(t, want.Energy, res.Energy, 1e-5, "%+v, %d targets", s, n)
			primal, dual := in.Value(&res.Solution)
			require.InDelta(t, res.PrimalValue, primal, 1e-8)
			require.InDelta(t, res.DualValue, dual, 1e-8)
			phi := make([]float64, in.Rules)
			in.Incompatibility(&res.Solution, phi)
			for k := range in.Rows() {
				slack := in.B[k]
				for j := in.Ptr[k]; j < in.Ptr[k+1]; j++ {
					slack += in.Val[j] * res.Y[in.Col[j]]
				}
				if slack = max(slack, 0); in.Kinds[k] == lcqp.Square {
					slack *= slack
				}
				require.InDelta(t, slack, phi[in.RuleOf[k]], 1e-7, "%+v: rule %d of weight %v", s, in.RuleOf[k], in.Weights[in.RuleOf[k]])
			}
		}
	}
}

// A pattern answers as Solve does, and ∂V/∂w is Φ, where some weights are 0.
func TestWeightZeroGradient(t *testing.T) {
	for _, n := range []int{1, 4} { // in closed form, and not
		testWeightZeroGradient(t, n)
	}
}

func testWeightZeroGradient(t *testing.T, n int) {
	in, _ := zeroed(t, rand.New(rand.NewPCG(11, 28)), n)
	p, err := NewPattern(in.Template, in.Epsilon)
	require.NoError(t, err)
	require.Equal(t, n == 1, p.lines != nil)
	phi := make([]float64, in.Rules)
	m := Member{Result: new(Result), Phi: phi}
	require.NoError(t, p.Solve(in.Weights, []Member{m}, Settings{}))
	assert.InDelta(t, solve(t, in, nil, Settings{}).PrimalValue, m.Result.PrimalValue, 1e-6)
	w, count := slices.Clone(in.Weights), 0
	for k, weight := range w {
		if weight == 0 {
			continue
		}
		d, smooth := difference(t, in, func(h float64) error {
			v := slices.Clone(w)
			v[k] += h
			return in.SetWeights(v)
		})
		if smooth {
			count++
			assert.Less(t, math.Abs(d-phi[k]), 1e-4*(math.Abs(d)+0.1), "rule %d: %v, %v", k, d, phi[k])
		}
	}
	assert.GreaterOrEqual(t, count, 2*n)
}

// step is that of central differences of optimal values. The optimal value is piecewise quadratic; where a piece ends, central
// differences are off by about the step, or wrong, and the point is left out.
const step = 1e-5

// value solves to the limits of the arithmetic and returns V.
func value(t *testing.T, in *lcqp.Instance) (float64, bool) {
	t.Helper()
	res := solve(t, in, nil, Settings{GapTolerance: 1e-13, FeasibilityTolerance: 1e-11})
	return res.PrimalValue, res.Status.OK() && res.MaxViolation < 1e-10
}

// difference returns the derivative of V along a change made by set, if it is
// smooth there.
func difference(t *testing.T, in *lcqp.Instance, set func(h float64) error) (float64, bool) {
	t.Helper()
	var v [5]float64
	for n, h := range []float64{-step, -step / 2, 0, step / 2, step} {
		if err := set(h); err != nil {
			return 0, false
		}
		var ok bool
		if v[n], ok = value(t, in); !ok {
			set(0)
			return 0, false
		}
	}
	require.NoError(t, set(0))
	d := (8*(v[3]-v[1]) - (v[4] - v[0])) / (6 * step)
	// On one quadratic piece both halves are equally curved.
	left, right := (v[0]-2*v[1]+v[2])/step, (v[2]-2*v[3]+v[4])/step
	middle := (v[1] - 2*v[2] + v[3]) / step
	low, high := min(left, middle, right), max(left, middle, right)
	smooth := high-low <= 0.1*max(math.Abs(low), math.Abs(high))+1e-7
	return d, smooth
}
