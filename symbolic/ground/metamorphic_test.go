package ground_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/familytest"
	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

func newGenerator(rng *rand.Rand, preds int, constants ...string) *generator {
	g := &generator{Rand: rng, constants: constants}
	for i := range preds {
		g.preds = append(g.preds, genPred{fmt.Sprintf("P%d", i), 1 + rng.IntN(3)})
	}
	return g
}

// TestBooleanMeaning checks clauses at points where all targets are 0 or 1:
// the energy of a clause of weight 1 is the number of assignments that break
// it, by the truth tables.
func TestBooleanMeaning(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	broken := 0
	for range 4000 {
		g := newGenerator(rng, 1+rng.IntN(3), "a", "b", "c")
		text := "1: " + g.logical()
		prog, err := psl.Parse("random", []byte(text))
		if err != nil || strings.Contains(text, "unknown") {
			continue
		}
		db := ground.NewDatabase()
		truth := map[string]bool{}
		o := &oracle{constants: g.constants}
		for _, p := range g.preds {
			require.NoError(t, db.Predicate(p.name, p.arity))
			vars, b := []string{"x", "y", "z"}[:p.arity], binding{}
			o.each(vars, b, func() {
				args := make([]string, p.arity)
				for i, v := range vars {
					args[i] = b[v]
				}
				_, err := db.Target(p.name, args...)
				require.NoError(t, err)
				truth[p.name+"("+strings.Join(args, ",")+")"] = rng.IntN(2) == 0
			})
		}
		p, err := ground.Ground(context.Background(), prog, db, ground.Options{})
		require.NoErrorf(t, err, "%s", text)
		y := make([]float64, len(p.Targets))
		for i, name := range p.Targets {
			if truth[name] {
				y[i] = 1
			}
		}
		clause := prog.Rules[0].Logical
		holds := func(ls []psl.Literal, b binding, all bool) bool {
			for _, l := range ls {
				var v bool
				if l.Compare != nil {
					v = o.compare(l.Compare, b)
				} else {
					v = truth[o.name(l.Atom, b)]
				}
				if (v != l.Negated) != all {
					return !all
				}
			}
			return all
		}
		want := 0
		b := binding{}
		o.each(variables(prog.Rules[0].Atoms(), psl.Variable), b, func() {
			if holds(clause.Body, b, true) && !holds(clause.Head, b, false) {
				want++
			}
		})
		if got := p.Energy(y, nil, nil); got != float64(want) {
			t.Fatalf("%s: energy %v, %d assignments break it", text, got, want)
		}
		broken += want
	}
	if broken < 1000 {
		t.Errorf("only %d broken clauses", broken)
	}
}

// TestConcurrentUse grounds one database from several goroutines.
func TestConcurrentUse(t *testing.T) {
	f, err := familytest.Find("add2-soft")
	require.NoError(t, err)
	m, err := f.Model(4*3605, 1)
	require.NoError(t, err)
	programs := make([]any, 4)
	var wg sync.WaitGroup
	for i := range programs {
		wg.Go(func() {
			p, err := ground.Ground(context.Background(), m.Rules, m.Data, ground.Options{Workers: 1 + i%2})
			assert.NoError(t, err)
			programs[i] = p
			if _, ok := m.Data.TargetIndex("Sum", "0", "1", "2", "3", "7"); !ok {
				t.Error("a target is lost")
			}
		})
	}
	wg.Wait()
	for _, p := range programs[1:] {
		assert.Equal(t, programs[0], p, "the programs differ")
	}
}
