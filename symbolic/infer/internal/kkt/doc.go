// Package kkt has the Newton systems of the interior point method and of the
// primal–dual active set method: their layout (Layout, kept with the layout of the
// component), values, factors and solution (Matrix), and the rows of a problem in the
// order in which these methods run over them (Rows).
//
//	var m kkt.Matrix
//	if !m.Start(p, floor, limits) {
//		return // the factor would exceed the limits
//	}
//	m.Set(p.Forms, diagonal, theta)
//	m.Factor()
//	m.Solve(x)
//
// StartInexact takes the place of Start where the factor would be too large.
// Nothing else can fail: pivots that are too small are replaced. A Layout may be shared
// by goroutines, a Matrix belongs to one.
package kkt
