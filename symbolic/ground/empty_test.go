package ground_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A rule without rows says which literal is to blame.
func TestEmpty(t *testing.T) {
	db := declare(t, "Knows/2", "Lives/2", "None/1", "Q/1")
	fill(t, db, "obs Knows(ann,bob)", "obs Knows(bob,cleo)", "obs Lives(dan,rome)", "obs Lives(ann,oslo)", "target Q(ann)", "target Q(bob)")
	for _, c := range []struct{ rule, why, hint string }{
		{"1: Knows(A, B) -> Q(A)", "", ""},
		{"1: Knows(A, B) & None(A) -> Q(A)", "None(A): None has no atoms", "give it data"},
		{"1: Knows(A, 'bbo') -> Q(A)", "Knows(A, 'bbo'): no atom of Knows has the constant 'bbo' as argument 2", "did you mean 'bob'?"},
		{"1: Knows(A, 'zzzzzz') -> Q(A)", "Knows(A, 'zzzzzz'): no atom of Knows has the constant 'zzzzzz' as argument 2", "check the constant"},
		{"1: Lives(A, T) & Knows(T, B) -> Q(A)", "Knows(T, B) never matches together with Lives(A, T)", "check that the same constants stand in both"},
		{"1: Lives(A, T) & Knows(A, B) & A % 'aa' -> Q(A)", "no atom matches", "check the comparisons"},
		{"1: Knows(A, B) -> Lives('ann', 'oslo') | Q(A)", "each of 2 matches is satisfied by an observed atom", "check the data of its predicates"},
		{"1: Knows(A, B) -> Lives('ann', 'rome')", "each of 2 matches has no target", "list the atoms to infer as targets"},
		{"1: Q(A) <= 1", "each of 2 matches holds whatever its atom is", "check the data of its predicates"},
	} {
		var r recorder
		_, err := groundText(t, c.rule, db, r.options())
		require.NoError(t, err)
		s := r.stats[0]
		if !strings.HasPrefix(s.Empty, c.why) || (s.Empty == "") != (c.why == "") || s.Hint != c.hint || s.Pos.Line != 1 {
			t.Errorf("%s: %q, hint %q", c.rule, s.Empty, s.Hint)
		}
	}
}

// Of many rules without rows the first are explained, and the next counts the others, if there are any.
func TestManyEmpty(t *testing.T) {
	db := declare(t, "None/1", "Q/1")
	fill(t, db, "target Q(ann)")
	for _, n := range []int{21, 25} {
		var r recorder
		_, err := groundText(t, "1: Q(A) <= 0\n"+strings.Repeat("1: None(A) -> Q(A)\n", n), db, r.options())
		require.NoError(t, err)
		for i, s := range r.stats {
			why := "None(A): None has no atoms"
			switch {
			case i == 21 && n == 25:
				why = "nor have 20 rules before it and 4 after it"
			case i == 0 || i > 21:
				why = ""
			}
			assert.Equal(t, why, s.Empty, "rule %d of %d", i, n)
		}
	}
}

func TestStrayTruths(t *testing.T) {
	db := declare(t, "P/1")
	fill(t, db, "target P(a)", "obs P(b)", "truth P(a)", "truth P(b)", "truth P(c)", "truth P(d)")
	if n, first := db.StrayTruths("P"); n != 2 || first[0] != "c" {
		t.Errorf("%d, %v", n, first)
	}
	if n, _ := db.StrayTruths("Q"); n != 0 {
		t.Errorf("%d of no predicate", n)
	}
}
