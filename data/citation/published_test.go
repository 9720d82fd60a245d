package citation

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the data root of the tests that read the published files.
func root(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("HINGE_DATA")
	if dir == "" {
		t.Skip("set HINGE_DATA to a folder with cora and citeseer (LINQS and Planetoid files) to run this test")
	}
	return dir
}

// TestPublished checks the counts of all four published graphs, and that the two
// forms of a data set are the same graph but for CiteSeer's papers without
// content.
func TestPublished(t *testing.T) {
	dir := root(t)
	for _, c := range []struct {
		name                          string
		nodes, cites, self, unknown   int
		links, words, ones, planetoid int
		plinks                        int
	}{
		{"cora", 2708, 5429, 0, 0, 5278, 1433, 49216, 2708, 5278},
		{"citeseer", 3312, 4591, 124, 17, 4536, 3703, 105165, 3327, 4552},
	} {
		g, err := Load(c.name, LINQS, dir)
		require.NoError(t, err)
		if g.Nodes() != c.nodes || len(g.Cites) != c.cites || g.Skipped != (Skipped{c.self, c.unknown}) ||
			len(g.Links()) != c.links || g.Words != c.words || len(g.WordCol) != c.ones {
			t.Errorf("%s: %d papers, %d citations, %+v, %d links, %d words, %d ones", c.name,
				g.Nodes(), len(g.Cites), g.Skipped, len(g.Links()), g.Words, len(g.WordCol))
		}
		require.NoError(t, g.Check())
		p, err := Load(c.name, Planetoid, dir)
		require.NoError(t, err)
		require.NoError(t, p.Check())
		if p.Nodes() != c.planetoid || len(p.Links()) != c.plinks || p.Words != c.words || len(p.WordCol) != c.ones {
			t.Errorf("%s, Planetoid: %d nodes, %d links, %d words, %d ones", c.name, p.Nodes(), len(p.Links()), p.Words, len(p.WordCol))
		}
		if s := PaperSizes(p); s != PaperSizes(g) || s.Train != c.nodes/20 || s.Valid != s.Train || s.Test != 1000 {
			t.Errorf("%s: sizes %+v and %+v", c.name, s, PaperSizes(g))
		}
		// The same papers: class and words, as multisets.
		if a, b := papers(g), papers(p); !slices.Equal(a, b) {
			t.Errorf("%s: the papers of the two forms differ", c.name)
		}
	}
}

// papers describes every paper that has words, sorted.
func papers(g *Graph) []string {
	var list []string
	for i := range g.Nodes() {
		if len(g.Node(i)) == 0 {
			continue
		}
		var b strings.Builder
		b.WriteString(g.Classes[g.Labels[i]])
		for _, w := range g.Node(i) {
			b.WriteByte(' ')
			b.WriteRune(rune(w + 1))
		}
		list = append(list, b.String())
	}
	slices.Sort(list)
	return list
}
