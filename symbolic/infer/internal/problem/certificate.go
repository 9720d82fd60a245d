package problem

import (
	"math"

	"hinge/symbolic/lcqp"
)

// Certificate is a Farkas proof that no point of the box satisfies the hard
// constraints: multipliers Mu of Rows (≥ 0 on inequalities) with
//
//	min over Lower ≤ y ≤ Upper of Σ_k Mu_k (a_k·y + b_k)  >  0.
type Certificate struct {
	// Rows are rows of the template, increasing; all of them hard.
	Rows []int32
	// Mu is scaled so that its largest entry has magnitude 1.
	Mu []float64
}

// Margin recomputes the minimum over the box. It is > 0 exactly when the
// certificate proves infeasibility; −Inf when a multiplier has the wrong sign
// or names a row that is not hard.
func (c *Certificate) Margin(in *lcqp.Instance) float64 {
	pull := make(map[int32]float64)
	margin := 0.0
	for n, row := range c.Rows {
		mu := c.Mu[n]
		if int(row) >= in.Constraints || in.Kinds[row] == lcqp.HardLE && mu < 0 {
			return math.Inf(-1)
		}
		margin += mu * in.B[row]
		for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
			pull[in.Col[j]] += mu * in.Val[j]
		}
	}
	// Targets in order, so that the sum has a fixed order.
	for i := range int32(in.Targets) {
		if m, ok := pull[i]; ok {
			margin += min(m*in.Lower[i], m*in.Upper[i])
		}
	}
	return margin
}
