package ground_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/psl"
)

// generator makes random small models.
type generator struct {
	*rand.Rand
	constants []string
	preds     []genPred
}

type genPred struct {
	name  string
	arity int
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) arg() string {
	if g.IntN(10) == 0 {
		return "'" + g.pick(append(slices.Repeat(g.constants, 3), "unknown")...) + "'"
	}
	return g.pick("A", "B", "C")
}

func (g *generator) atom() string {
	p := g.preds[g.IntN(len(g.preds))]
	args := make([]string, p.arity)
	for i := range args {
		args[i] = g.arg()
	}
	return p.name + "(" + strings.Join(args, ", ") + ")"
}

func (g *generator) compare() string {
	return "(" + g.arg() + " " + g.pick("==", "!=", "-", "%", "^") + " " + g.arg() + ")"
}

func (g *generator) literal() string {
	l := g.atom()
	if g.IntN(6) == 0 {
		l = g.compare()
	}
	if g.IntN(4) == 0 {
		l = "!" + l
	}
	return l
}

func (g *generator) list(n int, by string, one func() string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = one()
	}
	return strings.Join(parts, by)
}

func (g *generator) logical() string {
	switch g.IntN(4) {
	case 0:
		return g.list(1+g.IntN(3), " | ", g.literal)
	case 1:
		return g.list(1+g.IntN(2), " | ", g.literal) + " <- " + g.list(1+g.IntN(3), " & ", g.literal)
	}
	return g.list(1+g.IntN(3), " & ", g.literal) + " -> " + g.list(1+g.IntN(2), " | ", g.literal)
}

// arithmetic makes a rule with up to three summation variables X0, X1, X2.
func (g *generator) arithmetic() (rule, filters string) {
	sums := 0
	var sumVars []string
	term := func() string {
		if g.IntN(10) == 0 {
			return "0 * " + g.compare()
		}
		a := g.atom()
		if g.IntN(3) == 0 && sums < 3 {
			name, rest, _ := strings.Cut(a, "(")
			args := strings.Split(strings.TrimSuffix(rest, ")"), ", ")
			for i := range args {
				if sums < 3 && g.IntN(2) == 0 {
					v := fmt.Sprintf("X%d", sums)
					sumVars = append(sumVars, v)
					args[i] = "+" + v
					sums++
				}
			}
			a = name + "(" + strings.Join(args, ", ") + ")"
		}
		coef := g.pick("", "", "0 * ", "2 * ", "0.5 * ", "-1 * ")
		if len(sumVars) > 0 && g.IntN(4) == 0 {
			coef = g.pick("|%s| * ", "@Min[2, |%s|] * ", "(|%s| - 1) * ", "1 / |%s| * ")
			coef = fmt.Sprintf(coef, sumVars[g.IntN(len(sumVars))])
		}
		return coef + a
	}
	side := func(n int) string {
		s := g.list(n, g.pick(" + ", " - "), term)
		return s + g.pick("", "", " + 0.5", " + 1", " - 1")
	}
	rule = side(1+g.IntN(3)) + g.pick(" <= ", " >= ", " = ")
	if g.IntN(3) > 0 {
		rule += side(1 + g.IntN(2))
	} else {
		rule += g.pick("0", "1", "0.5", "2")
	}
	for _, v := range sumVars {
		if g.IntN(2) > 0 {
			continue
		}
		literal := func() string {
			l := g.atom()
			if g.IntN(3) == 0 {
				l = g.compare()
			}
			l = strings.NewReplacer("A", v, "'", "'").Replace(l)
			if g.IntN(3) == 0 {
				l = "!" + l
			}
			return l
		}
		filters += " {" + v + ": " + g.list(1+g.IntN(3), g.pick(" & ", " | "), literal) + "}"
	}
	return rule, filters
}

// rule returns a rule that parses; most texts the generator makes do.
func (g *generator) rule() *psl.Rule {
	for {
		var text, filters string
		if g.IntN(2) == 0 {
			text = g.logical()
		} else {
			text, filters = g.arithmetic()
		}
		if g.IntN(3) == 0 {
			text += " ." + filters
		} else {
			text = g.pick("1", "0.5", "3") + ": " + text + g.pick("", " ^1", " ^2") + filters
		}
		if p, err := psl.Parse("random", []byte(text)); err == nil {
			return p.Rules[0]
		}
	}
}

