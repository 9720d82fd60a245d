package optim

import (
	"math"

	"hinge/nn/kernel"
)

// GradNorm returns the Euclidean norm of all live gradients together, summed in
// float64. It is not finite when one of them is not.
func GradNorm(params []Param) float64 {
	sum := 0.0
	for i := range params {
		for _, r := range params[i].Ranges() {
			sum += kernel.SumSquares(params[i].Grad[r.Lo:r.Hi])
		}
	}
	return math.Sqrt(sum)
}

// ClipFactor returns what gradients of the given norm must be multiplied by so
// that their norm is at most limit: min(1, limit/norm). A limit of 0 means no
// limit. A norm that is not finite gives 1: scaling cannot repair it.
func ClipFactor(norm, limit float64) float64 {
	if limit <= 0 || !(norm > limit) || math.IsInf(norm, 0) {
		return 1
	}
	return limit / norm
}
