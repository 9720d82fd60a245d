// Package patches is an overlapping domain decomposition. It divides a component of thousands
// of targets into subdomains of some hundred neighbouring targets. If rows tie only near
// neighbours, time and memory are proportional to the size of the component.
//
//	d := patches.Decomposition{NewSolver: newSolver}
//	parts := d.Decompose(&whole, nil) // parts.End, and the solution in whole.Solution
//
// Decompose reports whether the component is not local (it has then done nothing) or converges
// slowly (its multipliers are then a good start for another method). It uses Whole.Workers
// goroutines itself; results do not depend on their number. A Decomposition may be used by one
// caller at a time.
package patches
