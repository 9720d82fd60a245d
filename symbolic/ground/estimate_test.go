package ground_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// hubs has two people whom everybody likes and who like everybody, in a chain of
// others: columns are far from independent.
func hubs(t *testing.T, n int) *ground.Database {
	db := declare(t, "Person/1", "Likes/2", "Knows/2", "Fan/1")
	for i := range n {
		fill(t, db, fmt.Sprintf("obs Person(%d)", i), fmt.Sprintf("target Fan(%d)", i), fmt.Sprintf("obs Knows(%d,%d)", i, (i+1)%n))
		for _, pair := range [][2]int{{0, i}, {i, 0}, {1, i}, {i, 1}, {i, (i + 1) % n}} {
			if text := fmt.Sprintf("Likes(%d,%d)", pair[0], pair[1]); i > 2 {
				fill(t, db, "obs "+text)
			}
		}
	}
	return db
}

// Where a rule may be large, its size is estimated with the joint columns of the
// tables: near the number of matches, where independence is far off.
func TestEstimateOfJoins(t *testing.T) {
	db := hubs(t, 120)
	const rules = "1: Likes(A, B) & Likes(B, C) & Likes(C, D) -> Fan(D)\n" +
		"1: Likes(A, B) & Likes(B, C) & Likes(C, A) & A != B -> Fan(C)\n" +
		"1: Likes(A, B) & Likes(B, C) & Likes(C, D) & A % D -> Fan(D)\n"
	var r recorder
	_, err := groundText(t, rules, db, r.options())
	require.NoError(t, err)
	for i, p := range r.plans {
		if got, want := p.Groundings, float64(r.stats[i].Matches); math.Abs(got-want) > 0.15*want {
			t.Errorf("rule %d: estimate %v, there are %v", i, got, want)
		}
	}
}

// A rule that explodes comes with the literal that would help: a predicate of the
// data where one fits, else a new one.
func TestAdvice(t *testing.T) {
	apart := declare(t, "P/1", "Q/1", "R/1") // nothing in the data joins the two
	for i := range 200 {
		fill(t, apart, fmt.Sprintf("obs P(p%d)", i), fmt.Sprintf("obs Q(q%d)", i), fmt.Sprintf("target R(q%d)", i))
	}
	for _, c := range []struct {
		rule string
		db   *ground.Database
		want string
	}{
		{"1: Person(A) & Person(B) & Person(C) & Person(D) & Person(E) -> Fan(A)", hubs(t, 200), `add a literal that joins the two, such as Knows\(A, B\)`},
		{"1: Likes(A, B) & Likes(B, C) & Likes(C, D) -> Fan(D)", hubs(t, 200), `such as Block\(`},
		{"1: P(A) & Q(B) -> R(B)", apart, `such as Block\((A, B|B, A)\), with observations for the pairs that matter`},
	} {
		_, err := groundText(t, c.rule, c.db, ground.Options{MaxRows: 10})
		var at *psl.Error
		require.ErrorAs(t, err, &at)
		assert.Contains(t, at.Msg, "more than 10 groundings, about ", c.rule)
		assert.Regexp(t, c.want, at.Hint, c.rule)
	}
}

// A watch hears of rows while they are made.
func TestWatch(t *testing.T) {
	calls, rows := 0, int64(0)
	watch := func(rule int, n int64) { // there is one goroutine
		calls++
		rows = max(rows, n)
		if rule != 1 && n > 0 {
			t.Errorf("rule %d has %d rows", rule, n)
		}
	}
	p, err := groundText(t, "1: Fan(A) -> Fan(A)\n1: Person(A) & Person(B) & Person(C) -> Fan(A)", hubs(t, 120), ground.Options{Watch: watch, Workers: 1})
	require.NoError(t, err)
	if all := int64(p.Potentials.Len()); calls < 5 || rows < all/2 || rows > all {
		t.Errorf("%d calls, %d rows of %d", calls, rows, all)
	}
}
