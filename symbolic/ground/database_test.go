package ground_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
)

// declare returns a database with the predicates "Name/arity".
func declare(t testing.TB, specs ...string) *ground.Database {
	t.Helper()
	db := ground.NewDatabase()
	for _, s := range specs {
		name, arity, _ := strings.Cut(s, "/")
		require.NoError(t, db.Predicate(name, int(arity[0]-'0')))
	}
	return db
}

// fill adds atoms written "kind Pred(a,b) value".
func fill(t testing.TB, db *ground.Database, atoms ...string) {
	t.Helper()
	for _, a := range atoms {
		var kind, atom string
		value := 1.0
		if n, err := fmt.Sscan(a, &kind, &atom, &value); n < 2 {
			t.Fatal(a, err)
		}
		pred, rest, _ := strings.Cut(atom, "(")
		args := strings.Split(strings.TrimSuffix(rest, ")"), ",")
		var err error
		switch kind {
		case "obs":
			err = db.Observe(pred, value, args...)
		case "target":
			_, err = db.Target(pred, args...)
		case "deep":
			_, err = db.Deep(pred, args...)
		case "truth":
			err = db.Truth(pred, value, args...)
		default:
			t.Fatal(a)
		}
		require.NoError(t, err)
	}
}

func TestDatabaseColumns(t *testing.T) {
	db := declare(t, "P/1", "Q/2", "N/2")
	fill(t, db, "target Q(b,a)", "deep N(x,1)", "target P(b)", "obs P(a) 0.25", "target Q(a,b)", "deep N(x,0)", "truth Q(b,a) 0", "truth P(z)")
	for i, want := range []string{"Q(b,a)", "P(b)", "Q(a,b)"} {
		pred, args := db.TargetAtom(i)
		assert.Equalf(t, want, pred+"("+strings.Join(args, ",")+")", "target %d", i)
		if j, ok := db.TargetIndex(strings.ToLower(pred), args...); !ok || j != i {
			t.Errorf("TargetIndex(%s) = %d, %v", want, j, ok)
		}
	}
	if i, ok := db.DeepIndex("N", "x", "0"); !ok || i != 1 {
		t.Errorf("DeepIndex = %d, %v", i, ok)
	}
	if pred, args := db.DeepAtom(0); pred != "N" || !slices.Equal(args, []string{"x", "1"}) {
		t.Errorf("DeepAtom(0) = %s%v", pred, args)
	}
	if db.Targets() != 3 || db.DeepAtoms() != 2 {
		t.Errorf("%d targets, %d deep atoms", db.Targets(), db.DeepAtoms())
	}
	// An atom that is added again keeps its column.
	if i, err := db.Target("Q", "b", "a"); i != 0 || err != nil {
		t.Errorf("Target again: %d, %v", i, err)
	}
	if i, err := db.Deep("N", "x", "1"); i != 0 || err != nil {
		t.Errorf("Deep again: %d, %v", i, err)
	}
	for _, miss := range [][]string{{"Q", "a", "a"}, {"Q", "a", "nowhere"}, {"P", "a"}, {"R", "a"}, {"Q", "a"}, {"N", "x", "1"}} {
		if i, ok := db.TargetIndex(miss[0], miss[1:]...); ok || i != -1 {
			t.Errorf("TargetIndex(%v) = %d, %v", miss, i, ok)
		}
	}
	for _, miss := range [][]string{{"N", "x", "2"}, {"P", "b"}, {"P", "a"}, {"R", "a"}} {
		if i, ok := db.DeepIndex(miss[0], miss[1:]...); ok || i != -1 {
			t.Errorf("DeepIndex(%v) = %d, %v", miss, i, ok)
		}
	}
	if v, ok := db.Observation("p", "a"); !ok || v != 0.25 {
		t.Errorf("Observation = %v, %v", v, ok)
	}
	for _, miss := range []string{"b", "z", "nowhere"} {
		if v, ok := db.Observation("P", miss); ok || v != 0 {
			t.Errorf("Observation(P, %s) = %v, %v", miss, v, ok)
		}
	}
	if v, ok := db.TruthValue(0); !ok || v != 0 {
		t.Errorf("TruthValue(0) = %v, %v", v, ok)
	}
	if v, ok := db.TruthValue(1); ok {
		t.Errorf("TruthValue(1) = %v", v)
	}
	want := []ground.PredicateInfo{{"P", 1, 1, 1, 0, 1}, {"Q", 2, 0, 2, 0, 1}, {"N", 2, 0, 0, 2, 0}}
	assert.Equal(t, want, db.Predicates(), "Predicates()")
	var atoms []string
	for a := range db.Atoms("P") {
		atoms = append(atoms, fmt.Sprint(a))
	}
	for a := range db.Atoms("N") {
		atoms = append(atoms, fmt.Sprint(a))
		break
	}
	for range db.Atoms("R") {
		t.Error("an atom of an unknown predicate")
	}
	assert.Equal(t, "{[b] target 0 1} {[a] observation 0.25 0} {[x 1] deep atom 0 0}", strings.Join(atoms, " "), "Atoms")
}

func TestDatabaseErrors(t *testing.T) {
	for _, c := range []struct {
		name, want string
		do         func(db *ground.Database) error
	}{
		{"undeclared", "predicate R is not declared", func(db *ground.Database) error { return db.Observe("R", 1, "a") }},
		{"arity", "predicate P has 1 argument, got 2", func(db *ground.Database) error { _, err := db.Target("P", "a", "b"); return err }},
		{"declared twice", "declared with 1 and with 2 arguments", func(db *ground.Database) error { return db.Predicate("p", 2) }},
		{"no name", "without a name", func(db *ground.Database) error { return db.Predicate("", 1) }},
		{"no arguments", "has 0 arguments", func(db *ground.Database) error { return db.Predicate("R", 0) }},
		{"too many arguments", "has 64 arguments", func(db *ground.Database) error { return db.Predicate("R", 64) }},
		{"large value", "P(z) has the value 1.5", func(db *ground.Database) error { return db.Observe("P", 1.5, "z") }},
		{"negative truth", "P(z) has the value -1", func(db *ground.Database) error { return db.Truth("P", -1, "z") }},
		{"not a number", "P(z) has the value NaN", func(db *ground.Database) error { return db.Observe("P", math.NaN(), "z") }},
		{"two values", "P(a) is observed as 0.5 and as 0.75", func(db *ground.Database) error { return db.Observe("P", 0.75, "a") }},
		{"two truths", "the truth of P(a) is given as 1 and as 0", func(db *ground.Database) error { return db.Truth("P", 0, "a") }},
		{"observed target", "P(a) is given as observation and as target", func(db *ground.Database) error { _, err := db.Target("P", "a"); return err }},
		{"deep target", "P(b) is given as target and as deep atom", func(db *ground.Database) error { _, err := db.Deep("P", "b"); return err }},
		{"target observed", "P(b) is given as target and as observation", func(db *ground.Database) error { return db.Observe("P", 1, "b") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := declare(t, "P/1")
			fill(t, db, "obs P(a) 0.5", "target P(b)", "truth P(a)")
			err := c.do(db)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			// The database is as before.
			assert.Equal(t, []ground.PredicateInfo{{"P", 1, 1, 1, 0, 1}}, db.Predicates(), "the database holds")
		})
	}
	db := declare(t, "P/1")
	fill(t, db, "obs P(a) 0.5", "obs P(a) 0.5", "truth P(a)", "truth P(a)")
	assert.NoError(t, db.Predicate("P", 1))
}
