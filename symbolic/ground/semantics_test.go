package ground_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/psl"
)

func groundText(t testing.TB, rules string, db *ground.Database, opts ground.Options) (*hlmrf.Program, error) {
	t.Helper()
	p, err := psl.Parse("rules.psl", []byte(rules))
	require.NoError(t, err)
	return ground.Ground(context.Background(), p, db, opts)
}

// TestSemantics states each decision about groundings by an example. A row is
// "targets | deep | constant".
func TestSemantics(t *testing.T) {
	for _, c := range []struct {
		name, rules, atoms string
		opts               ground.Options
		want               string
	}{
		{name: "clause", rules: "1: P(A) & Q(A) -> R(A)", atoms: "target P(1); target Q(1); target R(1)",
			want: "soft | 1*P(1) 1*Q(1) -1*R(1) | | -1"},
		{name: "hard clause", rules: "P(A) -> R(A) .", atoms: "target P(1); target R(1)",
			want: "<= | 1*P(1) -1*R(1) | | 0"},
		{name: "negated body", rules: "1: !P(A) & Q(A) -> R(A)", atoms: "target P(1); target Q(1); target R(1)",
			want: "soft | -1*P(1) 1*Q(1) -1*R(1) | | 0"},
		{name: "prior", rules: "1: !P(A)", atoms: "target P(1); target P(2); obs P(3) 0.5",
			want: "soft | 1*P(1) | | 0; soft | 1*P(2) | | 0"},
		{name: "observed atoms move to the constant", rules: "1: P(A) & Q(A) -> R(A)", atoms: "obs P(1) 0.75; target Q(1); obs R(1) 0.5",
			want: "soft | 1*Q(1) | | -0.75"},
		{name: "deep atoms do not", rules: "1: N(A) & Q(A) -> R(A)", atoms: "deep N(1); target Q(1); obs R(1) 0.5",
			want: "soft | 1*Q(1) | 1*N(1) | -1.5"},
		{name: "deep atoms alone are constants with a gradient", rules: "1: N(A) -> R(A)\n1: N(A) <= 0.5", atoms: "deep N(1); obs R(1) 0.5",
			want: "soft | | 1*N(1) | -0.5; soft | | 1*N(1) | -0.5"},
		{name: "hard rules of deep atoms alone are not grounded", rules: "N(A) -> R(A) .\nN(A) <= 0.5 .\n1: 0 * N(A) <= 0 - R(A)", atoms: "deep N(1); obs R(1) 0.5"},
		{name: "closed world", rules: "1: P(A) & !C(A, A) -> R(A)", atoms: "target P(1); target R(1); obs C(1,2)",
			want: "soft | 1*P(1) -1*R(1) | | 0"},
		{name: "closed world satisfies", rules: "1: !C(A, A) & P(A) -> R(A)", atoms: "target P(1); target R(1); obs C(1,1)"},
		{name: "nearly 0 in the body", rules: "1: P(A) -> R(A)", atoms: "obs P(1) 0.0001; obs P(2) 0.000101; target R(1); target R(2)",
			want: "soft | -1*R(2) | | 0.000101"},
		{name: "nearly 1 in the head", rules: "1: R(A) -> P(A)", atoms: "obs P(1) 0.99991; obs P(2) 0.9998; target R(1); target R(2)",
			want: "soft | 1*R(2) | | -0.9998"},
		{name: "tautology", rules: "1: R(A) & Q(A, B) -> R(B)", atoms: "target R(1); obs Q(1,1)"},
		{name: "hard tautology", rules: "R(A) & Q(A, B) -> R(B) .", atoms: "target R(1); obs Q(1,1)"},
		{name: "equal signs add up", rules: "1: R(A) & R(B) & Q(A, B) -> S(A)", atoms: "target R(1); obs Q(1,1); target S(1)",
			want: "soft | 2*R(1) -1*S(1) | | -1"},
		{name: "symmetric rules ground twice", rules: "1: R(A) & R(B) & A != B -> S('x')", atoms: "target R(1); target R(2); target S(x)",
			want: "soft | 1*R(1) 1*R(2) -1*S(x) | | -1; soft | 1*R(1) 1*R(2) -1*S(x) | | -1"},
		{name: "each pair once", rules: "1: R(A) & R(B) & A % B -> S('x')", atoms: "target R(10); target R(9); target S(x)",
			want: "soft | 1*R(10) 1*R(9) -1*S(x) | | -1"},
		{name: "numbers in order", rules: "1: R(A) & Q(B) & A % B -> S('x')", atoms: "target R(10); target Q(9); target S(x)"},
		{name: "equal variables", rules: "1: R(A) & Q(B) & A == B & B == C & T(C) -> S(A)", atoms: "target R(1); target R(2); target Q(1); target Q(2); target S(1); target S(2); obs T(1)",
			want: "soft | 1*Q(1) 1*R(1) -1*S(1) | | -1"},
		{name: "variable equal to a constant", rules: "1: R(A) & A == '2' -> S(A)", atoms: "target R(1); target R(2); target S(1); target S(2)",
			want: "soft | 1*R(2) -1*S(2) | | 0"},
		{name: "unequal constants", rules: "1: R(A) & 'x' == 'y' -> S(A)\n1: R(A) & A == 'x' & A == 'y' -> S(A)", atoms: "target R(x); target S(x)"},
		{name: "comparison in the head", rules: "1: R(A) & R(B) -> A == B", atoms: "target R(1); target R(2)",
			want: "soft | 1*R(1) 1*R(2) | | -1; soft | 1*R(1) 1*R(2) | | -1"},
		{name: "ground clause", rules: "1: R('1') -> S('2')", atoms: "target R(1); target S(2)", want: "soft | 1*R(1) -1*S(2) | | 0"},
		{name: "unknown constant", rules: "1: R('7') -> S('2')\nR('7') = 1 .", atoms: "target R(1); target S(2)"},

		{name: "inequalities", rules: "1: 2*R(A) + 1 <= S(A) + C(A)\n2: R(A) >= 0.5 * S(A)", atoms: "target R(1); target S(1); obs C(1) 0.25",
			want: "soft | -1*R(1) 0.5*S(1) | | 0; soft | 2*R(1) -1*S(1) | | 0.75"},
		{name: "weighted equality", rules: "1: R(A) = S(A) + 0.5 ^2", atoms: "target R(1); target S(1)",
			want: "soft | -1*R(1) 1*S(1) | | 0.5; soft | 1*R(1) -1*S(1) | | -0.5"},
		{name: "hard equality", rules: "R(A) = 1 .", atoms: "target R(1)", want: "= | 1*R(1) | | -1"},
		{name: "zero coefficients join", rules: "1: R(A) + 0 * C(A) <= 0.5", atoms: "target R(1); target R(2); obs C(2)",
			want: "soft | 1*R(2) | | -0.5"},
		{name: "trivial with one atom", rules: "1: R(A) <= 1\n1: R(A) >= 0\nR(A) >= 0 .\n1: 0.5 * R(A) <= 0.5\n1: -R(A) <= 0", atoms: "target R(1)"},
		{name: "half of an equality is trivial", rules: "1: R(A) = 0\n1: S(A) = 1", atoms: "target R(1); target S(1)",
			want: "soft | -1*S(1) | | 1; soft | 1*R(1) | | 0"},
		{name: "not trivial with one atom", rules: "1: 2 * R(A) <= 1.5", atoms: "target R(1)", want: "soft | 2*R(1) | | -1.5"},
		{name: "trivial with two atoms", rules: "1: C(A) + R(A) <= 2\n1: R(A) + 0 * C(A) <= 1", atoms: "target R(1); obs C(1) 0.5",
			want: "soft | 1*R(1) | | -1.5; soft | 1*R(1) | | -1"},
		{name: "opposed", rules: "1: R(A) - 0.5*R(B) + 0*C(A, B) <= 0.1\n1: 0*R(A) + R(B) + 0*C(A, B) <= 0.25", atoms: "target R(1); target R(2); obs C(1,1); obs C(1,2)",
			want: "soft | 1*R(1) -0.5*R(2) | | -0.1; soft | 1*R(2) | | -0.25"},
		{name: "opposed and hard", rules: "R(A) - 0.5*R(B) + 0*C(A, B) <= 0.1 .\nR(A) + 0*C(A, B) = R(B) .", atoms: "target R(1); obs C(1,1)",
			want: "<= | 0.5*R(1) | | -0.1; = | | | 0"},
		{name: "opposed neural outputs", rules: "1: N(A) - N(B) + R(A) + 0*C(A, B) <= 0.1", atoms: "deep N(1); target R(1); obs C(1,1)"},
		{name: "only target has coefficient 0", rules: "1: C(A) + 0 * R(A) >= 1", atoms: "target R(1); obs C(1) 0.25",
			want: "soft | | | 0.75"},
		{name: "ground arithmetic", rules: "R('1') + S('1') = 1 .", atoms: "target R(1); target S(1)", want: "= | 1*R(1) 1*S(1) | | -1"},
		{name: "comparisons join", rules: "1: R(A) + R(B) + 0 * (A % B) <= 1", atoms: "target R(1); target R(2)", want: "soft | 1*R(1) 1*R(2) | | -1"},

		{name: "sum", rules: "V(A, +P) = 1 .", atoms: "target V(a,1); target V(a,2); target V(b,1); obs V(b,2) 0.25",
			want: "= | 1*V(a,1) 1*V(a,2) | | -1; = | 1*V(b,1) | | -0.75"},
		{name: "sum over everything", rules: "V(+A, +P) <= 1 .", atoms: "target V(a,1); target V(b,2)", want: "<= | 1*V(a,1) 1*V(b,2) | | -1"},
		{name: "sum over nothing", rules: "V(+A, +P) + R(+X) <= 1 .", atoms: "target R(1)"},
		{name: "sum with a constant", rules: "V('a', +P) = 1 .", atoms: "target V(a,1); target V(b,2)", want: "= | 1*V(a,1) | | -1"},
		{name: "sum binds variables", rules: "1: V(A, +P) >= R(B)", atoms: "target V(a,1); target V(a,2); target R(7)",
			want: "soft | 1*R(7) -1*V(a,1) -1*V(a,2) | | 0"},
		{name: "two sums", rules: "1: V(A, +P) <= V(+B, A)", atoms: "target V(a,1); target V(b,a)", want: "soft | 1*V(a,1) -1*V(b,a) | | 0"},
		{name: "cardinality", rules: "1: V(A, +P) / |P| <= R(A) + |P|", atoms: "target V(a,1); target V(a,2); target V(b,1); target R(a); target R(b)",
			want: "soft | -1*R(a) 0.5*V(a,1) 0.5*V(a,2) | | -2; soft | -1*R(b) 1*V(b,1) | | -1"},
		{name: "cardinality of pairs", rules: "1: V(+A, +P) <= |A| + 10 * |P|", atoms: "target V(a,1); target V(a,2); target V(b,2)",
			want: "soft | 1*V(a,1) 1*V(a,2) 1*V(b,2) | | -33"},
		{name: "cardinality of a closed predicate", rules: "1: R(A) = C(A, +B) / |B|", atoms: "target R(a); target R(b); obs C(a,1); obs C(b,2)",
			want: "soft | -1*R(a) | | 0.5; soft | -1*R(b) | | 0.5; soft | 1*R(a) | | -0.5; soft | 1*R(b) | | -0.5"},
		{name: "cardinality of closed pairs", rules: "1: R(A) <= C(+B, +D) + 0.01 * |B| + 0.01 * |D|", atoms: "target R(a); obs C(1,1); obs C(1,2); obs C(2,3)",
			want: "soft | 1*R(a) | | -3.12"},
		// The reference, pslpython 2.4.1, counts 2, 3 and 3 here.
		{name: "cardinality with a repeated variable", rules: "1: |D| * C(Y, +D, Y) <= R(Y)", atoms: "target R(a); target R(b); obs C(a,a,a); obs C(b,b,b); obs C(a,c,b)",
			want: "soft | -1*R(a) | | 2; soft | -1*R(b) | | 2"},
		{name: "cardinality with equal variables", rules: "1: |D| * C(Y, +D, Z) + 0 * (Y == Z) <= R(Y)", atoms: "target R(a); target R(b); obs C(a,a,a); obs C(b,b,b); obs C(a,c,b)",
			want: "soft | -1*R(a) | | 3; soft | -1*R(b) | | 3"},
		{name: "cardinality with a variable that is a constant", rules: "1: |D| * C(Y, +D, Z) + 0 * (Z == 'a') <= R(Y)", atoms: "target R(a); target R(b); obs C(a,a,a); obs C(b,b,b); obs C(a,c,b)",
			want: "soft | -1*R(a) | | 3"},
		{name: "filtered cardinality of a closed predicate", rules: "1: R(A) <= 0.01 * |B| + C(A, +B) {B: B != '2' & !D(B, A)}",
			atoms: "target R(a); target R(b); obs C(a,1) 0.5; obs C(b,2); obs C(b,3) 0.25; obs C(c,4); obs C(c,5); obs D(5,a)",
			want:  "soft | 1*R(a) | | -0.53; soft | 1*R(b) | | -0.29"},
		{name: "a repeated literal counts once", rules: "1: P(A) & P(A) & !r(A) -> R(A)", atoms: "target P(1); target R(1)",
			want: "soft | 1*P(1) -1*R(1) | | 0"},
		{name: "filter", rules: "1: |P| * V(A, +P) <= R(A) {P: C(P) & !D(A, P) & P != '3'}",
			atoms: "target V(a,1); target V(a,2); target V(a,3); target V(a,4); target R(a); obs C(1) 0.1; obs C(2) 0.2; obs C(3); obs C(4) 0; obs D(a,2); obs D(a,1) 0",
			want:  "soft | -1*R(a) 1*V(a,1) | | 0"},
		{name: "filter leaves nothing", rules: "1: V(A, +P) + R(A) <= 0.5 {P: C(P)}\n1: V(A, +P) <= 0.5 {P: C(P)}", atoms: "target V(a,1); target R(a); obs C(9)",
			want: "soft | 1*R(a) | | -0.5"},
		{name: "disjunction in a filter splits", rules: "1: V(+P) <= 0.5 {P: C(P) | D(P, P)}", atoms: "target V(1); target V(2); target V(3); obs C(1); obs C(2); obs D(2,2); obs D(3,3)",
			want: "soft | 1*V(1) 1*V(2) | | -0.5; soft | 1*V(2) 1*V(3) | | -0.5"},

		{name: "missing atom dropped", rules: "1: P(A) -> R(A)", atoms: "target P(1); target P(2); target R(2)", opts: ground.Options{DropMissing: true},
			want: "soft | 1*P(2) -1*R(2) | | 0"},
		{name: "missing atom of a satisfied clause", rules: "1: P(A) -> R(A)", atoms: "obs P(1) 0; target R(2)"},
		{name: "no missing atoms in sums", rules: "1: P(A) <= R(+B)", atoms: "target P(1); target R(2)", want: "soft | 1*P(1) -1*R(2) | | 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := declare(t, "P/1", "Q/"+arityOf(c.rules, "Q"), "R/1", "S/1", "T/1", "N/1", "C/"+arityOf(c.rules, "C"), "D/2", "V/"+arityOf(c.rules, "V"))
			for _, a := range strings.Split(c.atoms, "; ") {
				fill(t, db, a)
			}
			p, err := groundText(t, c.rules, db, c.opts)
			require.NoError(t, err)
			require.NoError(t, p.Check())
			var want []string
			for _, w := range strings.Split(c.want, "; ") {
				if w != "" {
					want = append(want, w)
				}
			}
			slices.Sort(want)
			if got := programRows(p); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestOneAtom: a row about one atom is kept where the atom can violate it, however little,
// and says by how much; it is left out where the atom cannot.
func TestOneAtom(t *testing.T) {
	for _, c := range []struct {
		rule  string
		worst float64 // value of the atom
		by    float64
	}{
		{"R(A) <= 0.5", 1, 0.5}, {"R(A) <= 0.96", 1, 0.04}, {"R(A) <= 0.999", 1, 1e-3}, {"R(A) <= 0.999999999", 1, 1e-9},
		{"R(A) >= 0.04", 0, 0.04}, {"R(A) >= 0.000000001", 0, 1e-9}, {"-R(A) <= -0.04", 0, 0.04}, {"0.5 * R(A) + 0.501 <= 1", 1, 1e-3},
		{"R(A) <= 1", 1, 0}, {"R(A) <= 1.04", 1, 0}, {"R(A) >= 0", 0, 0}, {"0.5 * R(A) + 0.499 <= 1", 1, 0},
	} {
		for _, text := range []string{c.rule + " .", "1: " + c.rule} {
			db := declare(t, "R/1")
			fill(t, db, "target R(1)")
			p, err := groundText(t, text, db, ground.Options{})
			require.NoError(t, err)
			y := []float64{c.worst}
			if rows := len(p.Relations) + len(p.PotentialRule); rows > 1 || rows == 1 != (c.by > 0) {
				t.Errorf("%s: %d rows, can be violated by %v", text, rows, c.by)
			} else if got := p.Violation(y, nil) + p.Energy(y, nil, nil); math.Abs(got-c.by) > 1e-15 {
				t.Errorf("%s: R(1) = %v violates it by %v, want %v", text, c.worst, got, c.by)
			}
		}
	}
}

// arityOf counts the arguments of a predicate's first atom in the rules.
func arityOf(rules, pred string) string {
	_, rest, ok := strings.Cut(rules, pred+"(")
	if !ok {
		return "1"
	}
	args, _, _ := strings.Cut(rest, ")")
	return string('1' + rune(strings.Count(args, ",")))
}

func TestRuleErrors(t *testing.T) {
	for _, c := range []struct{ name, rules, atoms, want string }{
		{"unknown predicate", "1: P(A) -> Knowz(A, A)", "target P(1)",
			"rules.psl:1:12: unknown predicate Knowz\n    1: P(A) -> Knowz(A, A)\n               ^\n    hint: did you mean Knows?"},
		{"unknown predicate in a filter", "\nKnows(A, +B) = 1 . {B: Zebra(B)}", "target Knows(1,2)",
			"rules.psl:2:24: unknown predicate Zebra\n    Knows(A, +B) = 1 . {B: Zebra(B)}\n                           ^\n    hint: declare it, or give it data"},
		{"arity", "1: P(A) -> Knows(A)", "target P(1)",
			"rules.psl:1:12: Knows has 1 argument here, but is declared with 2\n    1: P(A) -> Knows(A)\n               ^"},
		{"missing atom", "1: P(A) & Knows(A, B) -> P(B)", "target P(1); target Knows(1,2)",
			"rules.psl:1:26: P(2) is neither observed nor a target (A = 1, B = 2)\n    1: P(A) & Knows(A, B) -> P(B)\n                             ^\n    hint: add it to the targets, or restrict the rule"},
		{"missing atom without variables", "1: P(A) -> Knows(A, 'nobody')", "target P(1); target Knows(1,2)",
			"rules.psl:1:12: Knows(1,nobody) is neither observed nor a target (A = 1)\n    1: P(A) -> Knows(A, 'nobody')\n               ^\n    hint: add it to the targets, or restrict the rule"},
		{"open filter", "Knows(A, +B) = 1 . {B: P(B)}", "target Knows(1,2); target P(1)",
			"rules.psl:1:24: the filter asks for P, which has targets or is neural\n    Knows(A, +B) = 1 . {B: P(B)}\n                           ^\n    hint: a filter must be decided by the data: use predicates that are only observed"},
		{"division by nothing", "1: Knows(A, +B) + P(A) / |B| <= 1 {B: B == 'x'}", "target Knows(1,2); target P(1)",
			"rules.psl:1:1: a coefficient is not finite (A = 1)\n    1: Knows(A, +B) + P(A) / |B| <= 1 {B: B == 'x'}\n    ^\n    hint: a number of values |...| is 0 here; divide by @Max[1, |...|]"},
		{"the first rule with an error", "1: P(A) -> P(A)\n1: P(A) -> Knows(A, A)\n1: P(A) -> Knows('1', A)", "target P(1); target P(3); target Knows(1,1)",
			"rules.psl:2:12: Knows(3,3) is neither observed nor a target (A = 3)\n    1: P(A) -> Knows(A, A)\n               ^\n    hint: add it to the targets, or restrict the rule"},
		{"filter explosion", "P(+B) = 1 . {B: " + strings.TrimSuffix(strings.Repeat("(B == 'a' | B == 'b') & ", 9), " & ") + "}", "target P(1)",
			"rules.psl:1:13: the filters have more than 256 alternatives"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := declare(t, "P/1", "Knows/2")
			for _, a := range strings.Split(c.atoms, "; ") {
				fill(t, db, a)
			}
			_, err := groundText(t, c.rules, db, ground.Options{})
			var e *psl.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if got := e.Detail(); got != c.want && !(c.name == "filter explosion" && strings.HasPrefix(got, c.want)) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
