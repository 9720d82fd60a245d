package psl

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestParsePrint lists what is accepted beside its canonical form.
func TestParsePrint(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"weighted", "1.0: A(X) -> B(X)", "1: A(X) -> B(X)\n"},
		{"hard", "A(X)->B(X).", "A(X) -> B(X) .\n"},
		{"exponents", "2: A(X) -> B(X) ^1\n2: A(X) -> B(X) ^2", "2: A(X) -> B(X)\n2: A(X) -> B(X) ^2\n"},
		{"weights", "1e-3: !A(X)\n1E+2: !A(X)\n0: !A(X)\n1e21: !A(X)\n0.1: !A(X)", "0.001: !A(X)\n100: !A(X)\n0: !A(X)\n1e+21: !A(X)\n0.1: !A(X)\n"},
		{"arrows", "1: A(X) >> B(X)\n1: B(X) <- A(X)\n1: B(X) << A(X)", strings.Repeat("1: A(X) -> B(X)\n", 3)},
		{"connectives", "1: A(X) && B(X) & C(X) -> D(X) || E(X) | F(X)", "1: A(X) & B(X) & C(X) -> D(X) | E(X) | F(X)\n"},
		{"negations", "1: ~A(X) & !!B(X) & C(X) -> ~!~D(X)\n1: !(A(X)) | !(!(!B(X)))", "1: !A(X) & B(X) & C(X) -> !D(X)\n1: !A(X) | !B(X)\n"},
		{"parentheses", "1: ((A(X) & (B(X))) & (C(X))) -> (D(X) | (E(X)))", "1: A(X) & B(X) & C(X) -> D(X) | E(X)\n"},
		{"disjunction", "1: !A(X) | B(X)", "1: !A(X) | B(X)\n"},
		{"head first", "1: B(X) | C(X) <- A(X) & D(X)", "1: A(X) & D(X) -> B(X) | C(X)\n"},
		{"constants", `1: A(X, 'a b') & B(X, "it's") -> C(X, '\\\'\"\n\t\r')`, `1: A(X, 'a b') & B(X, 'it\'s') -> C(X, '\\\'"\n\t\r')` + "\n"},
		{"term operators", "1: A(X) & A(Y) & X != Y & (X == 'a') & X - Y & X % Y & (X ^ Y) & !(X == Y) -> B(X, Y)",
			"1: A(X) & A(Y) & (X != Y) & (X == 'a') & (X != Y) & (X % Y) & (X % Y) & !(X == Y) -> B(X, Y)\n"},
		{"comparison in the head", "1: A(X) & A(Y) -> X == Y", "1: A(X) & A(Y) -> (X == Y)\n"},
		{"names", "1: $a_1(x, _y) -> B(x, _y)", "1: $a_1(x, _y) -> B(x, _y)\n"},
		{"relations", "1: P(A) <= 1\n1: P(A) >= 0.5\n1: P(A) = 0", "1: P(A) <= 1\n1: P(A) >= 0.5\n1: P(A) = 0\n"},
		{"coefficients", "1: 2 * P(A) + 3 Q(A) - P(B) / 2 + R(A) * 4 >= -0.5", "1: 2 * P(A) + 3 * Q(A) - 0.5 * P(B) + 4 * R(A) >= -0.5\n"},
		{"constants move last", "1: 1 + P(A) - 2 = 3 - Q(A) + 1", "1: P(A) - 1 = -Q(A) + 4\n"},
		{"nested sums", "1: P(A) - (Q(A) - (R(A) - 1)) <= -(2 * (S(A) + 1) / 4)", "1: P(A) - Q(A) + R(A) - 1 <= -0.5 * S(A) - 0.5\n"},
		{"signs", "1: -P(A) + +Q(A) - -R(A) <= --1", "1: -P(A) + Q(A) + R(A) <= 1\n"},
		{"sign first in a hard rule", "-P(A) <= -1 .\n-1 <= P(A) .\n1: -P(A) <= 1", "0 - P(A) <= -1 .\n0 - 1 <= P(A) .\n1: -P(A) <= 1\n"},
		// pslpython 2.4.1 reads two rules each.
		{"sign first after a sum", "1: P(A) = Q(A) - 0.5\n-1 * P(A)\n- Q(A) >= -0.3 .", "1: P(A) = Q(A) - 0.5\n0 - P(A) - Q(A) >= -0.3 .\n"},
		{"sign first after a clause", "1: P(A) -> Q(A)\n-Q(A) >= -0.3 .", "1: P(A) -> Q(A)\n0 - Q(A) >= -0.3 .\n"},
		{"sign first after a negation", "1: !P(A)\n-1 * Q(A) >= -0.3 .\n1: !P(A) | Q(A)\n-Q(A) >= -0.3 .", "1: !P(A)\n0 - Q(A) >= -0.3 .\n1: !P(A) | Q(A)\n0 - Q(A) >= -0.3 .\n"},
		{"sign first, lines that end in a sum", "1: P(A) = Q(A)\n-1 * P(A) +\nQ(A) >= -0.3 .\n1: P(A) = Q(A)\n-1 * P(A\n) - Q(\nA) >= -0.3 .",
			"1: P(A) = Q(A)\n0 - P(A) + Q(A) >= -0.3 .\n1: P(A) = Q(A)\n0 - P(A) - Q(A) >= -0.3 .\n"},
		{"a sum goes on", "1: P(A) = 0.5\n- Q(A)\nR(A) = 1 .\n1: P(A)\n- Q(A) = 1\n- R(A)\n2: P(A) = 1", "1: P(A) = -Q(A) + 0.5\nR(A) = 1 .\n1: P(A) - Q(A) = -R(A) + 1\n2: P(A) = 1\n"},
		{"bar first", "1: !P(A)\n|B| * P(+B) <= 1 .", "1: !P(A)\n|B| * P(+B) <= 1 .\n"},
		{"zero", "1: 0 * P(A) + 0 + Q(A) <= 0 - 0", "1: 0 * P(A) + Q(A) <= 0\n"},
		{"numbers fold", "1: (1 + 2 * 3) / 2 * P(A) <= @Max[1, 2] + @Min(3, -4)", "1: 3.5 * P(A) <= -2\n"},
		{"cardinality", "1: |B| * P(A, +B) / (|B| - 1) <= |B|", "1: (|B| / (|B| - 1)) * P(A, +B) <= |B|\n"},
		{"cardinality folds", "1: P(A, +B) <= -|B| + 0 * 2 + 1 * |B| / 1", "1: P(A, +B) <= ((-1 * |B|) + |B|)\n"},
		{"functions", "1: @Min[|B|, 2] * P(+B) <= @Max[|B| + 1, 3]", "1: @Min[|B|, 2] * P(+B) <= @Max[(|B| + 1), 3]\n"},
		{"sums", "P(A, +B, +C) = 1 .", "P(A, +B, +C) = 1 .\n"},
		{"filter", "P(+B) = 1 . {B: Q(B)}", "P(+B) = 1 . {B: Q(B)}\n"},
		{"filters", "1: P(A, +B) + R(+C) <= 1 ^2 {B: !Q(B) && B != 'x' | Q(B) & (Q(A) || B == A)}{C: C % A}",
			"1: P(A, +B) + R(+C) <= 1 ^2 {B: !Q(B) & (B != 'x') | Q(B) & (Q(A) | (B == A))} {C: (C % A)}\n"},
		{"weighted filter", "1: P(+B) <= 1 {B: Q(B)}\n2: P(+B) <= 1", "1: P(+B) <= 1 {B: Q(B)}\n2: P(+B) <= 1\n"},
		{"comparisons in sums", "1: (A != B) + 2 * (A % 'x') + P(A) <= Q(B)", "1: P(A) + 0 * (A != B) + 0 * (A % 'x') <= Q(B)\n"},
		{"full stop after a number", "P(A) <= 1.", "P(A) <= 1 .\n"},
		{"comments", "# one\n1: A(X) // two\n-> /* three\nfour */ B(X) # five", "1: A(X) -> B(X)\n"},
		{"byte order mark", "\uFEFF1: !A(X)", "1: !A(X)\n"},
		{"line endings", "1: !A(X)\r\n2: !B(X)\r\n", "1: !A(X)\n2: !B(X)\n"},
		{"no rules", " \n# nothing\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, c.source)
			assert.Equalf(t, c.want, p.String(), "%q is printed as", c.source)
			again := parse(t, p.String())
			assert.Equalf(t, bare(again), bare(p), "%q is not the same rule when printed and parsed again", c.source)
		})
	}
}

