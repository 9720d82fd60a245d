package citation

import (
	"fmt"
	"slices"
)

// Graph is a citation network: papers with binary word vectors and topics, and the citations
// between them. It is read-only once it is made.
type Graph struct {
	// Name is the data set's name.
	Name string
	// IDs are the papers' names in file order; a node is a position in it.
	IDs []string
	// Classes are the topics' names; Labels[i], 0 to len(Classes)−1, is the topic
	// of node i.
	Classes []string
	Labels  []int
	// Words is the size of the vocabulary. Node i has the words
	// WordCol[WordPtr[i]:WordPtr[i+1]], in increasing order.
	Words   int
	WordPtr []int
	WordCol []int32
	// Cites are the citations between papers of the graph, in file order.
	Cites []Cite
	// Skipped counts the lines of the citation file that are not in Cites.
	Skipped Skipped
	// Source is the folder or file the graph was read from.
	Source string
}

// Cite is one citation: paper Citing cites paper Cited. Both are nodes.
type Cite struct{ Citing, Cited int32 }

// Skipped counts citations that name the same paper twice and citations that
// name a paper the graph does not have.
type Skipped struct{ Self, Unknown int }

// Nodes returns the number of papers.
func (g *Graph) Nodes() int { return len(g.IDs) }

// Node returns the words of node i. The slice must not be changed.
func (g *Graph) Node(i int) []int32 { return g.WordCol[g.WordPtr[i]:g.WordPtr[i+1]] }

// Links returns the undirected links without self-links and duplicates: each
// as a pair (u, v) with u < v, sorted.
func (g *Graph) Links() [][2]int32 {
	links := make([][2]int32, 0, len(g.Cites))
	for _, c := range g.Cites {
		if c.Citing != c.Cited {
			links = append(links, [2]int32{min(c.Citing, c.Cited), max(c.Citing, c.Cited)})
		}
	}
	slices.SortFunc(links, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(links)
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
