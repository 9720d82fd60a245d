package ground_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

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
	_, err := groundText(t, rules, db, ground.Options{Recorder: &r})
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
	for rule, want := range map[string]string{
		"1: Person(A) & Person(B) & Person(C) & Person(D) & Person(E) -> Fan(A)": "add a literal that joins the two, such as Knows(A, B)",
		"1: Likes(A, B) & Likes(B, C) & Likes(C, D) -> Fan(D)":                   "such as Block(",
	} {
		_, err := groundText(t, rule, hubs(t, 200), ground.Options{MaxRows: 10})
		var at *psl.Error
		if !errors.As(err, &at) || !strings.Contains(at.Hint, want) || !strings.Contains(at.Msg, "more than 10 groundings, about ") {
			t.Errorf("%s: %v, hint %q", rule, err, at.Hint)
		}
	}
	// Nothing in the data joins the two.
	db := declare(t, "P/1", "Q/1", "R/1")
	for i := range 200 {
		fill(t, db, fmt.Sprintf("obs P(p%d)", i), fmt.Sprintf("obs Q(q%d)", i), fmt.Sprintf("target R(q%d)", i))
	}
	_, err := groundText(t, "1: P(A) & Q(B) -> R(B)", db, ground.Options{MaxRows: 10})
	if at := new(psl.Error); !errors.As(err, &at) || !strings.Contains(at.Hint, "such as Block(A, B), with observations for the pairs that matter") &&
		!strings.Contains(at.Hint, "such as Block(B, A), with observations for the pairs that matter") {
		t.Errorf("%v, hint %q", err, at.Hint)
	}
}

// watcher notes rows; the test has one goroutine.
type watcher struct {
	t     *testing.T
	calls int
	rows  int64
}

func (w *watcher) Watch(rule int, n int64) {
	w.calls++
	w.rows = max(w.rows, n)
	if rule != 1 && n > 0 {
		w.t.Errorf("rule %d has %d rows", rule, n)
	}
}

// A watch hears of rows while they are made.
func TestWatch(t *testing.T) {
	w := watcher{t: t}
	p, err := psl.Parse("rules.psl", []byte("1: Fan(A) -> Fan(A)\n1: Person(A) & Person(B) & Person(C) -> Fan(A)"))
	require.NoError(t, err)
	g, err := ground.Ground(context.Background(), p, hubs(t, 120), ground.Options{Watch: w.Watch, Workers: 1})
	require.NoError(t, err)
	if n := w.rows; w.calls < 5 || n < int64(g.Potentials.Len())/2 || n > int64(g.Potentials.Len()) {
		t.Errorf("%d calls, %d rows of %d", w.calls, n, g.Potentials.Len())
	}
}
