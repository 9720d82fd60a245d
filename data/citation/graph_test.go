package citation

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a graph of five papers, three classes and four words.
func small() *Graph {
	return &Graph{
		Name: "small", IDs: []string{"a", "b", "c", "d", "e"}, Classes: []string{"x", "y", "z"},
		Labels: []int{0, 1, 1, 2, 0}, Words: 4,
		WordPtr: []int{0, 2, 3, 3, 5, 6}, WordCol: []int32{0, 3, 1, 0, 2, 3},
		Cites: []Cite{{1, 0}, {0, 1}, {2, 1}, {3, 3}, {4, 3}},
	}
}

func TestLinks(t *testing.T) {
	g := small()
	require.NoError(t, g.Check())
	// Both directions are one link, and paper d's own citation is none.
	want := [][2]int32{{0, 1}, {1, 2}, {3, 4}}
	assert.Equal(t, want, g.Links(), "links")
	assert.Equal(t, []int32{0, 2}, g.Node(3), "words of d")
}

func TestCheck(t *testing.T) {
	for name, spoil := range map[string]func(g *Graph){
		"is there twice":      func(g *Graph) { g.IDs[4] = "a" },
		"class 3 of 3":        func(g *Graph) { g.Labels[2] = 3 },
		"after word":          func(g *Graph) { g.WordCol[1] = 0 },
		"word 4 after word 0": func(g *Graph) { g.WordCol[1] = 4 },
		"pointers":            func(g *Graph) { g.WordPtr = g.WordPtr[1:] },
		"decrease":            func(g *Graph) { g.WordPtr[2] = 1; g.WordPtr[1] = 2 },
		"citation 5":          func(g *Graph) { g.Cites[0].Citing = 5 },
		"→ -1":                func(g *Graph) { g.Cites[0].Cited = -1 },
	} {
		g := small()
		spoil(g)
		assert.ErrorContains(t, g.Check(), name)
	}
}

// Check reports the first inconsistency: storage of different length, a label,
// word or node out of range, a paper named twice.
func (g *Graph) Check() error {
	n := len(g.IDs)
	if len(g.Labels) != n || len(g.WordPtr) != n+1 || g.WordPtr[0] != 0 || g.WordPtr[n] != len(g.WordCol) {
		return fmt.Errorf("citation: %s: %d papers, %d labels, %d word pointers for %d words",
			g.Name, n, len(g.Labels), len(g.WordPtr), len(g.WordCol))
	}
	seen := make(map[string]bool, n)
	for i, id := range g.IDs {
		if seen[id] {
			return fmt.Errorf("citation: %s: paper %q is there twice", g.Name, id)
		}
		seen[id] = true
		if l := g.Labels[i]; l < 0 || l >= len(g.Classes) {
			return fmt.Errorf("citation: %s: paper %q has class %d of %d", g.Name, id, l, len(g.Classes))
		}
		if g.WordPtr[i] > g.WordPtr[i+1] {
			return fmt.Errorf("citation: %s: the word pointers of paper %q decrease", g.Name, id)
		}
		last := int32(-1)
		for _, w := range g.Node(i) {
			if w <= last || int(w) >= g.Words {
				return fmt.Errorf("citation: %s: paper %q has word %d after word %d of %d", g.Name, id, w, last, g.Words)
			}
			last = w
		}
	}
	for _, c := range g.Cites {
		if c.Citing < 0 || int(c.Citing) >= n || c.Cited < 0 || int(c.Cited) >= n {
			return fmt.Errorf("citation: %s: citation %d → %d among %d papers", g.Name, c.Citing, c.Cited, n)
		}
	}
	return nil
}
