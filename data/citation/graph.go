package citation

import "slices"

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
