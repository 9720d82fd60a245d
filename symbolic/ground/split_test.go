package ground_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
	"hinge/symbolic/psl"
)

var splits = map[string]func(*ground.Database, int) *ground.Split{
	"hash": ground.SplitHash, "blocks": ground.SplitBlocks, "graph": ground.SplitGraph,
}

// TestSplitParts checks that the parts of random programs hold the rows of the whole, each
// once, whatever the split, and fail where the whole does.
func TestSplitParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	rows, several, failed := 0, 0, 0
	for m := range 500 {
		g := newGenerator(rng, 1+rng.IntN(4), "a", "b", "c", "d")
		db, _ := g.database()
		rules := &psl.Program{Rules: []*psl.Rule{g.rule(), g.rule()}}
		opts := ground.Options{Workers: 1, NormalizeWeights: rng.IntN(2) == 0}
		if rng.IntN(2) == 0 {
			opts.DropMissing = true
		}
		whole, wholeErr := ground.Ground(context.Background(), rules, db, opts)
		for name, split := range splits {
			parts := 1 + rng.IntN(4)
			s := split(db, parts)
			var got []string
			var err error
			with := 0
			for k := range parts {
				p, partErr := s.Ground(context.Background(), rules, db, opts, k)
				if partErr != nil {
					err = partErr
					continue
				}
				if checkErr := p.Program.Check(); checkErr != nil {
					t.Fatalf("model %d, %s: %v", m, name, checkErr)
				}
				for i, c := range p.Targets {
					pred, args := db.TargetAtom(int(c))
					if want := pred + "(" + strings.Join(args, ",") + ")"; p.Program.Targets[i] != want {
						t.Fatalf("model %d, %s: target %d is called %s, not %s", m, name, i, p.Program.Targets[i], want)
					}
				}
				if wholeErr == nil && !slices.Equal(p.Program.Weights(), whole.Weights()) {
					t.Fatalf("model %d, %s: weights %v, want %v", m, name, p.Program.Weights(), whole.Weights())
				}
				list := programRows(p.Program)
				got = append(got, list...)
				with += min(len(list), 1)
			}
			if (err != nil) != (wholeErr != nil) {
				t.Fatalf("model %d, %s: error %v, of the whole %v", m, name, err, wholeErr)
			}
			if err != nil {
				failed++
				continue
			}
			slices.Sort(got)
			if want := programRows(whole); !slices.Equal(got, want) {
				t.Fatalf("model %d, %s, %d parts: %v\ngot\n%s\nwant\n%s", m, name, parts, rules.Rules,
					strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			rows += len(got)
			several += max(0, with-1)
		}
	}
	if rows < 4000 || several < 400 || failed == 0 {
		t.Errorf("the random models are too dull: %d rows, %d further parts with rows, %d errors", rows, several, failed)
	}
}

// common makes rows between neighbours of a graph whose vertices have numbers that say
// nothing, and returns how many targets parts have in common.
func common(t *testing.T, split func(*ground.Database, int) *ground.Split, n, parts int, edges [][2]int) (shared int, sizes []int) {
	t.Helper()
	rules, err := psl.Parse("pairs", []byte("1: Near(A, B) & Is(A, L) -> Is(B, L) ^2"))
	require.NoError(t, err)
	b := ground.NewBuilder()
	name := rand.New(rand.NewPCG(1, 9)).Perm(n)
	for _, i := range name {
		for _, l := range []string{"x", "y"} {
			b.Target("Is", strconv.Itoa(i), l)
		}
	}
	for _, e := range edges {
		b.Observe("Near", strconv.Itoa(name[e[0]]), strconv.Itoa(name[e[1]]))
	}
	if b.Err != nil {
		t.Fatal(b.Err)
	}
	s := split(b.DB, parts)
	count := map[int32]int{}
	for k := range parts {
		p, err := s.Ground(context.Background(), rules, b.DB, ground.Options{}, k)
		require.NoError(t, err)
		sizes = append(sizes, p.Program.Potentials.Len())
		for _, i := range p.Targets {
			if count[i]++; count[i] == 2 {
				shared++
			}
		}
	}
	return shared, sizes
}

// TestSplitGraph: a path of constants in no order is cut where it is narrow, components are
// not cut where parts then differ by less than two per cent, labels tie nothing together, and
// parts are of one size.
func TestSplitGraph(t *testing.T) {
	const n = 3000
	var path, triples [][2]int
	for i := range n - 1 {
		path = append(path, [2]int{i, i + 1})
		if i%3 < 2 {
			triples = append(triples, [2]int{i, i + 1})
		}
	}
	// two are paths of a share of the constants and of the others.
	two := func(share int) [][2]int {
		return slices.Concat(path[:n*share/1000-1], path[n*share/1000:])
	}
	for _, c := range []struct {
		name        string
		edges       [][2]int
		parts       int
		least, most int
	}{
		{"path", path, 4, 1, 2 * 3}, {"triples", triples, 4, 0, 0},
		{"almost halves", two(495), 2, 0, 0}, {"no halves", two(475), 2, 1, 2},
	} {
		shared, sizes := common(t, ground.SplitGraph, n, c.parts, c.edges)
		even := len(c.edges) * 2 / c.parts
		if shared < c.least || shared > c.most || slices.Min(sizes) < even*98/100 || slices.Max(sizes) > even*102/100 {
			t.Errorf("%s: %d targets in common, parts of %v rows", c.name, shared, sizes)
		}
		if bad, _ := common(t, ground.SplitHash, n, c.parts, c.edges); bad < n/2 {
			t.Errorf("%s: a random split has only %d targets in common: the test is too easy", c.name, bad)
		}
	}
}

// TestSplitBlocks: blocks go on from the first constant to the last, and a rule is split by
// the variable that has the most constants in all of its atoms.
func TestSplitBlocks(t *testing.T) {
	rules, err := psl.Parse("hub", []byte("1: Near(A, B) & Hub(A) & Is(B) -> Good(A)\n1: Is(B) = 1"))
	require.NoError(t, err)
	const n = 200
	b := ground.NewBuilder()
	for i := range n {
		b.Target("Is", "b"+strconv.Itoa(i))
	}
	for i := range n {
		b.Observe("Near", "a"+strconv.Itoa(i), "b0")
		b.Observe("Near", "hub", "b"+strconv.Itoa(i%(n/2)))
	}
	b.Observe("Hub", "hub")
	b.Target("Good", "hub")
	if b.Err != nil {
		t.Fatal(b.Err)
	}
	s := ground.SplitBlocks(b.DB, 4)
	with, last := 0, -1
	for k := range 4 {
		p, err := s.Ground(context.Background(), rules, b.DB, ground.Options{}, k)
		require.NoError(t, err)
		if slices.Contains(p.Program.Targets, "Good(hub)") {
			with++
		}
		for _, i := range p.Targets {
			if pred, _ := b.DB.TargetAtom(int(i)); pred == "Is" {
				if int(i) < last {
					t.Errorf("part %d begins at target %d, one before it ends at %d", k, i, last)
				}
				last = int(i)
			}
		}
	}
	if with < 2 {
		t.Errorf("%d parts have rows of the hub's", with)
	}
}

// TestSplitErrors: parts that are none, and databases that have grown, are errors.
func TestSplitErrors(t *testing.T) {
	rules, err := psl.Parse("pairs", []byte("1: Near(A, B) & Is(A) -> Is(B)"))
	require.NoError(t, err)
	b := ground.NewBuilder()
	b.Observe("Near", "ann", "bob")
	b.Target("Is", "ann")
	b.Target("Is", "bob")
	wrong := func(s *ground.Split, part int, want string) {
		t.Helper()
		_, err := s.Ground(context.Background(), rules, b.DB, ground.Options{}, part)
		assert.ErrorContains(t, err, want)
	}
	for _, split := range splits {
		wrong(split(b.DB, 0), 1, "no part 1 of 1")
	}
	s := ground.SplitBlocks(b.DB, 2)
	wrong(s, -1, "no part -1 of 2")
	wrong(s, 2, "no part 2 of 2")
	b.Observe("Near", "bob", "cleo")
	wrong(s, 0, "the database has 3 constants, 2 were split")
}

// ExampleSplit grounds a program in two parts: each has the rows of half of the people.
func ExampleSplit() {
	rules, _ := psl.Parse("smoke.psl", []byte("2: Friends(A, B) & Smokes(A) -> Smokes(B)\n1: !Smokes(A)"))
	b := ground.NewBuilder()
	for _, p := range [][2]string{{"ann", "bob"}, {"bob", "cleo"}, {"cleo", "dan"}} {
		b.Observe("Friends", p[0], p[1])
		b.Target("Smokes", p[0])
		b.Target("Smokes", p[1])
	}
	split := ground.SplitGraph(b.DB, 2)
	for part := range split.Parts() {
		p, err := split.Ground(context.Background(), rules, b.DB, ground.Options{}, part)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.Program.Potentials.Len(), "rows on", p.Program.Targets)
	}
	// Output:
	// 3 rows on [Smokes(cleo) Smokes(dan)]
	// 4 rows on [Smokes(ann) Smokes(bob) Smokes(cleo)]
}
