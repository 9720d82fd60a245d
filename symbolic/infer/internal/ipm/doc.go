// Package ipm is the interior point method: by itself (InteriorPoint, "ipm"), and for
// methods that fall back to it on the rows that are active or nearly so (Subset).
//
//	var s ipm.Subset
//	ok := s.Solve(p, limits) // the answer is in p.Y and p.Dual
//
// A component whose factor would exceed memory, or the limits, is refused before any
// work. Solvers belong to one goroutine.
package ipm
