package optim

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// referenceAdam takes steps in float64, written straight from the formulas.
func referenceAdam(w []float64, grads [][]float64, o AdamOptions, lr, scale float64) {
	m, v := make([]float64, len(w)), make([]float64, len(w))
	for t, g := range grads {
		c1 := 1 - math.Pow(o.Beta1, float64(t+1))
		c2 := 1 - math.Pow(o.Beta2, float64(t+1))
		for i := range w {
			d := scale * g[i]
			if o.Decoupled {
				w[i] -= lr * o.WeightDecay * w[i]
			} else {
				d += o.WeightDecay * w[i]
			}
			m[i] = o.Beta1*m[i] + (1-o.Beta1)*d
			v[i] = o.Beta2*v[i] + (1-o.Beta2)*d*d
			w[i] -= lr * (m[i] / c1) / (math.Sqrt(v[i]/c2) + o.Epsilon)
		}
	}
}

func TestAdamMatchesFloat64Reference(t *testing.T) {
	const n, steps, lr = 37, 10, 0.01
	for _, o := range []AdamOptions{
		{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8},
		{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.1},
		{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.1, Decoupled: true},
		{Beta1: 0.5, Beta2: 0.9, Epsilon: 1e-3, WeightDecay: 0.5},
	} {
		for _, factor := range [][2]float64{{1, 0}, {0.25, 0}, {0.25, 0.5}} {
			scale, rate := factor[0], factor[1]
			rng := rand.New(rand.NewPCG(1, 2))
			p := Param{Value: make([]float32, n), Grad: make([]float32, n), Decay: true, Rate: rate}
			want := make([]float64, n)
			for i := range want {
				p.Value[i] = float32(rng.NormFloat64())
				want[i] = float64(p.Value[i])
			}
			grads := make([][]float64, steps)
			adam, err := NewAdam([]Param{p}, o)
			require.NoError(t, err)
			for s := range grads {
				grads[s] = make([]float64, n)
				for i := range p.Grad {
					p.Grad[i] = float32(rng.NormFloat64())
					grads[s][i] = float64(p.Grad[i])
				}
				adam.StepScaled(lr, scale)
			}
			referenceAdam(want, grads, o, lr*cmp.Or(rate, 1), scale)
			for i := range want {
				// Ten float32 steps of at most about lr each.
				if d := math.Abs(float64(p.Value[i]) - want[i]); d > 3e-6 {
					t.Fatalf("%+v scale %v rate %v: weight %d is %v, want %v", o, scale, rate, i, p.Value[i], want[i])
				}
			}
		}
	}
}

func TestAdamDecayOnlyWhereAsked(t *testing.T) {
	for _, decoupled := range []bool{false, true} {
		w := Param{Value: []float32{2}, Grad: []float32{0}, Decay: true}
		b := Param{Value: []float32{2}, Grad: []float32{0}}
		a, err := NewAdam([]Param{w, b}, AdamOptions{WeightDecay: 0.1, Decoupled: decoupled})
		require.NoError(t, err)
		a.Step(0.1)
		want := float32(2 - 0.1) // the sign of the L2 gradient
		if decoupled {
			want = 2 * (1 - 0.1*0.1)
		}
		if math.Abs(float64(w.Value[0]-want)) > 1e-5 || b.Value[0] != 2 {
			t.Errorf("decoupled %v: weight %v (want %v), bias %v (want 2)", decoupled, w.Value[0], want, b.Value[0])
		}
	}
}

func TestAdamLeavesDeadEntries(t *testing.T) {
	const n = 50
	make1 := func(live []Range) (Param, *Adam) {
		p := Param{Value: make([]float32, n), Grad: make([]float32, n), Decay: true, Live: live}
		for i := range n {
			p.Value[i], p.Grad[i] = float32(i)-20, float32(i%7)-2.5
		}
		a, err := NewAdam([]Param{p}, AdamOptions{WeightDecay: 0.1, Decoupled: true})
		require.NoError(t, err)
		return p, a
	}
	live := []Range{{Lo: 3, Hi: 10}, {Lo: 10, Hi: 11}, {Lo: 40, Hi: 50}}
	part, partAdam := make1(live)
	full, fullAdam := make1(nil)
	before := slices.Clone(part.Value)
	for range 3 {
		partAdam.Step(0.01)
		fullAdam.Step(0.01)
	}
	for i := range n {
		alive := slices.ContainsFunc(live, func(r Range) bool { return r.Lo <= i && i < r.Hi })
		switch {
		case alive && math.Abs(float64(part.Value[i]-full.Value[i])) > 1e-5:
			t.Errorf("live entry %d is %v, want %v", i, part.Value[i], full.Value[i])
		case !alive && part.Value[i] != before[i]:
			t.Errorf("dead entry %d went from %v to %v", i, before[i], part.Value[i])
		}
	}
}

func TestAdamOptionsOutOfRange(t *testing.T) {
	for _, o := range []AdamOptions{
		{Beta1: 1}, {Beta2: -0.1}, {Beta1: math.NaN()}, {Epsilon: -1}, {Epsilon: math.Inf(1)}, {Epsilon: 1e-50}, {Epsilon: 1e50},
		{WeightDecay: -1}, {WeightDecay: math.NaN()},
	} {
		_, err := NewAdam(nil, o)
		assert.Errorf(t, err, "%+v: no error", o)
	}
}

func TestMalformedParamPanics(t *testing.T) {
	for name, p := range map[string]Param{
		"short gradient": {Value: make([]float32, 3), Grad: make([]float32, 2)},
		"range too long": {Value: make([]float32, 3), Grad: make([]float32, 3), Live: []Range{{Lo: 0, Hi: 4}}},
		"overlap":        {Value: make([]float32, 3), Grad: make([]float32, 3), Live: []Range{{Lo: 0, Hi: 2}, {Lo: 1, Hi: 3}}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			_, _ = NewAdam([]Param{p}, AdamOptions{})
		}()
	}
}

func BenchmarkAdam(b *testing.B) {
	const n = 1 << 20
	p := Param{Value: make([]float32, n), Grad: make([]float32, n), Decay: true}
	for i := range p.Grad {
		p.Grad[i] = float32(i%13) - 6
	}
	a, err := NewAdam([]Param{p}, AdamOptions{WeightDecay: 0.05, Decoupled: true})
	require.NoError(b, err)
	b.SetBytes(4 * n)
	for b.Loop() {
		a.Step(1e-3)
	}
}

// TestAdamNearOne: with bias correction the first step has the size of the learning rate, however near 1 the rates of
// decay are.
func TestAdamNearOne(t *testing.T) {
	for _, beta := range []float64{0.9, 0.999, 0.9995, 0.9999, 0.99995, 0.999999, 0.99999999} {
		p := Param{Name: "p", Value: []float32{0}, Grad: []float32{0.5}}
		a, err := NewAdam([]Param{p}, AdamOptions{Beta1: beta, Beta2: beta})
		require.NoError(t, err)
		a.Step(1e-3)
		assert.InEpsilon(t, -1e-3, float64(p.Value[0]), 1e-3, "β = %v", beta)
		assert.InEpsilon(t, (1-beta)*0.25, float64(a.State().V[0][0]), 2e-5, "β = %v", beta) // (1−β)g²
	}
}
