package psl

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// unary builds P(X).
func unary(predicate, variable string) *Atom {
	return &Atom{Predicate: predicate, Args: []Arg{{Kind: Variable, Name: variable}}}
}

// TestLogicalTrees checks the syntax trees of logical rules.
func TestLogicalTrees(t *testing.T) {
	x, y := Arg{Kind: Variable, Name: "X"}, Arg{Kind: Variable, Name: "Y"}
	a, b, c := Literal{Atom: unary("A", "X")}, Literal{Atom: unary("B", "X")}, Literal{Atom: unary("C", "X")}
	not := func(l Literal) Literal {
		l.Negated = true
		return l
	}
	for _, test := range []struct {
		source string
		want   Logical
	}{
		{"1: A(X) -> B(X)", Logical{[]Literal{a}, []Literal{b}}},
		{"1: B(X) <- A(X)", Logical{[]Literal{a}, []Literal{b}}},
		{"1: A(X) & B(X) -> C(X)", Logical{[]Literal{a, b}, []Literal{c}}},
		{"1: C(X) << A(X) && B(X)", Logical{[]Literal{a, b}, []Literal{c}}},
		{"1: A(X) >> B(X) | C(X)", Logical{[]Literal{a}, []Literal{b, c}}},
		{"1: B(X) || C(X) <- A(X)", Logical{[]Literal{a}, []Literal{b, c}}},
		{"1: !A(X) | B(X)", Logical{nil, []Literal{not(a), b}}},
		{"1: !A(X)", Logical{nil, []Literal{not(a)}}},
		{"1: A(X) & !B(X) -> !C(X)", Logical{[]Literal{a, not(b)}, []Literal{not(c)}}},
		{"1: A(X) -> ~!~C(X)", Logical{[]Literal{a}, []Literal{not(c)}}},
		{"1: A(X) -> !(!(C(X)))", Logical{[]Literal{a}, []Literal{c}}},
		{"1: (A(X) & (B(X) & (!C(X)))) -> (C(X))", Logical{[]Literal{a, b, not(c)}, []Literal{c}}},
		{"1: A(X) & A(Y) & X != Y -> B(X)", Logical{[]Literal{a, {Atom: unary("A", "Y")}, {Compare: &Compare{Op: NotEqual, Left: x, Right: y}}}, []Literal{b}}},
		{"1: A(X) & (X % 'k') -> B(X)", Logical{[]Literal{a, {Compare: &Compare{Op: Before, Left: x, Right: Arg{Kind: Constant, Name: "k"}}}}, []Literal{b}}},
		{"1: A(X) & A(Y) -> X == Y", Logical{[]Literal{a, {Atom: unary("A", "Y")}}, []Literal{{Compare: &Compare{Op: Equal, Left: x, Right: y}}}}},
		{"1: A(X) & A(Y) & !(X - Y) -> B(X)", Logical{[]Literal{a, {Atom: unary("A", "Y")}, {Negated: true, Compare: &Compare{Op: NotEqual, Left: x, Right: y}}}, []Literal{b}}},
	} {
		got := bare(parse(t, test.source))[0].(*Rule)
		if !reflect.DeepEqual(*got.Logical, test.want) || got.Arithmetic != nil || got.Hard || got.Weight != 1 {
			t.Errorf("%s is %+v, want %+v", test.source, got.Logical, test.want)
		}
	}
}

// TestArithmeticTrees checks the parts of arithmetic rules that the printed
// form does not show unambiguously.
func TestArithmeticTrees(t *testing.T) {
	r := bare(parse(t, "2: 1 - P(X) + 0 * (X != 'k') >= |Y| * Q(X, +Y) - 3 ^2 {Y: A(Y) | B(Y) & X == Y}"))[0].(*Rule)
	x, y := Arg{Kind: Variable, Name: "X"}, Arg{Kind: Variable, Name: "Y"}
	k := Arg{Kind: Constant, Name: "k"}
	want := &Rule{Weight: 2, Squared: true, Arithmetic: &Arithmetic{
		Left:  Linear{Terms: []Term{{Number(-1), unary("P", "X")}}, Const: Number(1)},
		Right: Linear{Terms: []Term{{Cardinality{Var: "Y"}, &Atom{Predicate: "Q", Args: []Arg{x, {Kind: Summation, Name: "Y"}}}}}, Const: Number(-3)},
		Rel:   GreaterEqual,
		Where: []Compare{{Op: NotEqual, Left: x, Right: k}},
		Filters: []Filter{{Var: "Y", Cond: &Cond{Op: Or, Parts: []*Cond{
			{Literal: Literal{Atom: unary("A", "Y")}},
			{Op: And, Parts: []*Cond{{Literal: Literal{Atom: unary("B", "Y")}}, {Literal: Literal{Compare: &Compare{Op: Equal, Left: x, Right: y}}}}},
		}}}},
	}}
	assert.Equal(t, want, r)
	if r := parse(t, "P(X) = 0 .").Rules[0]; !r.Hard || r.Weight != 0 || r.Arithmetic.Right.Const != nil || r.Arithmetic.Rel != Same {
		t.Errorf("P(X) = 0 is %+v", r.Arithmetic)
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