func parse(t testing.TB, source string) *Program {
	t.Helper()
	p, err := Parse("test.psl", []byte(source))
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			t.Fatalf("%q: %s", source, e.Detail())
		}
		t.Fatal(err)
	}
	return p
}

// bare copies a program without positions and source.
func bare(p *Program) []any {
	var strip func(v reflect.Value) reflect.Value
	strip = func(v reflect.Value) reflect.Value {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if v.IsNil() {
				return v
			}
			if v.Kind() == reflect.Interface {
				w := reflect.New(v.Type()).Elem()
				w.Set(strip(v.Elem()))
				return w
			}
			w := reflect.New(v.Type().Elem())
			w.Elem().Set(strip(v.Elem()))
			return w
		case reflect.Slice:
			if v.Len() == 0 {
				return reflect.Zero(v.Type())
			}
			w := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			for i := range v.Len() {
				w.Index(i).Set(strip(v.Index(i)))
			}
			return w
		case reflect.Struct:
			w := reflect.New(v.Type()).Elem()
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() && f.Type != reflect.TypeFor[Pos]() {
					w.Field(i).Set(strip(v.Field(i)))
				}
			}
			return w
		}
		return v
	}
	var rules []any
	for _, r := range p.Rules {
		rules = append(rules, strip(reflect.ValueOf(r)).Interface())
	}
	return rules
}

