package weights_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/optim"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
	"hinge/train/weights"
)

// nan is the label of a latent target.
var nan = math.NaN()

// town is a model of four people in a row of friends, of whom the first smokes
// and the last does not, with rules of which some are right and some wrong.
const town = `
1: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
1: Friends(A, B) & Smokes(A) -> !Smokes(B) ^2
1: Person(A) -> Smokes(A) ^2
1: !Smokes(A) ^2
`

// compile grounds rules over the people p0 … p(n−1), who are friends with the
// next one; the given ones are observed.
func compile(tb testing.TB, rules string, n int, given map[int]float64) *lcqp.Template {
	tb.Helper()
	program, err := psl.Parse("rules.psl", []byte(rules))
	require.NoError(tb, err)
	db := ground.NewDatabase()
	note := func(err error) {
		require.NoError(tb, err)
	}
	note(db.Predicate("Friends", 2))
	note(db.Predicate("Smokes", 1))
	note(db.Predicate("Person", 1))
	name := func(i int) string { return "p" + string(rune('0'+i)) }
	for i := range n {
		note(db.Observe("Person", 1, name(i)))
		if v, ok := given[i]; ok {
			note(db.Observe("Smokes", v, name(i)))
		} else {
			_, err := db.Target("Smokes", name(i))
			note(err)
		}
		if i > 0 {
			note(db.Observe("Friends", 1, name(i-1), name(i)))
		}
	}
	ground, err := ground.Ground(context.Background(), program, db, ground.Options{})
	note(err)
	t, err := lcqp.Compile(ground)
	note(err)
	return t
}

// agreement scores values by the share on the right side of 1/2, in percent.
func agreement(labels []float64) func([]float64) (float64, error) {
	return func(y []float64) (float64, error) {
		right := 0
		for i, t := range labels {
			if math.Abs(y[i]-t) < 0.5 {
				right++
			}
		}
		return 100 * float64(right) / float64(len(labels)), nil
	}
}

// learn learns or fails the test.
func learn(tb testing.TB, p weights.Problem, c weights.Config) *weights.Result {
	tb.Helper()
	r, err := weights.Learn(context.Background(), p, c, nil)
	require.NoError(tb, err)
	sum := 0.0
	for i, w := range r.Weights {
		if !(w > 0) {
			tb.Errorf("weight %d is %v", i, w)
		}
		sum += w
	}
	if math.Abs(sum-1) > 1e-9 && c.Method != optim.Gradient {
		tb.Errorf("the weights sum to %v", sum)
	}
	return r
}
