// Command solve finds the optimum of a linear or convex quadratic program,
//
//	min ½ xᵀ·H·x + q·x + r   s.t.  low ≤ A·x ≤ high,  lower ≤ x ≤ upper,
//
// that is in a file of MPS, QPS or numpy:
//
//	go run ./cmd/solve examples/qp/blend.qps
//
// It prints one JSON object:
//
//	file, name, sense       what was solved; sense is min or max
//	variables, rows, entries, hessian_off_diagonal   its size: entries of A, and those of H
//	                        on one side of its diagonal
//	status          solved, infeasible, no_progress, time_limit, too_large or interrupted
//	value           of the point; dual_value that of the multipliers
//	gap             |value − dual_value|
//	max_violation   largest violation of a row or bound
//	max_gradient    largest entry of |H·x + q + Aᵀ·y + multipliers of bounds|
//	tolerance       solved means that gap, max_violation and max_gradient are at most this,
//	                in the units of the problem, by sums with twice the digits
//	steps, iterations, read_s, solve_s   what it took
//	x               {name, index, value, multiplier} of each variable; the multiplier of its
//	                bounds is ≥ 0 at the upper and ≤ 0 at the lower one
//	row_multipliers {name, index, multiplier} of rows, likewise, but for zeros
//	proof           where the status is infeasible: multipliers of rows which, added up,
//	                contradict the bounds on variables
//
// Of an infeasible problem values are null. Where no optimum was reached, they are those of
// the best point found. Multipliers are those of the minimum: where sense is max, of the
// negated cost. -short leaves x and row_multipliers out, -tol sets the tolerance,
// -time-limit ends a solve. Lines of progress go to standard error.
//
// docs/QP.md lists the sections of MPS and the arrays of .npz that are read, and what is
// refused: integer variables, and a Hessian that is not positive semidefinite.
//
// Exit codes: 0 solved; 1 internal error; 2 usage; 3 bad or missing file; 4 infeasible, proved;
// 5 not solved; 130 and 143 interrupted, the best point is printed.
package main

import (
	"os"

	"hinge/app/solve"
)

func main() { os.Exit(solve.Main(os.Args[1:], os.Stdout, os.Stderr)) }