// TestSplit checks where rules end: the printed rules are the wanted lines.
func TestSplit(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"lines", "1: !A(X)\n2: !B(X)\nA(X) = 1 .", "1: !A(X)\n2: !B(X)\nA(X) = 1 .\n"},
		{"one line", "A(X) = 1 . B(X) = 1 . 2: !C(X) 3: !D(X)", "A(X) = 1 .\nB(X) = 1 .\n2: !C(X)\n3: !D(X)\n"},
		{"operator last", "1: A(X) &\n B(X) ->\n C(X)\n2: P(X) +\nQ(X) <=\n1", "1: A(X) & B(X) -> C(X)\n2: P(X) + Q(X) <= 1\n"},
		{"operator first", "1: A(X)\n & B(X)\n -> C(X)\n ^2\n2: P(X)\n - Q(X)\n <= 1\n", "1: A(X) & B(X) -> C(X) ^2\n2: P(X) - Q(X) <= 1\n"},
		{"in brackets", "1: A(\nX\n) -> B(\n'x', X)", "1: A(X) -> B('x', X)\n"},
		{"full stop on its own line", "A(X) = 1\n.\nB(X) = 1 .", "A(X) = 1 .\nB(X) = 1 .\n"},
		{"filter on its own line", "A(+X) = 1 .\n{X: B(X)}\n1: A(+X) <= 1\n  {X: B(X)}\n!A(Y) .", "A(+X) = 1 . {X: B(X)}\n1: A(+X) <= 1 {X: B(X)}\n!A(Y) .\n"},
		{"after a cardinality", "1: A(+X) <= |X|\nB(X) = 1 .", "1: A(+X) <= |X|\nB(X) = 1 .\n"},
		{"after a disjunction", "1: !A(X) |\nB(X)", "1: !A(X) | B(X)\n"},
		{"after a number", "1: A(X) <= 1\n2 * B(X) = 1 .\n1: A(X) = 0.5 3: !A(X)", "1: A(X) <= 1\n2 * B(X) = 1 .\n1: A(X) = 0.5\n3: !A(X)\n"},
		{"after a constant", "1: A(X) & X != 'b'\n-> B(X)\n1: B(X) <- A(X) & X != 'b'\n(A(X) -> B(X)) | 'a' == 'b' .", ""},
		{"a minus after an exponent", "1: A(X) <= 1 ^2\n-1 * A(X) + B(X) >= 0 .\n1: A(X) + B(X) <= 1\n- 0.5 ^2\n",
			"1: A(X) <= 1 ^2\n0 - A(X) + B(X) >= 0 .\n1: A(X) + B(X) <= 0.5 ^2\n"},
		{"after a constant, disjunction", "1: B(X) <- A(X) & X != 'b'\n('a' == 'b') | !A(X) .", "1: A(X) & (X != 'b') -> B(X)\n('a' == 'b') | !A(X) .\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Parse("test.psl", []byte(c.source))
			if c.want == "" {
				if err == nil {
					t.Fatalf("no error, but\n%s", p)
				}
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, p.String())
		})
	}
}

