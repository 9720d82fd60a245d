package optim

import (
	"fmt"
	"math"
	"slices"
)

// ToSimplex divides the weights by their sum, which is how learning starts: the
// learned model lives on the unit simplex (paper, section 5). Where some are named, in
// ascending order, the sum is theirs alone. Weights must be finite and not negative, with a sum above 0.
func ToSimplex(w []float64, of ...int) error {
	sum := 0.0
	for i, x := range w {
		if !(x >= 0) || math.IsInf(x, 0) {
			return fmt.Errorf("optim: weight %d is %v, want a finite value of 0 or more", i, x)
		}
		if _, named := slices.BinarySearch(of, i); named || len(of) == 0 {
			sum += x
		}
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return fmt.Errorf("optim: the weights sum to %v, want a finite value above 0", sum)
	}
	for i := range w {
		w[i] /= sum
	}
	return nil
}

// ProjectSimplex replaces w by the nearest point of the unit simplex in the
// Euclidean norm: max(w − θ, 0) with θ such that the sum is 1. The threshold is
// found by sorting, in O(n log n).
func ProjectSimplex(w []float64) {
	if len(w) == 0 {
		return
	}
	// Only differences matter; taking the largest entry as 0 keeps the sums
	// below accurate for points far away.
	top := slices.Max(w)
	sorted := make([]float64, len(w))
	for i, x := range w {
		w[i] = x - top
		sorted[i] = w[i]
	}
	slices.Sort(sorted)
	sum, theta := 0.0, 0.0
	for k := 1; k <= len(sorted); k++ {
		x := sorted[len(sorted)-k]
		sum += x
		t := (sum - 1) / float64(k)
		if x <= t {
			break
		}
		theta = t
	}
	for i, x := range w {
		w[i] = max(x-theta, 0)
	}
}

// Regularizer is R(w) = L2·Σw² − NegLog·Σ log w + Entropy·Σ w·log w on the
// symbolic weights. Below w = 1e-8 −log w and w·log w go over into their tangents. The zero value
// is no regularisation; the paper's runs use NegLog 1e-3.
type Regularizer struct {
	NegLog  float64 `toml:"log-regularizer" range:"[0, inf)" for:"learned-rules" doc:"factor of the regulariser −Σ log w of the rule weights"`
	Entropy float64 `toml:"entropy-regularizer" range:"[0, inf)" for:"learned-rules" doc:"factor of the regulariser Σ w·log w"`
	L2      float64 `toml:"l2-regularizer" range:"[0, inf)" for:"learned-rules" doc:"factor of the regulariser Σ w²"`
}

// logFloor bounds the logarithms' arguments from below.
const logFloor = 1e-8

// AddGrad adds ∂R/∂w to grad.
func (r Regularizer) AddGrad(grad, w []float64) {
	sameLength(w, grad)
	for i, x := range w {
		f := max(x, logFloor)
		grad[i] += 2*r.L2*x - r.NegLog/f + r.Entropy*(math.Log(f)+1)
	}
}

// ClipMax scales grad so that its largest absolute entry is at most limit (0: no
// limit).
func ClipMax(grad []float64, limit float64) {
	top := 0.0
	for _, g := range grad {
		top = max(top, math.Abs(g))
	}
	f := ClipFactor(top, limit)
	if f == 1 {
		return
	}
	for i := range grad {
		grad[i] *= f
	}
}
