package ground

import (
	"fmt"
	"strings"
	"testing"

	"hinge/symbolic/psl"
)

// compileText compiles one rule over predicates P/1, Q/2, R/3 with a few
// constants.
func compileText(t *testing.T, text string) ([]*rule, *compiler) {
	t.Helper()
	db := NewDatabase()
	for i, name := range []string{"P", "Q", "R"} {
		if err := db.Predicate(name, i+1); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []string{"a", "b"} {
		if err := db.Observe("P", 1, x); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := psl.Parse("rule", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c := &compiler{db: db}
	rules, perr := c.compile(prog.Rules[0])
	if perr != nil {
		t.Fatal(perr)
	}
	return rules, c
}

// describe prints the join atoms and comparisons of a compiled rule.
func describe(r *rule, c *compiler) string {
	show := func(t term) string {
		if t < 0 {
			return "'" + c.name(^t) + "'"
		}
		return r.vars[t]
	}
	var parts []string
	for _, j := range r.join {
		var args []string
		for col, a := range j.args {
			s := show(a)
			if j.sums>>col&1 != 0 {
				s = "+" + s
			}
			args = append(args, s)
		}
		parts = append(parts, j.pred.name+"("+strings.Join(args, ",")+")")
	}
	for _, w := range r.where {
		s := show(w.left) + []string{"==", "!=", "%"}[w.op] + show(w.right)
		if w.negated {
			s = "!" + s
		}
		parts = append(parts, s)
	}
	return fmt.Sprintf("%d: %s", r.bound, strings.Join(parts, " "))
}

func TestCompile(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"1: P(A) & Q(A, B) -> R(A, B, 'a')", "2: P(A) Q(A,B)"},
		{"1: P(A) & !Q(A, A) -> !R(A, B, C) | P(B)", "3: P(A) R(A,B,C)"},
		{"1: P(A) & P(B) & A != B -> Q(A, B)", "2: P(A) P(B) A!=B"},
		{"1: P(A) & P(B) -> A == B", "2: P(A) P(B) !A==B"},
		{"1: P(A) & P(B) -> A != B", "2: P(A) P(B) !A!=B"},
		// == makes variables one, through chains and constants.
		{"1: P(A) & P(B) & A == B -> Q(A, B)", "1: P(A) P(A)"},
		{"1: Q(A, B) & Q(C, D) & A == B & C == D & B == C -> P(A)", "1: Q(A,A) Q(A,A)"},
		{"1: Q(A, B) & B == 'a' -> P(A)", "1: Q(A,'a')"},
		{"1: Q(A, B) & 'b' == A & A == B -> P(A)", "0: Q('b','b')"},
		{"1: Q(A, B) & A == 'a' & A == 'b' -> P(B)", "1: Q('a',B) 'a'=='b'"},
		{"1: P(A) & A == A -> P(A)", "1: P(A)"},
		{"1: P(A) & A != 'z' -> P(A)", "1: P(A) A!='z'"},
		// Summation variables come after the ordinary ones.
		{"1: Q(A, +X) + R(B, +Y, A) <= P(B) + 1", "2: Q(A,+X) R(B,+Y,A) P(B)"},
		{"1: Q(A, +X) + P(B) + 0 * (A == B) <= 1", "1: Q(A,+X) P(A)"},
		{"1: Q(A, +X) + P(B) + 0 * (A % B) <= 1", "2: Q(A,+X) P(B) A%B"},
	} {
		rules, comp := compileText(t, c.source)
		if got := describe(rules[0], comp); got != c.want || len(rules) != 1 {
			t.Errorf("%s\nis  %s\nnot %s", c.source, got, c.want)
		}
	}
}

// TestSplitFilters counts the rules that filters make and their literals.
func TestSplitFilters(t *testing.T) {
	for _, c := range []struct{ filter, want string }{
		{"", "[]"},
		{"{X: P(X)}", "[1]"},
		{"{X: P(X) & P(A)}", "[2]"},
		{"{X: P(X) | P(A)}", "[1 1]"},
		{"{X: P(X) & (P(A) | X == A)}", "[2 2]"},
		{"{X: (P(X) | P(A)) & (X == A | X != 'a' | P(A))}", "[2 2 2 2 2 2]"},
		{"{X: P(X) | P(A) & X == A}", "[1 2]"},
		{"{X: P(X) | P(A)} {Y: P(Y) | P(A)}", "[2 2 2 2]"},
		{"{Y: P(Y)} {X: P(X) | P(A)}", "[2 2]"},
	} {
		rules, _ := compileText(t, "1: Q(A, +X) + Q(A, +Y) <= 1 "+c.filter)
		sizes := []int{}
		for _, r := range rules {
			if r.filters == nil {
				continue
			}
			n := 0
			for _, conj := range r.filters {
				n += len(conj)
			}
			sizes = append(sizes, n)
		}
		if got := fmt.Sprint(sizes); got != c.want || len(rules) != max(1, len(sizes)) {
			t.Errorf("%s gives %s literals in %d rules, want %s", c.filter, got, len(rules), c.want)
		}
	}
}

// TestPlanOrder checks the order of joins over tables of given sizes, and how
// many columns are bound when an atom's turn comes.
func TestPlanOrder(t *testing.T) {
	db := NewDatabase()
	for name, arity := range map[string]int{"Block": 2, "Table": 4, "Digit": 2, "Place": 4, "Empty": 1} {
		if err := db.Predicate(name, arity); err != nil {
			t.Fatal(err)
		}
	}
	s := func(v int) string { return fmt.Sprint(v) }
	for k := range 500 {
		i, j := s(1000+2*k), s(1001+2*k)
		must(t, db.Observe("Block", 1, i, j))
		for z := range 10 {
			for _, place := range []string{"1", "10"} {
				_, err := db.Target("Place", i, j, place, s(z))
				must(t, err)
			}
			for _, image := range []string{i, j} {
				_, err := db.Deep("Digit", image, s(z))
				must(t, err)
			}
		}
	}
	for w := range 2 {
		for x := range 10 {
			for y := range 10 {
				must(t, db.Observe("Table", 1, s(w), s(x), s(y), s((w+x+y)%10)))
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
		must(t, err)
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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
