package psl

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// unary builds P(X).
func unary(predicate, variable string) *Atom {
	return &Atom{Predicate: predicate, Args: []Arg{{Kind: Variable, Name: variable}}}
}

// TestTrees checks the trees of a logical and an arithmetic rule with all their parts; TestParsePrint
// has the other ways to write them.
func TestTrees(t *testing.T) {
	x, y := Arg{Kind: Variable, Name: "X"}, Arg{Kind: Variable, Name: "Y"}
	k := Arg{Kind: Constant, Name: "k"}
	for source, want := range map[string]*Rule{
		"1: C(X) || !(X - 'k') << A(X) && !B(X)": {Weight: 1, Logical: &Logical{
			Body: []Literal{{Atom: unary("A", "X")}, {Negated: true, Atom: unary("B", "X")}},
			Head: []Literal{{Atom: unary("C", "X")}, {Negated: true, Compare: &Compare{Op: NotEqual, Left: x, Right: k}}},
		}},
		"!A(X) | X == X | X % 'k' .": {Hard: true, Logical: &Logical{Head: []Literal{{Negated: true, Atom: unary("A", "X")},
			{Compare: &Compare{Op: Equal, Left: x, Right: x}}, {Compare: &Compare{Op: Before, Left: x, Right: k}}}}},
		"2: 1 - P(X) + 0 * (X != 'k') >= |Y| * Q(X, +Y) - 3 ^2 {Y: A(Y) | B(Y) & X == Y}": {Weight: 2, Squared: true, Arithmetic: &Arithmetic{
			Left:  Linear{Terms: []Term{{Number(-1), unary("P", "X")}}, Const: Number(1)},
			Right: Linear{Terms: []Term{{Cardinality{Var: "Y"}, &Atom{Predicate: "Q", Args: []Arg{x, {Kind: Summation, Name: "Y"}}}}}, Const: Number(-3)},
			Rel:   GreaterEqual,
			Where: []Compare{{Op: NotEqual, Left: x, Right: k}},
			Filters: []Filter{{Var: "Y", Cond: &Cond{Op: Or, Parts: []*Cond{
				{Literal: Literal{Atom: unary("A", "Y")}},
				{Op: And, Parts: []*Cond{{Literal: Literal{Atom: unary("B", "Y")}}, {Literal: Literal{Compare: &Compare{Op: Equal, Left: x, Right: y}}}}},
			}}}},
		}},
		"P(X) = 0 .": {Hard: true, Arithmetic: &Arithmetic{Left: Linear{Terms: []Term{{Number(1), unary("P", "X")}}}, Rel: Same}},
	} {
		assert.Equal(t, want, bare(parse(t, source))[0], source)
	}
}

// TestAccepted lists rules at the edge of what the checks allow.
func TestAccepted(t *testing.T) {
	for _, source := range []string{
		"1: A('x') -> B('y')",                         // no variables
		"1: A(X) & X == 'x' -> B(X)",                  // bound by the atom
		"1: !B(X) | A(X)",                             // bound by a negated atom of the head
		"1: A(X) -> A(X)",                             // a tautology
		"1: A(X) & !B(X) & X != 'x' -> !C(X) | D(X)",  // bound by A alone
		"1: P(A) <= P(A)",                             //
		"1: P(A) + Q(+A2) <= |A2|",                    // names that begin alike
		"1: P(A, +B) <= Q(A) {B: R(A) & S('x')}",      // a filter that does not use B
		"1: P(+A, +B) <= 1 {A: Q(A)} {B: Q(B)}",       // filters for both
		"1: P(+A, +B) <= |A| / |B|",                   //
		"0: P(A) = 1",                                 // weight 0
		"1: A(X) -> B(X) ^1",                          //
		"1: P(X) / (2 - 1) <= 1",                      // folds to a division by 1
		"1: 0 * P(X) + Q(X) <= 1",                     //
		"1: A(A) & B(B) -> A(B)",                      // predicates and variables do not clash
		"1: A(X) & B(Y) & (X - Y) & (X ^ Y) -> A(Y)",  // aliases
		"1: @Max[|B|, 1] * P(+B) / @Min[2, 4] <= 0.5", //
	} {
		p := parse(t, source)
		assert.Lenf(t, p.Rules, 1, "%s", source)
		if n := len(p.Rules[0].Atoms()); n == 0 {
			t.Errorf("%s: no atoms", source)
		}
	}
}
