package citation

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/nlpodyssey/gopickle/types"
)

// readPlanetoid joins the eight files of a data set, in the order of parts, as they were published:
//
//	x, y         words and classes of the labelled training papers (not used:
//	             they are the first rows of allx, ally)
//	tx, ty       the same of the test papers, in the order of test.index
//	allx, ally   the same of all other papers: nodes 0, 1, …
//	graph        node → nodes it is linked with
//	test.index   the nodes of the test papers
//
// Nodes that are in none of them have no words and class 0. The direction of a
// citation is lost in this form: Cites has each link once, from the smaller to
// the larger node.
func readPlanetoid(name string, classes []string, contents [][]byte) (*Graph, error) {
	values := map[string]any{}
	for _, part := range []string{"allx", "tx", "ally", "ty", "graph"} {
		var err error
		if values[part], err = readPickle(contents[slices.Index(parts, part)]); err != nil {
			return nil, fmt.Errorf("citation: ind.%s.%s: %w", name, part, err)
		}
	}
	allx, tx := toCSR(values["allx"]), toCSR(values["tx"])
	labels := slices.Concat(toLabels(values["ally"]), toLabels(values["ty"]))
	links, known := values["graph"].(*pickleObject).Dict, len(allx.ptr)-1
	// row[i] is the row that describes node i: in allx, then in tx.
	row := slices.Repeat([]int{-1}, len(links))
	for i := range known {
		row[i] = i
	}
	for k, text := range bytes.Fields(contents[slices.Index(parts, "test.index")]) {
		i, err := strconv.Atoi(string(text))
		if err != nil {
			return nil, fmt.Errorf("citation: ind.%s.test.index: %w", name, err)
		}
		row[i] = known + k
	}
	g := &Graph{Name: name, Classes: slices.Clone(classes), Words: allx.cols, WordPtr: []int{0}}
	for i, r := range row {
		label := 0
		if r >= 0 {
			label = labels[r]
		}
		if r >= known {
			g.addWords(&tx, r-known)
		} else if r >= 0 {
			g.addWords(&allx, r)
		}
		g.IDs = append(g.IDs, strconv.Itoa(i))
		g.Labels = append(g.Labels, label)
		g.WordPtr = append(g.WordPtr, len(g.WordCol))
	}
	g.addLinks(links)
	return g, nil
}

// addWords appends the words of a row, in increasing order.
func (g *Graph) addWords(m *matrixCSR, row int) {
	start := len(g.WordCol)
	for _, word := range m.indices[m.ptr[row]:m.ptr[row+1]] {
		g.WordCol = append(g.WordCol, int32(word))
	}
	slices.Sort(g.WordCol[start:])
}

// addLinks turns neighbour lists into citations, each link once.
func (g *Graph) addLinks(d types.Dict) {
	self := make(map[int]bool)
	for _, entry := range d {
		u := entry.Key.(int)
		for _, item := range *entry.Value.(*types.List) {
			v := item.(int)
			if u == v {
				self[u] = true
				continue
			}
			g.Cites = append(g.Cites, Cite{Citing: int32(min(u, v)), Cited: int32(max(u, v))})
		}
	}
	slices.SortFunc(g.Cites, func(a, b Cite) int {
		return cmp.Or(cmp.Compare(a.Citing, b.Citing), cmp.Compare(a.Cited, b.Cited))
	})
	g.Cites = slices.Compact(g.Cites)
	g.Skipped.Self = len(self)
}

// toLabels reads one row of 0 and 1 a paper; a row of zeros is class 0.
func toLabels(v any) (labels []int) {
	a := toArray(v)
	for row := range slices.Chunk(a.values, a.shape[1]) {
		labels = append(labels, max(slices.Index(row, 1), 0))
	}
	return labels
}
