// Package psl reads and prints the rule language of probabilistic soft logic,
// in which the symbolic half of a NeSy energy-based model is written.
//
// A program is a list of first-order rules, one a line:
//
//	# soft, squared: friends of a person vote like that person
//	2.5: Friends(A, B) & Votes(A, P) & (A != B) -> Votes(B, P) ^2
//	# a prior
//	0.1: !Votes(A, P)
//	# hard: each person casts one vote
//	Votes(A, +P) = 1 .
//	# soft, linear, with a filter on the summation variable
//	1: 0 * Block(X, Y) + Digit(X, +D) <= 1 - Sum(X, Y, Z) {D: !Possible(D, Z)}
//
// # Rules
//
// A weighted rule begins with a weight ≥ 0 and a colon and may end with ^1 or
// ^2, the power of its hinge. A hard rule has no weight and ends with a full
// stop. A line that cannot be the end of a rule, and a line that can only go
// on, are joined with their neighbour. Comments are #, // and /* */.
//
// Logical rules are clauses: a disjunction of literals, or a conjunction that
// implies a disjunction (-> or >>, the other way round <- or <<). Connectives
// are & or &&, | or ||, negation is ! or ~.
//
// Arithmetic rules compare two linear expressions of atoms with <=, >= or =.
// Coefficients are built from numbers, + - * /, parentheses, @Min[a, b],
// @Max[a, b] and |B|, the number of summands for the summation variable B in the
// grounding at hand (package ground). An argument +B sums over all B; a filter clause
// {B: condition}, after the exponent or the full stop, restricts the values.
// An atom with coefficient 0 takes part in the join that finds the groundings,
// but not in the potential.
//
// Arguments are variables (bare names) or constants ('1' or "1"). The terms
// A == B, A != B (also A - B) and A % B (also A ^ B; keeps the pairs in which A
// comes before B) restrict the groundings.
//
// # Use
//
// Parse reads a file, String prints a rule in canonical form; parsing the
// printed form gives the same rule again. Package ground turns a Program and a
// database into a ground program.
//
// Program.Warnings lists constructs that are read but probably not meant, or that the
// reference system reads differently. Distinct removes rules that repeat others.
//
// # Errors
//
// Every error of Parse is an *Error with file, line, column, the offending
// line and often a hint. Error gives one line, Detail several. The size of the
// source, of a rule and of nested parentheses is limited, so hostile input
// fails instead of exhausting memory or stack.
//
// # Concurrency
//
// Distinct alone changes a Program, its list of rules; all else may be done by several goroutines at once.
package psl
