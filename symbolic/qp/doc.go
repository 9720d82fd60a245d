// Package qp solves convex quadratic programs with a diagonal Hessian that come from
// outside, without rules:
//
//	min ½ Σ P_i x_i² + Q·x + R   s.t.  Low ≤ A·x ≤ High,  Lower ≤ x ≤ Upper,
//
// where P_i ≥ 0 may be 0 and any side may be infinite. A program that has hinges
// besides, or lives in a box, is given to package infer at once, see lcqp.Sparse.
//
// # How
//
// The form of package lcqp wants some curvature and a finite box for every unknown. The
// problem is therefore scaled, its rows become equalities with slacks, and it is solved
// by proximal steps: x^{t+1} is the exact optimum, by the interior point method of
// package infer, of the problem with
//
//	Σ δ_i (x_i − x_i^t)²,  δ_i ≤ 1e-7 in scaled units, 0 where P_i is curvature enough,
//
// and with |x_i − x_i^t| ≤ r where there is no bound. Both vanish where the steps
// converge, mostly in one to three of them, so that the answer is that of the problem
// itself. r grows where it holds an unknown. Lengths and costs are scaled again where
// unknowns or multipliers turn out to be large.
//
// # What the answer is worth
//
// Residuals judges a Solution from the problem alone, in its own units and absolutely.
// Solved means that this judge has found violation, gradient and gap within
// Settings.Tolerance, and nothing else does.
//
// # What can fail
//
// Solve returns an error where the problem is malformed or its Hessian negative. A
// Hessian with entries off its diagonal cannot be written down. Where the optimum is not
// reached, Status says why: infer.Infeasible is backed by a certificate that needs none
// of the artificial bounds; an unbounded problem, and one whose absolute gap drowns in
// rounding (values beyond about 1e9), is infer.NoProgress, and the best point found is
// in the result.
//
// Solve may be called by many goroutines at once.
package qp
