// Package problem is what all methods of inference share: one connected component of
// an instance as a method sees it (Problem), presolve, which makes it and maps the
// answer back to every original row (Presolve), what is known of a component from its
// pattern alone (Layout, Forms), the interfaces of methods and of what a driver may ask
// them for (Method, Solver, Validator, ActiveSetSolver, Decomposer), and the one stop rule
// (Point, Tolerance).
//
// # Use
//
//	var pre problem.Presolve
//	var p problem.Problem
//	if !pre.Run(in, c, problem.ReduceMerged, &p) {
//		return pre.Certificate() // component c has no feasible point
//	}
//	pre.Start(&p, nil, nil)       // or from a warm state
//	…                             // a method works on p.Y and p.Dual
//	p.Goal.Met(&v, 1)             // with v := p.Evaluate(scratch)
//	pre.Finish(&p, &solution)
//
// What can fail: a contradiction between hard rows, found by presolve or, by
// Presolve.Proves, in the multipliers of a method. Both leave a Farkas proof.
//
// Layouts are kept with the template and may be used by many goroutines; a Presolve
// and its Problem belong to one.
package problem
