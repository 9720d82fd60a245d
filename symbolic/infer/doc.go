// Package infer solves MAP inference of deep hinge-loss Markov random fields,
// written as the regularised LCQP of package lcqp (paper, section 5.1):
//
//	V = min  Σ (w s + ε s²) + Σ (w + ε) s² + Σ (ε y² + r (y − ŷ)²)
//	    s.t. a·y + b ≤ s, a·y + b ≤ 0 or = 0, Lower ≤ y ≤ Upper.
//
// # Use
//
//	var res infer.Result
//	var warm infer.Warm
//	err := infer.Solve(in, &warm, infer.Settings{}, &res) // bad arguments
//	err = res.Err()                                       // not solved, infeasible
//	in.DeepGradient(&res.Solution, dg)                    // ∂V/∂g, and so on
//	res.SaveWarm(&warm)                                   // for the next solve
//
// SolveAll does the same for many instances at once, in parallel over instances and
// connected components. A Result that is passed again reuses its storage, so that repeated
// solves allocate next to nothing. The zero Settings are a good choice.
//
// # How a solve goes
//
// The driver takes one connected component after the other. Presolve fixes and
// removes what follows from bounds and equalities; the Method improves a
// primal–dual point; one rule decides when to stop, by the duality gap, the violation of the
// hard constraints and the stationarity of the component, all recomputed from the problem.
// The rows that presolve removed then get their exact multipliers, so that the multipliers of
// all original rows are available, and with them the gradients that learning needs.
//
// Presolve, layouts and the stop rule are in internal/problem, each method in a
// package of its own. The driver (component.go) knows no method by name: what a solver can do
// beside iterating (start warm, polish an answer, solve by parts) is an interface that it
// implements. auto.go says which methods Auto combines, and why.
//
// Size: Auto solves components with millions of targets in time and memory
// proportional to their size where rows tie near neighbours (time series,
// images, neighbour graphs), unless an optimum has constant regions that grow
// with the problem. InteriorPoint needs the factor of a matrix of all targets of
// a component; where that would be too large it says so (TooLarge).
//
// # Repeated solves
//
// What follows from the pattern of a component alone (which equalities fix or
// merge targets, the distinct left-hand sides, the elimination order of the
// Newton systems) is found once for all components of a template that look
// alike, and kept with the template. So the first solve of a template takes
// longer than the others, whichever instance it is for.
//
// A Warm state lets auto and ipm begin with the rows and bounds that were active
// in the last solution, and follow the optimum as they change (package internal/activeset;
// Stats.Breakpoints counts the changes that are made one by one). Where that is
// not enough, the interior point method resumes from the old point; a small component that
// is far from it starts anew. A solution within the tolerances is moved in the same way to the
// point at which its active rows are exactly active, so that the next solve can begin there.
//
// lab/docs/SOLVERS.md says what part of a solve from zero that takes, family by family.
//
// # Methods
//
//	auto          Auto, the default: picks and combines the methods for each
//	              component, see there
//	bcd           DualBCD: dual block coordinate ascent, exact blocks, extrapolated
//	ipm           InteriorPoint: predictor–corrector interior point
//	primal        Primal: block descent on the primal of quadratic models
//
// Package baselines registers more of them, to compare with. All solve the same problem and
// are judged by the same tests, so that their times can be
// compared at equal certified gap. A method says itself what it can do (Capabilities). A new
// method implements Method and Solver and calls Register; no other place knows methods by
// name.
//
// # What can fail
//
// Solve returns an error only for arguments that do not fit together. How the
// solve went is in Result.Status: Solved is a claim that lcqp.Residuals
// confirms to the tolerances of Settings, most of which are relative. An
// infeasible instance has a Certificate, a combination of hard rows that no
// point of the box satisfies, and an error that names their rules.
//
// # Concurrency and determinism
//
// Solve and SolveAll may be called by many goroutines at once, with different
// Results. Results do not depend on the number of goroutines, bit for bit,
// unless a time limit strikes; only LockFreeBCD of package baselines is exempt.
package infer
