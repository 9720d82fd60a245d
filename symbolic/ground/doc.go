// Package ground turns first-order rules and a database into a ground program
// (package hlmrf): one row a grounding of a rule.
//
// # Database
//
// A Database holds predicates and their atoms: observed atoms x_sy with a value
// in [0, 1], targets y, and deep atoms g, the neural outputs. The order in
// which targets and deep atoms are added gives their columns, so the caller
// decides them. A predicate with targets or deep atoms is open; all others are
// closed: what is not in their data is false.
//
// # Groundings
//
// A logical rule is a clause. Its groundings are all ways to match the atoms
// that must be true for the clause to be broken, with the atoms of the database. These are
// the atoms of the body that are not negated and the atoms of the head that are. A literal
// that is written twice counts once. The other atoms are then looked up. With n literals in
// the conjunction that the clause forbids, where !x counts as 1 - x, the row is
//
//	Σ literals - (n - 1)     in max(0, ·)^p, or ≤ 0 for a hard rule.
//
// An arithmetic rule is grounded by all ways to match all of its atoms, including atoms with
// coefficient 0; each different assignment of the ordinary variables is one grounding. A summation
// atom is the sum over all matching atoms of the database that pass the filters; |B| is their
// number. If the predicate is closed, |B| also counts atoms that are not in the data: all values
// that the predicate has for B, with any other arguments that fit the constants and the repeated
// variables of the atom, and for two summation variables all combinations. The row is left side
// minus right side, negated for >=; a weighted = gives two potentials, >= before <=, a hard = one
// equality.
//
// Observed atoms are added to the constant of the row. Deep atoms are not: they
// stay in the deep part of the row, so that b = b₀ + B·g can be updated and
// differentiated. Atoms that occur twice have their coefficients added, and
// coefficients 0 are left out. A row can end up without targets, if its only
// targets have coefficient 0, or if a potential has deep atoms alone: it is then a
// constant of V, with a gradient in g.
//
// # Dropped groundings
//
// The choice follows the PSL reference system (version 3.0.1), so that the
// ground terms agree one by one, but for potentials of deep atoms alone, which that drops,
// so that no network learns from them. Dropped are:
//
//   - a clause with an observed literal that satisfies it: a value within 1e-4
//     (in float32) of 0 in the body or of 1 in the head. So an observed 0.00005
//     counts as 0;
//   - a clause with an atom and its negation;
//   - a grounding without any target; of a weighted rule only if it has no deep atom either,
//     with a coefficient other than 0;
//   - an arithmetic potential or inequality with exactly one atom, a target, counting
//     observed atoms and coefficients 0, that holds for every value in [0, 1].
//     There is no other test of this kind: a sum of two atoms <= 2 is kept;
//   - a weighted arithmetic grounding in which a target or deep atom occurs
//     with coefficients of different sign, 0 being a sign of its own. This
//     treats a hinge as if it were a clause and can drop groundings that
//     matter, such as Q(A) <= 0.5 * Q(B) + 0.1 at A = B.
//
// Equal groundings are not merged: a symmetric rule counts twice. A filter with a disjunction
// becomes a rule for each alternative; an atom that passes both counts in both.
//
// An atom of an open predicate that a clause looks up and that is not in the
// database is an error, unless an observed literal satisfies the clause;
// Options.DropMissing can drop the grounding instead.
//
// # Cost
//
// Joins use hash indexes on the columns that are bound when an atom's turn
// comes; the next atom is always the one with the fewest expected matches.
// Atoms are kept in flat arrays of int32, rows in the arrays of hlmrf.Rows: a
// ground row costs 28 bytes and 12 for each coefficient. Rules are grounded on
// several goroutines; the result does not depend on their number. Options.Planned
// hears of the estimated size of each rule before it is grounded, with a
// warning when it looks as if it would explode; Options.MaxRows stops one
// that does.
package ground