// TestParseAt checks the positions and source lines of embedded rules.
func TestParseAt(t *testing.T) {
	_, err := ParseAt(Pos{"model.json", 14, 22}, []byte("1: A(X) ->"))
	var e *Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	assert.Equal(t, "model.json:14:32: expected an atom, found the end of the rule\n    1: A(X) ->\n              ^", e.Detail())
	p, err := ParseAt(Pos{"model.json", 14, 22}, []byte("1: A(X) -> B(X)\n 2: !A(X)"))
	require.NoError(t, err)
	assert.Equal(t, "model.json:15:2", p.Rules[1].Pos.String(), "the second rule is at")
	returns, err := Parse("r.psl", []byte("1: A(X) -> B(X) # one\r\r\n// two\r 2: !A('x') # three\r"))
	require.NoError(t, err)
	require.Len(t, returns.Rules, 2, "a carriage return alone ends a line, and a comment")
	assert.Equal(t, "r.psl:4:2", returns.Rules[1].Pos.String())
	assert.Contains(t, returns.Rules[1].ErrorAt(returns.Rules[1].Pos, "so", "").Detail(), "\n     2: !A('x') # three\n")
	quoted, err := Parse("r.psl", []byte("1: A('x\ry')"))
	require.NoError(t, err)
	assert.Contains(t, quoted.Rules[0].String(), `'x\ry'`, "one in a constant is part of it")
	late := p.Rules[1].ErrorAt(p.Rules[1].Logical.Head[0].Atom.Pos, "unknown predicate A", "")
	assert.Equal(t, "model.json:15:6: unknown predicate A\n     2: !A(X)\n         ^", late.Detail())
}

func TestLimits(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"nesting", "1: " + strings.Repeat("(", MaxDepth+1) + "A(X)" + strings.Repeat(")", MaxDepth+1) + " -> B(X)", "nested more than"},
		{"tokens", "1: A(X)" + strings.Repeat(" & A(X)", MaxTokens/5+1) + " -> B(X)", "words and signs"},
		{"rules", strings.Repeat("!A(X).", MaxRules+1), "rules"},
		{"source", strings.Repeat("#\n", MaxSource/2) + "1: !A(X)", "MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("test.psl", []byte(c.source))
			assert.ErrorContains(t, err, c.want)
		})
	}
	// What stays within the limits is accepted: deep, long, and a deep
	// expression of coefficients.
	parse(t, "1: "+strings.Repeat("(", MaxDepth-1)+"A(X)"+strings.Repeat(")", MaxDepth-1)+" -> B(X)")
	parse(t, "1: A(X)"+strings.Repeat(" & A(X)", MaxTokens/5-3)+" -> B(X)")
	n := MaxTokens/4 - 3
	long := parse(t, "1: P(+B) <= 1"+strings.Repeat(" + |B|", n))
	if got := long.Rules[0].Arithmetic.Right.Const.Eval(func(string) float64 { return 2 }); got != float64(1+2*n) {
		t.Errorf("the long sum is %v, want %d", got, 1+2*n)
	}
}

func TestPositions(t *testing.T) {
	p := parse(t, "# comment\n1: A(X)\n  -> B('ä', X)\n\n\tC(X, +Y) = |Y| . {Y: D(Y)}\n")
	want := map[string]Pos{
		"A(X)":      {"test.psl", 2, 4},
		"B('ä', X)": {"test.psl", 3, 6},
		"C(X, +Y)":  {"test.psl", 5, 2},
		"D(Y)":      {"test.psl", 5, 23},
	}
	for _, r := range p.Rules {
		for _, a := range r.Atoms() {
			if a.Pos != want[a.String()] {
				t.Errorf("%s is at %s, want %s", a, a.Pos, want[a.String()])
			}
			delete(want, a.String())
		}
	}
	if len(want) > 0 {
		t.Errorf("atoms not visited: %v", want)
	}
	if got := p.Rules[0].Logical.Head[0].Atom.Args[1].Pos; got != (Pos{"test.psl", 3, 13}) {
		t.Errorf("X is at %s", got)
	}
	if got := p.Rules[1].Pos; got != (Pos{"test.psl", 5, 2}) {
		t.Errorf("the second rule is at %s", got)
	}
	assert.Equal(t, "3:4", (Pos{Line: 3, Col: 4}).String(), "a position without file")
}
