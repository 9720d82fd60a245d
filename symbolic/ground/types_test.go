package ground

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/psl"
)

// TestNoKind: a value that is no kind is printed as one.
func TestNoKind(t *testing.T) {
	if got := Kind(200).String(); got != "no kind: 200" {
		t.Error(got)
	}
}

func TestBefore(t *testing.T) {
	for _, c := range []struct {
		a, b                   string
		either, text, asNumber bool
	}{
		{"9", "10", true, false, true}, {"10", "9", false, true, false}, {"a", "b", true, true, true}, {"b", "a", false, false, false},
		{"a", "a", false, false, false}, {"5", "a", true, true, true}, {"-2", "-1", true, false, true}, {"01", "1", false, true, false},
		{"9.5", "10.5", false, false, true}, {"9", "10.5", false, false, true},
	} {
		for o, want := range map[order]bool{byEither: c.either, byText: c.text, byNumber: c.asNumber} {
			if got := o.before(c.a, c.b); got != want {
				t.Errorf("%s before %s in order %d: %v", c.a, c.b, o, got)
			}
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		t        Type
		in, want string
		ok       bool
	}{
		{Untyped, "01", "01", true}, {Text, "01", "01", true},
		{Integer, "01", "1", true}, {Integer, "+7", "7", true}, {Integer, "-07", "-7", true}, {Integer, "0", "0", true}, {Integer, "-0", "0", true},
		{Integer, "9223372036854775807", "9223372036854775807", true}, {Integer, "9223372036854775808", "9223372036854775808", false},
		{Integer, "1.0", "1.0", false}, {Integer, "", "", false}, {Integer, "x", "x", false},
		{Real, "1", "1.0", true}, {Real, "1e0", "1.0", true}, {Real, "-0", "0.0", true}, {Real, "0.50", "0.5", true}, {Real, "x", "x", false}, {Real, "1_0", "1_0", false},
	} {
		if got, ok := c.t.canonical(c.in); got != c.want || ok != c.ok {
			t.Errorf("type %d: %q is %q, %v, want %q, %v", c.t, c.in, got, ok, c.want, c.ok)
		}
	}
}

// Constants of one number are one, in data, in rules and in comparisons, and the
// types of the arguments decide how A % B orders them.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		p, q  []Type
		rules string
		rows  int
	}{
		{[]Type{Integer}, []Type{Integer}, "1: P(A) -> Q(A)", 2},
		{[]Type{Untyped}, []Type{Untyped}, "1: P(A) -> Q(A)", 0},
		{[]Type{Text}, []Type{Integer}, "1: P(A) -> Q(A)", 0},
		{[]Type{Integer}, []Type{Integer}, "1: P('007') -> Q('7')", 1},
		{[]Type{Integer}, []Type{Integer}, "1: P(A) & A == '+7' -> Q(A)", 1},
		{[]Type{Integer}, []Type{Integer}, "1: P(A) & A != '+7' -> Q(A)", 1},
		{[]Type{Real}, []Type{Real}, "1: P(A) & A != '7e0' -> Q(A)", 1},
		{[]Type{Integer}, []Type{Integer}, "1: Q(A) & Q(B) & A % B -> P(A)", 0}, // P is observed as 1
		{[]Type{Integer}, []Type{Integer}, "1: Q(A) & Q(B) & A % B -> Q(B)", 0},
		{[]Type{Integer}, []Type{Integer}, "1: Q(A) + Q(B) + 0 * (A % '8') + 0 * ('7' % B) <= 0.5", 1},
		{[]Type{Text}, []Type{Text}, "1: Q(A) + Q(B) + 0 * (A % '8') + 0 * ('6' % B) <= 0.5", 2},
	} {
		db := NewDatabase()
		for name, types := range map[string][]Type{"P": c.p, "Q": c.q} {
			require.NoError(t, db.Predicate(name, 1))
			require.NoError(t, db.SetTypes(name, types...))
		}
		for section, constants := range map[Section][]string{Observations: {"007", "010"}, Targets: {"7", "10"}} {
			for _, c := range constants {
				require.NoError(t, db.Add(section, map[Section]string{Observations: "P", Targets: "Q"}[section], 1, c))
			}
		}
		rules, err := psl.Parse("r", []byte(c.rules))
		require.NoError(t, err)
		p, err := Ground(context.Background(), rules, db, Options{DropMissing: true})
		require.NoError(t, err)
		assert.Equalf(t, c.rows, len(p.PotentialRule), "%v %v %s", c.p, c.q, c.rules)
	}
	db := NewDatabase()
	_ = db.Predicate("P", 2)
	for _, types := range [][]Type{{Integer}, {Integer, Integer}} {
		if err := db.SetTypes("P", types...); (err == nil) != (len(types) == 2) {
			t.Errorf("%v: %v", types, err)
		}
	}
	if _, err := db.Target("P", "1", "x"); err == nil || !strings.Contains(err.Error(), `"x" is not an integer`) {
		t.Errorf("a text among integers: %v", err)
	}
	_, err := db.Target("P", "1", "2")
	require.NoError(t, err)
	if err := db.SetTypes("P", Text, Text); err == nil || db.SetTypes("Q", Text) == nil {
		t.Error("types after atoms, or of no predicate, are no error")
	}
}
