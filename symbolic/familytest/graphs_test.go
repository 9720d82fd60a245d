package familytest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stretchr/testify/assert"
)

// Papers cite up to nine earlier ones, mostly of their topic, each once.
func TestRandomGraph(t *testing.T) {
	const n = 6000
	g := randomGraph(rand.New(rand.NewPCG(9, 9)), n)
	require.Len(t, g.topic, n)
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
		assert.LessOrEqualf(t, count, 9, "paper %d", paper)
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
		assert.Equalf(t, topics, n, "paper %s", id)
	}
	assert.Equal(t, len(papers), p.Constraints.Len())
	if all := 30000 / 24.6; math.Abs(float64(len(papers))-all/2) > 0.1*all {
		t.Errorf("%d papers are open, want about half of %v", len(papers), all)
	}
}

// The first mistake is kept and told.
func TestBuilderKeepsItsError(t *testing.T) {
	b := newBuilder(rand.New(rand.NewPCG(1, 1)))
	b.Declare("P", 1)
	b.observe("P", 2, "a") // not in [0, 1]
	first := b.Err
	require.Error(t, first, "a value of 2 is accepted")
	b.Declare("Q", 1)
	b.Target("Nobody", "x")
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
	if got, want := fmt.Sprint(len(all)), fmt.Sprint(len(Names())); got != want {
		t.Errorf("%s families, %s names", got, want)
	}
}
