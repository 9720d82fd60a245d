package kernel

import (
	"cmp"
	"math"
)

// workAdam is the number of parameters that justifies another thread. Each moves
// 28 bytes.
const workAdam = 1 << 13

// AdamParams are the scalars of one Adam step. With step number t, counted from
// one, the corrections are Correction1 = 1 − Beta1ᵗ and Correction2 = 1 − Beta2ᵗ.
type AdamParams[T Float] struct {
	LR, Beta1, Beta2, Eps    T
	Correction1, Correction2 T
	// Rest1 and Rest2 are 1 − Beta1 and 1 − Beta2, which rounding of rates near 1 would take away; 0
	// means that they are computed here.
	Rest1, Rest2 T
	// GradScale multiplies the gradient first, for clipping by a global norm; 0 means 1.
	GradScale T
	// L2 adds L2·p to the gradient (Adam with an L2 penalty).
	L2 T
	// Decay shrinks p by LR·Decay independently of the gradient (AdamW).
	Decay T
}

// AdamStep updates parameters p and their moment estimates m and v in place
// from the gradient g (Kingma and Ba, 2015; Decay after Loshchilov and Hutter,
// 2019):
//
//	g' = GradScale·g + L2·p
//	m = Beta1·m + (1 − Beta1)·g',   v = Beta2·v + (1 − Beta2)·g'²
//	p = (1 − LR·Decay)·p − LR/Correction1 · m / (√(v/Correction2) + Eps)
//
// The four slices have the same length and must not overlap.
func AdamStep[T Float](p, g, m, v []T, o AdamParams[T]) {
	need("AdamStep", "g", len(g), len(p))
	need("AdamStep", "m", len(m), len(p))
	need("AdamStep", "v", len(v), len(p))
	k := adamCoef[T]{
		gscale: cmp.Or(o.GradScale, 1), l2: o.L2, b1: o.Beta1, c1: cmp.Or(o.Rest1, 1-o.Beta1), b2: o.Beta2, c2: cmp.Or(o.Rest2, 1-o.Beta2),
		keep: 1 - o.LR*o.Decay, step: o.LR / o.Correction1, eps: o.Eps,
		root: T(1 / math.Sqrt(float64(o.Correction2))),
	}
	Parallel(len(p), workAdam, func(lo, hi int) { adam(p[lo:hi], g[lo:hi], m[lo:hi], v[lo:hi], &k) })
}

// adamCoef are the scalars of AdamStep as the inner loop wants them.
type adamCoef[T Float] struct{ gscale, l2, b1, c1, b2, c2, keep, step, eps, root T }

func adam[T Float](p, g, m, v []T, k *adamCoef[T]) {
	done := 0
	if vectors[T]() {
		adamVec(len(p), at32(p), at32(g), at32(m), at32(v), &[10]float32{
			float32(k.gscale), float32(k.l2), float32(k.b1), float32(k.c1), float32(k.b2),
			float32(k.c2), float32(k.keep), float32(k.step), float32(k.eps), float32(k.root),
		})
		done = len(p) &^ 7
	}
	for i := done; i < len(p); i++ {
		w := p[i]
		d := k.gscale*g[i] + k.l2*w
		m[i] = k.b1*m[i] + k.c1*d
		v[i] = k.b2*v[i] + k.c2*(d*d)
		p[i] = k.keep*w - k.step*m[i]/(T(math.Sqrt(float64(v[i])))*k.root+k.eps)
	}
}
