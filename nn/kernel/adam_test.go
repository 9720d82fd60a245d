package kernel

import (
	"math"
	"testing"
)

// refAdam is one step as the papers write it.
func refAdam(p, g, m, v []float64, o AdamParams[float64]) {
	for i := range p {
		d := o.GradScale*g[i] + o.L2*p[i]
		m[i] = o.Beta1*m[i] + (1-o.Beta1)*d
		v[i] = o.Beta2*v[i] + (1-o.Beta2)*d*d
		mhat, vhat := m[i]/o.Correction1, v[i]/o.Correction2
		p[i] -= o.LR*o.Decay*p[i] + o.LR*mhat/(math.Sqrt(vhat)+o.Eps)
	}
}

func narrow(o AdamParams[float64]) AdamParams[float32] {
	return AdamParams[float32]{
		LR: float32(o.LR), Beta1: float32(o.Beta1), Beta2: float32(o.Beta2), Eps: float32(o.Eps),
		Correction1: float32(o.Correction1), Correction2: float32(o.Correction2),
		GradScale: float32(o.GradScale), L2: float32(o.L2), Decay: float32(o.Decay),
	}
}

func TestAdamAgainstDefinition(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, n := range lengths {
			rng := newRand(uint64(n))
			p, m, v := guardCopy(normals[float32](rng, n)), guard[float32](n), guard[float32](n)
			clear(m.buf)
			clear(v.buf)
			p64, m64, v64 := to64(p.buf), make([]float64, n), make([]float64, n)
			q64, qm, qv := to64(p.buf), make([]float64, n), make([]float64, n)
			o := AdamParams[float64]{LR: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, GradScale: 0.5, L2: 0.02, Decay: 0.1}
			for step := 1; step <= 3; step++ {
				g := guardCopy(normals[float32](rng, n))
				o.Correction1, o.Correction2 = 1-math.Pow(o.Beta1, float64(step)), 1-math.Pow(o.Beta2, float64(step))
				refAdam(p64, to64(g.buf), m64, v64, o)
				AdamStep(q64, to64(g.buf), qm, qv, o)
				AdamStep(p.buf, g.buf, m.buf, v.buf, narrow(o))
				g.intact(t, "g")
			}
			near(t, "p", p.buf, p64, 1e-5)
			near(t, "m", m.buf, m64, 1e-5)
			near(t, "v", v.buf, v64, 1e-5)
			near(t, "p in float64", q64, p64, 1e-12)
			for _, b := range []guarded[float32]{p, m, v} {
				b.intact(t, label("n = %d", n))
			}
		}
	})
}

// With bias correction the first step has the size of the learning rate.
func TestAdamFirstStepIsLearningRate(t *testing.T) {
	p, g := []float64{1, 1, 1}, []float64{3, -0.001, 50}
	m, v := make([]float64, 3), make([]float64, 3)
	AdamStep(p, g, m, v, AdamParams[float64]{LR: 0.1, Beta1: 0.9, Beta2: 0.99, Eps: 1e-12, Correction1: 0.1, Correction2: 0.01})
	near(t, "p", p, []float64{0.9, 1.1, 0.9}, 1e-6)
}
