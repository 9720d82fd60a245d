// Package qp solves convex quadratic programs that come from outside, without rules:
//
//	min ½ xᵀ·H·x + Q·x + R   s.t.  Low ≤ A·x ≤ High,  Lower ≤ x ≤ Upper,
//
// where H is positive semidefinite and any side may be infinite. A program that has hinges
// besides, or lives in a box, is given to package infer at once, see lcqp.Sparse. Package mps
// reads programs from files, cmd/solve is the command.
//
// # How
//
// The form of package lcqp wants a diagonal Hessian, some curvature and a finite box for every
// unknown. A Hessian with entries off its diagonal is factored, H = L·D·Lᵀ, and y = Lᵀ·x become
// further unknowns with further rows, at most one for each variable; with a dense Hessian these rows
// have n²/2 coefficients. The problem is then scaled, its rows become equalities with slacks, and it
// is solved by proximal steps: x^{t+1} is the exact optimum, by the interior point method of
// package infer, of the problem with
//
//	Σ δ_i (x_i − x_i^t)²,  δ_i ≤ 1e-7 in scaled units, 0 where P_i is curvature enough,
//
// and with |x_i − x_i^t| ≤ r where there is no bound. Both vanish where the steps
// converge, mostly in one to three of them, so that the answer is that of the problem
// itself. r grows where it holds an unknown. Where steps get on badly, lengths and
// costs are scaled again by the largest unknown and multiplier so far. Where they are held up by
// rounding alone, the solution is refined: the same problem is solved for its correction, in
// smaller units and from exact residuals.
//
// # What the answer is worth
//
// Residuals judges a Solution from the problem alone, in its own units, absolutely and by sums
// with twice the digits. Solved means that this judge has found violation, gradient and gap within
// Settings.Tolerance, and nothing else does. Infeasible means that Refutes, which sees the
// problem alone too, accepts Result.Proof.
//
// # What can fail
//
// Solve returns an error where the problem is malformed or its Hessian not positive semidefinite.
// Where the optimum is not reached, Status says why, and the best point found is in the result: an
// unbounded problem is infer.NoProgress, and so is one whose absolute gap drowns in rounding that
// refinement cannot take out.
//
// Solve may be called by many goroutines at once.
package qp
