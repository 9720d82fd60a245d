package infer

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// The gradients that learning uses, against central differences of optimal
// values. The optimal value is piecewise quadratic; where a piece ends, central
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

type tally struct{ tried, smooth int }

func (c *tally) compare(t *testing.T, what string, seed uint64, got, want float64, smooth bool) {
	t.Helper()
	c.tried++
	if !smooth {
		return
	}
	c.smooth++
	if math.Abs(got-want) > 1e-4*(math.Abs(want)+0.1) {
		t.Errorf("seed %d: %s is %v, central difference %v", seed, what, got, want)
	}
}

func TestGradientOfWeights(t *testing.T) {
	var c tally
	for seed := range uint64(60) {
		in := infertest.Known(seed).Instance
		res := solve(t, in, nil, Settings{})
		phi := make([]float64, in.Rules)
		in.Incompatibility(&res.Solution, phi)
		w0 := append([]float64(nil), in.Weights...)
		for r := range w0 {
			if w0[r] < 2*step {
				continue
			}
			d, smooth := difference(t, in, func(h float64) error {
				w := append([]float64(nil), w0...)
				w[r] += h
				return in.SetWeights(w)
			})
			c.compare(t, "∂V/∂w", seed, phi[r], d, smooth)
		}
	}
	if 2*c.smooth < c.tried || c.smooth < 30 {
		t.Errorf("%d smooth points of %d", c.smooth, c.tried)
	}
}

// Neural outputs move potentials and, in the same way, hard constraints.
func TestGradientOfDeep(t *testing.T) {
	var c tally
	for seed := range uint64(60) {
		k := infertest.Known(seed)
		in := k.Instance
		res := solve(t, in, nil, Settings{})
		dg := make([]float64, in.Deep)
		in.DeepGradient(&res.Solution, dg)
		for j := range dg {
			d, smooth := difference(t, in, func(h float64) error {
				g := append([]float64(nil), k.Deep...)
				g[j] += h
				return in.SetDeep(g)
			})
			c.compare(t, "∂V/∂g", seed, dg[j], d, smooth)
		}
	}
	// Most random problems have redundant equalities, which no g but one
	// satisfies: those have no derivative.
	if c.smooth < 12 {
		t.Errorf("%d smooth points of %d", c.smooth, c.tried)
	}
}

func TestGradientOfMoreau(t *testing.T) {
	var c tally
	for seed := range uint64(40) {
		in := infertest.Known(seed).Instance
		prox, center := make([]float64, in.Targets), make([]float64, in.Targets)
		for i := range prox {
			prox[i], center[i] = 0.5+0.1*float64(i%3), float64(i%4)/4
		}
		require.NoError(t, in.SetProx(prox, center))
		res := solve(t, in, nil, Settings{})
		dy := make([]float64, in.Targets)
		in.ProxGradient(&res.Solution, dy)
		for i := range min(4, in.Targets) {
			d, smooth := difference(t, in, func(h float64) error {
				moved := append([]float64(nil), center...)
				moved[i] += h
				return in.SetProx(prox, moved)
			})
			c.compare(t, "∂M/∂ŷ", seed, dy[i], d, smooth)
		}
	}
	// The envelope is differentiable everywhere.
	if 10*c.smooth < 9*c.tried || c.smooth < 100 {
		t.Errorf("%d smooth points of %d", c.smooth, c.tried)
	}
}
