package families

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hinge/symbolic/lcqp"
)

// couples returns the pairs of targets that share a potential.
func couples(t testing.TB, tpl *lcqp.Template) map[[2]int32]bool {
	t.Helper()
	pairs := map[[2]int32]bool{}
	for k := tpl.Constraints; k < tpl.Rows(); k++ {
		col := tpl.Col[tpl.Ptr[k]:tpl.Ptr[k+1]]
		if len(col) > 2 {
			t.Fatalf("potential of %d targets", len(col))
		}
		if len(col) == 2 {
			pairs[[2]int32{col[0], col[1]}] = true
		}
	}
	return pairs
}

// A chain is a path, a grid a square whose neighbours agree.
func TestPaths(t *testing.T) {
	tpl := compile(t, model(t, "chain", 400))
	pairs := couples(t, tpl)
	if tpl.Targets != 100 || len(tpl.Components) != 1 || len(pairs) != 99 {
		t.Errorf("chain of %d states with %d pairs in %d components", tpl.Targets, len(pairs), len(tpl.Components))
	}
	for p := range pairs {
		if p[1]-p[0] != 1 {
			t.Errorf("states %d and %d are neighbours", p[0], p[1])
		}
	}
	tpl = compile(t, model(t, "grid", 600))
	pairs = couples(t, tpl)
	if tpl.Targets != 100 || len(tpl.Components) != 1 || len(pairs) != 180 {
		t.Errorf("grid of %d pixels with %d pairs in %d components", tpl.Targets, len(pairs), len(tpl.Components))
	}
	for p := range pairs {
		if d := p[1] - p[0]; d != 10 && (d != 1 || p[0]%10 == 9) {
			t.Errorf("pixels %d and %d are neighbours", p[0], p[1])
		}
	}
}

// Each thing has as many similar ones as asked for; the nearer, the more
// similar.
func TestSimilar(t *testing.T) {
	for name, want := range map[string]struct{ k, labels int }{"knn-regression": {8, 1}, "knn-labels": {6, 5}} {
		m := model(t, name, 20000)
		p := grounded(t, m)
		from := map[string]int{}
		for k := range p.Potentials.Len() {
			col, val := p.Potentials.Row(k)
			if len(col) != 2 {
				continue
			}
			// y_a − y_b − (1 − similarity)
			if c := p.Potentials.Const[k]; c < -0.5-1e-9 || c > -0.001+1e-9 {
				t.Fatalf("%s: similarity %v", name, 1+c)
			}
			a := col[0]
			if val[0] < 0 {
				a = col[1]
			}
			from[p.Targets[a]]++
		}
		if len(from) != len(p.Targets) {
			t.Errorf("%s: %d of %d targets are coupled", name, len(from), len(p.Targets))
		}
		total := 0
		for _, n := range from {
			total += n
		}
		perTarget := float64(total) / float64(len(p.Targets))
		if name == "knn-regression" {
			perTarget /= 2 // a rule for each direction
		}
		if math.Abs(perTarget-float64(want.k)) > 1e-9 {
			t.Errorf("%s: %v similar ones a target, want %d", name, perTarget, want.k)
		}
		if want.labels > 1 && p.Constraints.Len() != len(p.Targets)/want.labels {
			t.Errorf("%s: %d sums of %d targets", name, p.Constraints.Len(), len(p.Targets))
		}
	}
}

// Papers cite up to nine earlier ones, mostly of their topic, each once.
func TestRandomGraph(t *testing.T) {
	const n = 6000
	g := randomGraph(rand.New(rand.NewPCG(9, 9)), n)
	if len(g.topic) != n {
		t.Fatalf("%d papers", len(g.topic))
	}
	var share [topics]float64
	for _, topic := range g.topic {
		share[topic] += 100.0 / n
	}
	for topic, want := range shares {
		if math.Abs(share[topic]-float64(want)) > 3 {
			t.Errorf("topic %d has %v percent, want %d", topic, share[topic], want)
		}
	}
	by, seen, own := map[int32]int{}, map[[2]int32]bool{}, 0
	for _, c := range g.cites {
		if c[1] >= c[0] || seen[c] {
			t.Fatalf("paper %d cites %d, twice: %v", c[0], c[1], seen[c])
		}
		seen[c] = true
		by[c[0]]++
		if g.topic[c[0]] == g.topic[c[1]] {
			own++
		}
	}
	for paper, count := range by {
		if count > 9 {
			t.Errorf("paper %d cites %d", paper, count)
		}
	}
	if mean := float64(len(g.cites)) / n; mean < 1.5 || mean > 2.5 {
		t.Errorf("%v citations a paper", mean)
	}
	if part := float64(own) / float64(len(g.cites)); part < 0.7 || part > 0.95 {
		t.Errorf("%v of the citations stay in their topic", part)
	}
}

// Half of the papers are observed, and each of the others has one topic.
func TestCitationTopics(t *testing.T) {
	p := grounded(t, model(t, "citation", 30000))
	papers := map[string]int{}
	for _, name := range p.Targets {
		id, _, _ := strings.Cut(strings.TrimPrefix(name, "Topic("), ",")
		papers[id]++
	}
	for id, n := range papers {
		if n != topics {
			t.Errorf("paper %s has %d topics", id, n)
		}
	}
	if p.Constraints.Len() != len(papers) {
		t.Errorf("%d sums of topics for %d papers", p.Constraints.Len(), len(papers))
	}
	if all := 30000 / 24.6; math.Abs(float64(len(papers))-all/2) > 0.1*all {
		t.Errorf("%d papers are open, want about half of %v", len(papers), all)
	}
}

// The first mistake is kept and told.
func TestBuilderKeepsItsError(t *testing.T) {
	b := newBuilder(rand.New(rand.NewPCG(1, 1)))
	b.declare("P", 1)
	b.observe("P", 2, "a") // not in [0, 1]
	first := b.err
	if first == nil {
		t.Fatal("a value of 2 is accepted")
	}
	b.declare("Q", 1)
	b.target("Nobody", "x")
	b.deep("Nobody", 0.5, "x")
	if _, err := b.model("chain", 1); !errors.Is(err, first) || len(b.outputs) != 0 {
		t.Errorf("%v with %d outputs, want %v", err, len(b.outputs), first)
	}
	if _, err := newBuilder(b.rng).model("nothing", 1); err == nil {
		t.Error("rules that are not there")
	}
}

func TestModelErrors(t *testing.T) {
	m := model(t, "chain", 4000)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Ground(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	m.Outputs = nil
	if got := m.Moved(rand.New(rand.NewPCG(1, 1)), 0.1); got != nil {
		t.Errorf("outputs from nowhere: %v", got)
	}
	for _, name := range Names() {
		if f, err := Find(name); err != nil || f.Name != name || f.About == "" {
			t.Errorf("%s: %v, %+v", name, err, f)
		}
	}
	if got, want := fmt.Sprint(len(All())), fmt.Sprint(len(Names())); got != want {
		t.Errorf("%s families, %s names", got, want)
	}
}
