// Package dualascent is exact dual block coordinate ascent (paper, section 5.3 and
// appendix on dual BCD, with other blocks and exact steps): with extrapolation from sweep
// to sweep (DualBCD, "bcd"), or with semismooth Newton steps for methods that want them
// (Ascent).
//
// A block is the multiplier of one row together with the multipliers of all
// bounds, and of all rows of a single target, that belong to the row's
// targets. Those are eliminated in closed form: each target has a convex
// piecewise quadratic function of its own, f_i(y_i) = Quad·y² + Lin·y + box +
// rows of y_i alone, and rows with the same left-hand side up to a factor
// share one function ψ_g of z = a_g·y. What remains is
//
//	max over λ of  −Σ_i f_i*(−(Aᵀλ)_i) − Σ_g ψ_g*(λ_g),
//
// whose partial derivative a_g·y(λ) − z_g(λ_g) is decreasing and piecewise
// linear in λ_g, so that a block is maximised exactly by a line search along its
// breakpoints. Sweeps visit only the groups whose targets have moved. The dual never falls.
//
//	var x dualascent.Ascent
//	x.Init(p)
//	for x.Iterate(p) == problem.Moving { // a sweep
//		x.Newton(p) // if wanted: Newton steps with a line search
//	}
//	x.Point(p)
//
// Where hard rows contradict each other, the multipliers run off along a ray that
// proves it. An Ascent belongs to one goroutine.
package dualascent
