package inference

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/infer/baselines"
	"hinge/symbolic/psl"
)

// TestGrid: the tables have the cells they promise, each with its own settings.
func TestGrid(t *testing.T) {
	for _, c := range []struct {
		name         string
		build        tables.Builder
		quick        bool
		cells, paper int
		runs         int
	}{
		{"table 2", Table2, false, 2 * 6 * 11, 31, 6*(5*5+6) + 6*(5*3+6)},
		{"table 2, quick", Table2, true, 2 * 6 * 11, 0, 2 * 6 * 11},
		{"epsilon", Epsilon, false, 2 * 5 * 7, 35, 2 * 5 * (5*5 + 2)},
		{"epsilon, quick", Epsilon, true, 2 * 5 * 7, 0, 2 * 5 * 7},
	} {
		table, err := c.build(tables.Options{Quick: c.quick})
		require.NoError(t, err)
		paper, runs := 0, 0
		seen := map[string]bool{}
		for _, cell := range table.Cells {
			if seen[cell.Settings+cell.Column] {
				t.Errorf("%s: %s, %s has the settings of another cell", c.name, cell.Row, cell.Column)
			}
			seen[cell.Settings+cell.Column] = true
			runs += len(cell.Splits)
			if cell.Paper != nil {
				paper++
			}
		}
		if len(table.Cells) != c.cells || paper != c.paper || runs != c.runs {
			t.Errorf("%s: %d cells, %d with a figure of the paper, %d runs; want %d, %d, %d", c.name, len(table.Cells), paper, runs, c.cells, c.paper, c.runs)
		}
	}
}

// TestComparisons: every method is compared with auto under the same rule, and dual BCD
// and auto with ADMM.
func TestComparisons(t *testing.T) {
	table, err := Table2(tables.Options{})
	require.NoError(t, err)
	rows := map[string]bool{}
	for _, c := range table.Cells {
		rows[c.Row] = true
	}
	require.Len(t, table.Comparisons, 4)
	for i, c := range table.Comparisons {
		base, n := "auto", len(methodOrder)-1
		if i%2 == 1 {
			base, n = "ADMM", 3
		}
		if !c.Ratio || !rows[c.Base] || !strings.Contains(c.Base, base) || len(c.Rows) != n {
			t.Errorf("%+v", c)
		}
		_, rule, _ := strings.Cut(c.Base, ", ")
		for _, r := range c.Rows {
			if !rows[r] || !strings.HasSuffix(r, rule) || r == c.Base {
				t.Errorf("%s: %q", c.Title, r)
			}
		}
	}
}

// TestMethods: every method but pure block ascent and primal, which are not measured, has a
// row; ADMM takes the published step only where the published rule stops it.
func TestMethods(t *testing.T) {
	if len(methodOrder) != len(infer.Names())-2 {
		t.Fatalf("rows %v, methods %v", methodOrder, infer.Names())
	}
	citeseer := &sets[slices.IndexFunc(sets, func(s set) bool { return s.name == "citeseer" })]
	for _, name := range methodOrder {
		m, err := citeseer.method(name, certified())
		if err != nil || m.Name() != name || methodTitles[name] == "" {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	m, err := citeseer.method("admm", citeseer.published())
	if a, ok := m.(baselines.ADMM); err != nil || !ok || a.Step != 10 {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestBaseRules: the base model of three papers of which one is given.
func TestBaseRules(t *testing.T) {
	db := ground.NewDatabase()
	for pred, arity := range map[string]int{"HasCat": 2, "Link": 2} {
		require.NoError(t, db.Predicate(pred, arity))
	}
	for _, topic := range []string{"x", "y"} {
		require.NoError(t, db.Observe("HasCat", map[string]float64{"x": 1}[topic], "a", topic))
		for _, paper := range []string{"b", "c"} {
			_, err := db.Target("HasCat", paper, topic)
			require.NoError(t, err)
		}
	}
	for _, l := range [][]string{{"a", "b"}, {"b", "c"}} {
		require.NoError(t, db.Observe("Link", 1, l...))
	}
	if got := topics(db); len(got) != 2 || got[0] != "x" || got[1] != "y" {
		t.Fatalf("topics %v", got)
	}
	rules, err := psl.Parse("base.psl", []byte(baseRules(topics(db))))
	require.NoError(t, err)
	p, err := ground.Ground(t.Context(), rules, db, ground.Options{})
	require.NoError(t, err)
	if len(p.Rules) != 5 || len(p.HardRules) != 1 || p.Constraints.Len() != 2 {
		t.Errorf("%d rules and %d hard ones, %d constraints", len(p.Rules), len(p.HardRules), p.Constraints.Len())
	}
	// Forwards, backwards and by topic for b–c, from a to b, priors.
	assert.GreaterOrEqual(t, p.Potentials.Len(), 2*3+2+4)
}
