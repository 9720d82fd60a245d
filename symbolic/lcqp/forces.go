package lcqp

import (
	"cmp"
	"math"
	"slices"
)

// Balance explains the value of a target. At the optimum of an instance the forces of its
// rows, of its bound, of the regularisation and of the proximal term (the last two together
// are −2εy − 2r(y − ŷ)) add up to 0: the stationarity of the Lagrangian in y.
type Balance struct {
	// Up and Down are the sums of the forces > 0 and < 0, Bound is the force of the bound 0
	// (> 0) or 1 (< 0) that holds the target.
	Up, Down, Bound float64
	// Idle counts the rows with the target that exert no force: they are satisfied, or their
	// weight is 0. Forces are the forces of the other rows, the strongest first.
	Idle   int
	Forces []Force
}

// Force is the force of a row on a target: −μ·a with the row's multiplier μ and the target's
// coefficient a.
type Force struct {
	Row   int32
	Force float64
}

// Forces weighs what pushes a target at a solution of the instance.
func Forces(in *Instance, sol *Solution, target int) Balance {
	b := Balance{Bound: sol.LowerDual[target] - sol.UpperDual[target]}
	least := NoForce(in)
	for _, k := range in.RowsOf(int32(target)) {
		at, _ := slices.BinarySearch(in.Col[in.Ptr[k]:in.Ptr[k+1]], int32(target))
		f := -sol.Dual[k] * in.Val[int(in.Ptr[k])+at]
		if math.Abs(f) <= least {
			b.Idle++
			continue
		}
		b.Up += max(f, 0)
		b.Down += min(f, 0)
		b.Forces = append(b.Forces, Force{k, f})
	}
	slices.SortStableFunc(b.Forces, func(a, b Force) int { return cmp.Compare(math.Abs(b.Force), math.Abs(a.Force)) })
	return b
}

// NoForce returns the size up to which a force is a rounding error of 0.
func NoForce(in *Instance) float64 {
	return 1e-9 * max(1, slices.Max(append([]float64{0}, in.Weights...)))
}
