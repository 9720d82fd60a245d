package citation

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGenerate: same seed, same graph; links are as homophilous as asked.
func TestGenerate(t *testing.T) {
	o := Demo()
	g, err := Generate(o)
	require.NoError(t, err)
	require.NoError(t, g.Check())
	again, err := Generate(o)
	if err != nil || !slices.Equal(g.Labels, again.Labels) || !slices.Equal(g.WordCol, again.WordCol) || !slices.Equal(g.Cites, again.Cites) {
		t.Error("the same seed gave two graphs")
	}
	o.Seed++
	if other, err := Generate(o); err != nil || slices.Equal(g.Cites, other.Cites) {
		t.Error("another seed gave the same graph")
	}
	sizes := make([]int, len(g.Classes))
	for _, c := range g.Labels {
		sizes[c]++
	}
	if slices.Min(sizes) < 50 {
		t.Errorf("class sizes %v", sizes)
	}
	same := 0
	for _, c := range g.Cites {
		if c.Cited >= c.Citing {
			t.Fatalf("paper %d cites the later paper %d", c.Citing, c.Cited)
		}
		if g.Labels[c.Citing] == g.Labels[c.Cited] {
			same++
		}
	}
	// Homophily and a fifth of the rest by chance.
	if share := float64(same) / float64(len(g.Cites)); share < 0.8 || share > 0.95 {
		t.Errorf("%.3f of the citations stay in the class", share)
	}
	if n := len(g.Cites); n < 1500 {
		t.Errorf("%d citations", n)
	}
}

func TestGenerateErrors(t *testing.T) {
	for _, spoil := range []func(o *Generated){
		func(o *Generated) { o.Papers = 0 },
		func(o *Generated) { o.Classes = 1 },
		func(o *Generated) { o.Words = 5 },
		func(o *Generated) { o.PaperWords = 300 },
		func(o *Generated) { o.Cites = -1 },
		func(o *Generated) { o.Topical = 1.5 },
		func(o *Generated) { o.Homophily = -0.1 },
	} {
		o := Demo()
		spoil(&o)
		if _, err := Generate(o); err == nil || !strings.Contains(err.Error(), "cannot generate") {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}
