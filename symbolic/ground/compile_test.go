package ground

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/psl"
)

// TestPlanOrder checks the order of joins over tables of given sizes, and how
// many columns are bound when an atom's turn comes.
func TestPlanOrder(t *testing.T) {
	db := NewDatabase()
	for name, arity := range map[string]int{"Block": 2, "Table": 4, "Digit": 2, "Place": 4, "Empty": 1} {
		require.NoError(t, db.Predicate(name, arity))
	}
	s := func(v int) string { return fmt.Sprint(v) }
	for k := range 500 {
		i, j := s(1000+2*k), s(1001+2*k)
		require.NoError(t, db.Observe("Block", 1, i, j))
		for z := range 10 {
			for _, place := range []string{"1", "10"} {
				_, err := db.Target("Place", i, j, place, s(z))
				require.NoError(t, err)
			}
			for _, image := range []string{i, j} {
				_, err := db.Deep("Digit", image, s(z))
				require.NoError(t, err)
			}
		}
	}
	for w := range 2 {
		for x := range 10 {
			for y := range 10 {
				require.NoError(t, db.Observe("Table", 1, s(w), s(x), s(y), s((w+x+y)%10)))
			}
		}
	}
	for _, c := range []struct{ rule, order, bound string }{
		// The constant leaves 100 rows of the table; each block then fits.
		{"1: 0*Block(I, J) + 0*Table('0', X, Y, Z) + Digit(I, X) + Digit(J, Y) <= Place(I, J, '1', Z) + 1",
			"Table Block Place Digit Digit", "1 0 4 2 2"},
		{"Place(I, J, P, +Z) = 1 .", "Place", "0"},
		{"1: Place(I, J, '1', Z) & Block(I, J) -> Digit(I, Z)", "Block Place", "0 3"},
		{"1: Digit(I, X) & Block(I, J) & Digit(J, X) -> Place(I, J, '1', X)", "Block Digit Digit", "0 1 2"},
		{"1: Block(I, J) & Empty(I) -> Digit(I, '1')", "Empty Block", "0 1"},
		{"1: Digit('1000', X) & Table('1', X, Y, Z) -> Digit('1001', Z)", "Digit Table", "1 2"},
	} {
		prog, err := psl.Parse("rule", []byte(c.rule))
		require.NoError(t, err)
		comp := &compiler{db: db}
		rules, perr := comp.compile(prog.Rules[0])
		if perr != nil {
			t.Fatal(perr)
		}
		p := newPlan(rules[0], &indexes{}, len(db.consts.names))
		var order, bound []string
		for _, step := range p.steps {
			order = append(order, rules[0].join[step.atom].pred.name)
			bound = append(bound, fmt.Sprint(len(step.key)))
			all := len(step.key) == rules[0].join[step.atom].pred.arity
			if all != step.exact && rules[0].join[step.atom].sums == 0 || (step.by != nil) != (len(step.key) > 0 && !step.exact) {
				t.Errorf("%s: step %s with %d bound columns: exact %v, indexed %v", c.rule, order[len(order)-1], len(step.key), step.exact, step.by != nil)
			}
		}
		if got := strings.Join(order, " "); got != c.order || strings.Join(bound, " ") != c.bound {
			t.Errorf("%s\nis joined as %s with %v bound columns, want %s with %s", c.rule, got, bound, c.order, c.bound)
		}
	}
}