// database fills both databases with the same random atoms.
func (g *generator) database() (*ground.Database, *oracle) {
	db := ground.NewDatabase()
	o := &oracle{facts: map[string]fact{}, open: map[string]bool{}, constants: append(slices.Clone(g.constants), "unknown")}
	for _, p := range g.preds {
		if err := db.Predicate(p.name, p.arity); err != nil {
			panic(err)
		}
		kinds := [][]ground.Kind{{ground.Observed}, {ground.Observed}, {ground.Target}, {ground.Observed, ground.Target},
			{ground.Deep, ground.Target}, {ground.Target}, {ground.Observed, ground.Target, ground.Deep}}[g.IntN(7)]
		density := 1 - g.Float64()*g.Float64()
		vars := []string{"a", "b", "c"}[:p.arity]
		b := binding{}
		args := make([]psl.Arg, p.arity)
		for i := range args {
			args[i].Name = vars[i]
		}
		o.each(vars, b, func() {
			name := o.name(&psl.Atom{Predicate: p.name, Args: args}, b)
			if strings.Contains(name, "unknown") || g.Float64() > density {
				return
			}
			values := make([]string, p.arity)
			for i := range values {
				values[i] = b[vars[i]]
			}
			f := fact{kind: kinds[g.IntN(len(kinds))]}
			var err error
			switch f.kind {
			case ground.Observed:
				f.value = []float64{0, 1, 1, 0.5, 0.25, 0.75, 5e-5, 0.99995}[g.IntN(8)]
				err = db.Observe(p.name, f.value, values...)
			case ground.Target:
				_, err = db.Target(p.name, values...)
			default:
				_, err = db.Deep(p.name, values...)
			}
			if err != nil {
				panic(err)
			}
			o.facts[name] = f
			o.open[p.name] = o.open[p.name] || f.kind != ground.Observed
		})
	}
	return db, o
}

// programRows prints the rows of a program as the oracle does.
func programRows(p *hlmrf.Program) []string {
	var keys []string
	add := func(rows *hlmrf.Rows, k int, kind string) {
		targets, deep := map[string]float64{}, map[string]float64{}
		col, val := rows.Row(k)
		for i, c := range col {
			targets[p.Targets[c]] = val[i]
		}
		col, val = rows.DeepRow(k)
		for i, c := range col {
			deep[p.Deep[c]] = val[i]
		}
		keys = append(keys, kind+rowKey(targets, deep, rows.Const[k], 1))
	}
	for k := range p.PotentialRule {
		add(&p.Potentials, k, "soft")
	}
	for k, rel := range p.Relations {
		add(&p.Constraints, k, rel.String())
	}
	slices.Sort(keys)
	return keys
}

// filterIsOpen reports whether a filter asks for an open predicate, which is an
// error.
func filterIsOpen(r *psl.Rule, o *oracle) bool {
	if r.Logical != nil {
		return false
	}
	for _, f := range r.Arithmetic.Filters {
		for _, conj := range disjuncts(f.Cond) {
			for _, l := range conj {
				if l.Atom != nil && o.open[l.Atom.Predicate] {
					return true
				}
			}
		}
	}
	return false
}

// TestRandomModels compares the groundings of thousands of random rules over
// random data with those of the brute-force grounder.
func TestRandomModels(t *testing.T) {
	const models = 3000
	rng := rand.New(rand.NewPCG(1, 2))
	var rows, empty, missing, infinite, filtered int
	for m := range models {
		g := &generator{Rand: rng, constants: [][]string{{"1", "2"}, {"2", "10", "b"}, {"a", "b", "c", "d"}}[rng.IntN(3)]}
		for i := range 1 + rng.IntN(4) {
			g.preds = append(g.preds, genPred{fmt.Sprintf("P%d", i), 1 + rng.IntN(3)})
		}
		db, o := g.database()
		opts := ground.Options{Workers: 1 + rng.IntN(2)}
		if rng.IntN(2) == 0 {
			opts.DropMissing = true
		}
		o.drop = opts.DropMissing
		r := g.rule()
		want := o.ground(r)
		p, err := ground.Ground(context.Background(), &psl.Program{Rules: []*psl.Rule{r}}, db, opts)
		var ruleErr *psl.Error
		if err != nil && !errors.As(err, &ruleErr) {
			t.Fatalf("model %d: %s: error %v is not a *psl.Error", m, r, err)
		}
		switch {
		case filterIsOpen(r, o):
			filtered++
			require.ErrorContainsf(t, err, "the filter asks for", "model %d: %s: open predicate in the filter", m, r)
			continue
		case o.missing:
			missing++
			require.ErrorContainsf(t, err, "neither observed nor a target", "model %d: %s: unspecified atom", m, r)
			continue
		case o.infinite:
			infinite++
			require.ErrorContainsf(t, err, "not finite", "model %d: %s: division by zero", m, r)
			continue
		case err != nil:
			t.Fatalf("model %d: %s: %v", m, r, err)
		}
		require.NoErrorf(t, p.Check(), "model %d: %s", m, r)
		if got := programRows(p); !slices.Equal(got, want) {
			t.Fatalf("model %d: %s\n%v\ngot\n%s\nwant\n%s", m, r, o.facts, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		rows += len(want)
		if len(want) == 0 {
			empty++
		}
	}
	t.Logf("%d models: %d rows, %d rules without rows, %d unspecified atoms, %d divisions by zero, %d open filters",
		models, rows, empty, missing, infinite, filtered)
	if rows < 3*models || empty > models*2/3 || missing == 0 || infinite == 0 {
		t.Errorf("the random models are too dull: %d rows, %d of %d empty, %d missing", rows, empty, models, missing)
	}
}
