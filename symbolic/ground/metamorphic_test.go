package ground_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

// copyDatabase copies the atoms of a database in random order, with arguments
// renamed; deep atoms with a value in observe become observations.
func copyDatabase(t testing.TB, rng *rand.Rand, db *ground.Database, rename func(string) string, observe map[string]float64) *ground.Database {
	t.Helper()
	type atom struct {
		pred string
		ground.Atom
	}
	var atoms []atom
	to := ground.NewDatabase()
	for _, p := range db.Predicates() {
		if err := to.Predicate(p.Name, p.Arity); err != nil {
			t.Fatal(err)
		}
		for a := range db.Atoms(p.Name) {
			atoms = append(atoms, atom{p.Name, a})
		}
	}
	rng.Shuffle(len(atoms), func(i, j int) { atoms[i], atoms[j] = atoms[j], atoms[i] })
	for _, a := range atoms {
		args := make([]string, len(a.Args))
		for i, x := range a.Args {
			args[i] = rename(x)
		}
		var err error
		v, isObserved := observe[a.pred+"("+strings.Join(a.Args, ",")+")"]
		switch {
		case a.Kind == ground.Observed:
			err = to.Observe(a.pred, a.Value, args...)
		case a.Kind == ground.Target:
			_, err = to.Target(a.pred, args...)
		case isObserved:
			err = to.Observe(a.pred, v, args...)
		default:
			_, err = to.Deep(a.pred, args...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func newGenerator(rng *rand.Rand, preds int, constants ...string) *generator {
	g := &generator{Rand: rng, constants: constants}
	for i := range preds {
		g.preds = append(g.preds, genPred{fmt.Sprintf("P%d", i), 1 + rng.IntN(3)})
	}
	return g
}

// TestOrderOfAtoms checks that neither the order in which atoms are added nor
// the names of constants matter to the set of rows.
func TestOrderOfAtoms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	same := 0
	for range 1500 {
		g := newGenerator(rng, 1+rng.IntN(3), "a", "b", "c")
		db, _ := g.database()
		r := g.rule()
		opts := ground.Options{Missing: ground.DropMissing}
		p, err := ground.Ground(context.Background(), &psl.Program{Rules: []*psl.Rule{r}}, db, opts)
		if err != nil {
			continue // covered by the comparison with the oracle
		}
		// Shifting letters keeps their order and needs rules without them.
		rename := func(s string) string { return s }
		if !strings.Contains(r.String(), "'") {
			rename = func(s string) string { return string(s[0] + 7) }
		}
		q, err := ground.Ground(context.Background(), &psl.Program{Rules: []*psl.Rule{r}}, copyDatabase(t, rng, db, rename, nil), opts)
		if err != nil {
			t.Fatal(err)
		}
		back := strings.NewReplacer("(h", "(a", "(i", "(b", "(j", "(c", ",h", ",a", ",i", ",b", ",j", ",c")
		for i, name := range q.Targets {
			q.Targets[i] = back.Replace(name)
		}
		for i, name := range q.Deep {
			q.Deep[i] = back.Replace(name)
		}
		if got, want := programRows(q), programRows(p); !slices.Equal(got, want) {
			t.Fatalf("%s\nafter shuffling\n%s\nbefore\n%s", r, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		same += len(programRows(p))
	}
	if same < 3000 {
		t.Errorf("only %d rows compared", same)
	}
}

// TestNeuralOutputsAreConstants checks that a row with neural outputs g means
// the same as the row grounded with g observed.
func TestNeuralOutputsAreConstants(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	compared := 0
	for range 2000 {
		g := newGenerator(rng, 2+rng.IntN(2), "1", "2", "b")
		db, _ := g.database()
		if db.DeepAtoms() == 0 || db.Targets() == 0 {
			continue
		}
		r := g.rule()
		if r.Arithmetic != nil && len(r.Arithmetic.Filters) > 0 {
			continue // a filter may ask for observed atoms only
		}
		values := map[string]float64{}
		outputs := make([]float64, db.DeepAtoms())
		for i := range outputs {
			pred, args := db.DeepAtom(i)
			outputs[i] = 0.125 + 0.75*rng.Float64() // away from 0 and 1, where clauses are dropped
			values[pred+"("+strings.Join(args, ",")+")"] = outputs[i]
		}
		opts := ground.Options{Missing: ground.DropMissing, KeepOpposed: true}
		rules := &psl.Program{Rules: []*psl.Rule{r}}
		p, err := ground.Ground(context.Background(), rules, db, opts)
		if err != nil {
			continue
		}
		observed := copyDatabase(t, rng, db, func(s string) string { return s }, values)
		// A predicate whose atoms are all observed becomes closed: what was an
		// unspecified atom is now false, and more is grounded.
		closed := slices.ContainsFunc(observed.Predicates(), func(p ground.PredicateInfo) bool { return p.Targets == 0 })
		if r.Logical != nil && closed {
			continue
		}
		q, err := ground.Ground(context.Background(), rules, observed, opts)
		if err != nil {
			t.Fatalf("%s: %v", r, err)
		}
		// A clause may hold a deep atom and its negation: dropped, but not
		// when observed, where it is max(0, g + (1-g) - 1 + ...) and at most
		// the other literals' violation. Compare the others.
		if r.Logical != nil && q.Potentials.Len()+q.Constraints.Len() != p.Potentials.Len()+p.Constraints.Len() {
			continue
		}
		yp, yq := make([]float64, db.Targets()), make([]float64, db.Targets())
		for i := range yp {
			yp[i] = rng.Float64()
			pred, args := db.TargetAtom(i)
			j, ok := observed.TargetIndex(pred, args...)
			if !ok {
				t.Fatal("a target is lost")
			}
			yq[j] = yp[i]
		}
		ep, eq := p.Energy(yp, outputs, nil), q.Energy(yq, nil, nil)
		vp, vq := p.Violation(yp, outputs), q.Violation(yq, nil)
		if math.Abs(ep-eq) > 1e-9*(1+math.Abs(ep)) || math.Abs(vp-vq) > 1e-9*(1+vp) {
			t.Fatalf("%s: energy %v and %v, violation %v and %v", r, ep, eq, vp, vq)
		}
		if p.Potentials.Len()+p.Constraints.Len() > 0 {
			compared++
		}
	}
	if compared < 200 {
		t.Errorf("only %d models compared", compared)
	}
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
			if err := db.Predicate(p.name, p.arity); err != nil {
				t.Fatal(err)
			}
			vars, b := []string{"x", "y", "z"}[:p.arity], binding{}
			o.each(vars, b, func() {
				args := make([]string, p.arity)
				for i, v := range vars {
					args[i] = b[v]
				}
				if _, err := db.Target(p.name, args...); err != nil {
					t.Fatal(err)
				}
				truth[p.name+"("+strings.Join(args, ",")+")"] = rng.IntN(2) == 0
			})
		}
		p, err := ground.Ground(context.Background(), prog, db, ground.Options{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
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
	db := add2Database(t, 4)
	rules, err := psl.Parse("add2.psl", []byte(add2Rules))
	if err != nil {
		t.Fatal(err)
	}
	programs := make([]any, 4)
	var wg sync.WaitGroup
	for i := range programs {
		wg.Go(func() {
			p, err := ground.Ground(context.Background(), rules, db, ground.Options{Workers: 1 + i%2})
			if err != nil {
				t.Error(err)
			}
			programs[i] = p
			if _, ok := db.TargetIndex("Sum", "0", "1", "2", "3", "7"); !ok {
				t.Error("a target is lost")
			}
		})
	}
	wg.Wait()
	for _, p := range programs[1:] {
		if !reflect.DeepEqual(p, programs[0]) {
			t.Error("the programs differ")
		}
	}
}
