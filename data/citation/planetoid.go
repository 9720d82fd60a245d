package citation

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/nlpodyssey/gopickle/types"
)

// readPlanetoid joins the eight files of a data set, in the order of parts:
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
	p := planetoid{name: name, contents: contents}
	allx, tx := read(&p, "allx", toCSR), read(&p, "tx", toCSR)
	ally, ty := read(&p, "ally", toLabels(len(classes))), read(&p, "ty", toLabels(len(classes)))
	links := read(&p, "graph", toLinks)
	tests := p.testIndex()
	if p.err != nil {
		return nil, p.err
	}
	n := len(links)
	switch {
	case allx.cols != tx.cols:
		return nil, p.fail("tx", fmt.Errorf("%d words, allx has %d", tx.cols, allx.cols))
	case len(ally) != allx.rows:
		return nil, p.fail("ally", fmt.Errorf("%d classes for %d papers", len(ally), allx.rows))
	case len(ty) != tx.rows || len(tests) != tx.rows:
		return nil, p.fail("ty", fmt.Errorf("%d classes and %d nodes for %d test papers", len(ty), len(tests), tx.rows))
	case n < allx.rows:
		return nil, p.fail("graph", fmt.Errorf("%d nodes, allx has %d papers", n, allx.rows))
	}
	// row[i] is the row that describes node i: in allx, then in tx.
	row := make([]int, n)
	for i := range row {
		row[i] = -1
		if i < allx.rows {
			row[i] = i
		}
	}
	for k, i := range tests {
		if i >= n || row[i] >= 0 {
			return nil, p.fail("test.index", fmt.Errorf("line %d: node %d is out of range or described twice", k+1, i))
		}
		row[i] = allx.rows + k
	}
	g := &Graph{Name: name, Classes: slices.Clone(classes), Words: allx.cols, WordPtr: []int{0}}
	for i, r := range row {
		label := 0
		var err error
		switch {
		case r >= allx.rows:
			label = ty[r-allx.rows]
			err = g.addWords(tx, r-allx.rows)
		case r >= 0:
			label = ally[r]
			err = g.addWords(allx, r)
		}
		if err != nil {
			return nil, p.fail("allx", fmt.Errorf("node %d: %w", i, err))
		}
		g.IDs = append(g.IDs, strconv.Itoa(i))
		g.Labels = append(g.Labels, label)
		g.WordPtr = append(g.WordPtr, len(g.WordCol))
	}
	if err := g.addLinks(links); err != nil {
		return nil, p.fail("graph", err)
	}
	return g, g.Check()
}

// addWords appends the words of a row, in increasing order.
func (g *Graph) addWords(m *matrixCSR, row int) error {
	start := len(g.WordCol)
	for k := m.ptr[row]; k < m.ptr[row+1]; k++ {
		switch m.data[k] {
		case 0:
		case 1:
			g.WordCol = append(g.WordCol, int32(m.indices[k]))
		default:
			return fmt.Errorf("word %d occurs %v times, want 0 or 1", m.indices[k], m.data[k])
		}
	}
	slices.Sort(g.WordCol[start:])
	return nil
}

// addLinks turns neighbour lists into citations, each link once.
func (g *Graph) addLinks(d types.Dict) error {
	n := len(d)
	self := make(map[int]bool)
	var pairs [][2]int32
	for _, entry := range d {
		u, ok := entry.Key.(int)
		list, also := entry.Value.(*types.List)
		if !ok || !also || u < 0 || u >= n {
			return fmt.Errorf("node %v of %d with %T", entry.Key, n, entry.Value)
		}
		for _, item := range *list {
			v, ok := item.(int)
			switch {
			case !ok || v < 0 || v >= n:
				return fmt.Errorf("node %d is linked with %v of %d nodes", u, item, n)
			case u == v:
				self[u] = true
			default:
				pairs = append(pairs, [2]int32{int32(min(u, v)), int32(max(u, v))})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	for _, p := range slices.Compact(pairs) {
		g.Cites = append(g.Cites, Cite{Citing: p[0], Cited: p[1]})
	}
	g.Skipped.Self = len(self)
	return nil
}

// planetoid reads the parts and keeps the first error.
type planetoid struct {
	name     string
	contents [][]byte
	err      error
}

func (p *planetoid) fail(part string, err error) error {
	if p.err == nil {
		p.err = fmt.Errorf("citation: ind.%s.%s: %w", p.name, part, err)
	}
	return p.err
}

// read unpickles one part and converts it with of; it returns the zero value after an error.
func read[T any](p *planetoid, part string, of func(v any) (T, error)) (value T) {
	if p.err != nil {
		return value
	}
	v, err := readPickle(p.contents[slices.Index(parts, part)])
	if err == nil {
		value, err = of(v)
	}
	if err != nil {
		_ = p.fail(part, err) // kept by p
	}
	return value
}

// toLabels reads one row of 0 and 1 a paper; a row of zeros is class 0.
func toLabels(classes int) func(v any) ([]int, error) {
	return func(v any) ([]int, error) {
		a, err := toArray(v)
		if err != nil {
			return nil, err
		}
		if len(a.shape) != 2 || a.shape[1] != classes {
			return nil, fmt.Errorf("shape %v, want rows of %d classes", a.shape, classes)
		}
		out := make([]int, a.shape[0])
		for i := range out {
			row := a.values[i*classes : (i+1)*classes]
			best := math.Inf(-1)
			for c, v := range row {
				if v > best {
					best, out[i] = v, c
				}
			}
		}
		return out, nil
	}
}

func toLinks(v any) (types.Dict, error) {
	o, ok := v.(*pickleObject)
	if !ok || o.class != globalDefaultDict {
		return nil, fmt.Errorf("%T is not a dictionary of lists", v)
	}
	return o.Dict, nil
}

// testIndex reads one number a line.
func (p *planetoid) testIndex() []int {
	var out []int
	err := eachLine(bytes.NewReader(p.contents[slices.Index(parts, "test.index")]), func(line []byte) error {
		v, err := strconv.Atoi(string(line))
		if err != nil || v < 0 || v > maxPapers {
			return fmt.Errorf("%.20q is not a node", line)
		}
		out = append(out, v)
		return nil
	})
	if err != nil {
		_ = p.fail("test.index", err)
	}
	return out
}
