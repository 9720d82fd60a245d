// Package ipm is the interior point method: by itself (InteriorPoint, "ipm"), and for
// methods that hand over to it (Interior).
//
//	var x ipm.Interior
//	if x.Begin(p, limits) { // else its factor would exceed them
//		for x.Iterate(p) == problem.Moving {
//		}
//		x.Point(p) // p.Y and p.Dual
//	}
//
// A component whose factor would exceed memory, or the limits, is refused before any
// work. BeginInexact makes no factor and solves by conjugate gradients, where Newton systems are
// positive definite. Solvers belong to one goroutine.
package ipm
