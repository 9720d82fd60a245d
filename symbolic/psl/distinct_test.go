package psl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rules that say the same as an earlier one go, all others stay.
func TestDistinct(t *testing.T) {
	for _, c := range []struct {
		rules string
		kept  int
	}{
		{"1: A(X) -> B(X)\n2: A(X) -> B(X)", 1},
		{"1: A(X) & C(X) -> B(X)\n1: C(X) & A(X) -> B(X)", 1},
		{"1: A(X) -> B(X)\n1: !B(X) -> !A(X)", 1}, // contrapositive
		{"1: A(X) -> B(X)\n1: !A(X) | B(X)", 1},
		{"1: A(X) & A(X) -> B(X)\n1: a(X) -> b(X)", 1},
		{"1: A(X) -> B(X)\n1: A(X) -> B(X) ^2", 2},
		{"1: A(X) -> B(X)\nA(X) -> B(X) .", 2},
		{"1: A(X) -> B(X)\n1: A(Y) -> B(Y)", 2},
		{"1: A(X) -> B(X)\n1: B(X) -> A(X)", 2},
		{"1: A(X, 'x') -> B(X)\n1: A(X, x) & C(x) -> B(X)", 2},
		{"1: A(X) + B(X) <= 1\n3: 0 <= 1 - A(X) - B(X)", 1},
		{"1: A(X) + B(X) <= 1\n3: A(X) <= 1 - B(X)", 1},
		{"1: A(X) + B(X) <= 1\n3: A(X) + B(X) <= 0.5", 2},
		{"1: A(X) + B(X) <= 1 ^2\n3: A(X) + B(X) <= 1", 2},
		{"A(+X) = 1 . {X: B(X)}\nA(+X) = 1 . {X: C(X)}\nA(+X) = 1 . {X: B(X)}", 2},
		{"1: |X| * A(+X) <= 1\n1: A(+X) <= 1", 2},
	} {
		p, err := Parse("m.psl", []byte(c.rules))
		require.NoError(t, err)
		all := len(p.Rules)
		first := p.Rules[0]
		w := p.Distinct()
		if len(p.Rules) != c.kept || len(w) != all-c.kept || p.Rules[0] != first {
			t.Errorf("%s\nkept %d, warnings %v", c.rules, len(p.Rules), w)
		}
		if len(w) > 0 && !strings.Contains(w[0].String(), "m.psl:1:") {
			t.Errorf("the warning does not name the first rule: %v", w[0])
		}
	}
}

func TestRepeated(t *testing.T) {
	p, err := Parse("m.psl", []byte("1: A(X) & A(X) -> B(X)\n1: A(X) -> B(X) | !A(X)\n1: A(X) & !A(X) -> B(X)\n1: A(X) + A(X) <= 1"))
	require.NoError(t, err)
	w := p.Repeated()
	if len(w) != 2 || w[0].Pos.Line != 1 || w[0].Pos.Col != 11 || w[1].Pos.Line != 2 {
		t.Errorf("warnings %v", w)
	}
}

// TestWarnings lists what is read with a doubt.
func TestWarnings(t *testing.T) {
	for _, c := range []struct{ src, rules, warning string }{
		{"1: A(X) &\n& B(X) -> C(X)", "1: A(X) & B(X) -> C(X)", "m:2:1: the & is doubled (remove one of the two)"},
		{"-2: A(X)", "2: !A(X)", "m:1:1: the weight is negative; the rule is taken as 2: !A(X) (write it so)"},
		{"-2: !A(X)", "2: A(X) >= 1", "m:1:1: the weight is negative; the rule is taken as 2: A(X) >= 1 (write it so)"},
		{"1: A(X, '') -> B(X)", "1: A(X, '') -> B(X)", "m:1:9: the constant is empty (no atom of the data has one)"},
		{"1: A(X, 'a\nb') -> B(X)", "1: A(X, 'a\\nb') -> B(X)", "m:1:9: a constant with a line break (write \\n, or close the quote before the break)"},
		{"1: A\n(X) -> B\n(X)", "1: A(X) -> B(X)", ""},
		{"1: A(X) & X != Y & B(Y)\n-> C(X)\nA(X) & (X == Y) & B(Y) -> C(Y) .", "1: A(X) & (X != Y) & B(Y) -> C(X)\nA(X) & (X == Y) & B(Y) -> C(Y) .", ""},
		{"1: 0.5A(X) <= 1", "1: 0.5 * A(X) <= 1", ""},
		{"1: 1 + 2 * 3 * A(X) = 9", "1: 6 * A(X) + 1 = 9",
			"m:1:6: the reference system joins the numbers on both sides of this + to one coefficient, here it ends the term (put the coefficient and its atom in parentheses)"},
		{"1: A(X) / 2 + 0.1 = 9", "1: 0.5 * A(X) + 0.1 = 9",
			"m:1:13: the reference system joins the numbers on both sides of this + to one coefficient, here it ends the term (put the coefficient and its atom in parentheses)"},
		// The reference's grammar has no coefficient behind an atom but of a quotient.
		{"1: A(X) * 2 * 3 + 0.1 = 9", "1: 6 * A(X) + 0.1 = 9", ""},
		{"1: A(X) / 4 * 2 + 0.1 = 9", "1: 0.5 * A(X) + 0.1 = 9",
			"m:1:13: the reference system divides by all that the numbers before and after this * come to, here they are taken one after the other (write one number)\n" +
				"m:1:17: the reference system joins the numbers on both sides of this + to one coefficient, here it ends the term (put the coefficient and its atom in parentheses)"},
		{"A(X) - 0.2 + 0.1 = 0.3 .", "A(X) - 0.1 = 0.3 .",
			"m:1:12: the reference system subtracts all that the numbers before and after this + come to, here the minus sign belongs to the first alone (write one number)"},
		{"A(X) + 0.2 - 0.1 = 0.3 .", "A(X) + 0.1 = 0.3 .", ""},
		{"1: 1 + (2 * A(X)) = 9", "1: 2 * A(X) + 1 = 9", ""},
		{"1: 1 + A(X) - B(X) = 2 * A(X)", "1: A(X) - B(X) + 1 = 2 * A(X)", ""},
	} {
		p, err := Parse("m", []byte(c.src))
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		var got []string
		for _, w := range p.Warnings {
			got = append(got, w.String())
		}
		if p.String() != c.rules+"\n" || strings.Join(got, "\n") != c.warning {
			t.Errorf("%s\nis read as\n%swith the warnings\n%s", c.src, p, strings.Join(got, "\n"))
		}
	}
	// What has no rule of positive weight stays an error.
	for _, src := range []string{"-1: A(X) -> B(X)", "-1: A(X) ^2", "-1: A(X) <= 1", "1: A('a) -> B(X)\n1: A('b') -> B(X)"} {
		if p, err := Parse("m", []byte(src)); err == nil {
			t.Errorf("%s is read as %s", src, p)
		}
	}
}
