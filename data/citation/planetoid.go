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
	allx, tx := p.matrix("allx"), p.matrix("tx")
	ally, ty := p.labels("ally", len(classes)), p.labels("ty", len(classes))
	links := p.links()
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
	// row[i] says where node i is described: allx, then tx.
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

// value reads the pickle of a part; nil after an error.
func (p *planetoid) value(part string) any {
	v, err := readPickle(p.contents[slices.Index(parts, part)])
	if err != nil {
		_ = p.fail(part, err) // kept by p
	}
	return v
}

func (p *planetoid) matrix(part string) *matrixCSR {
	v := p.value(part)
	if p.err != nil {
		return nil
	}
	m, err := toCSR(v)
	if err != nil {
		_ = p.fail(part, err) // kept by p
	}
	return m
}

// labels reads one row of 0 and 1 a paper; a row of zeros is class 0.
func (p *planetoid) labels(part string, classes int) []int {
	v := p.value(part)
	if p.err != nil {
		return nil
	}
	a, err := toArray(v)
	if err == nil && (len(a.shape) != 2 || a.shape[1] != classes) {
		err = fmt.Errorf("shape %v, want rows of %d classes", a.shape, classes)
	}
	if err != nil {
		_ = p.fail(part, err) // kept by p
		return nil
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
	return out
}

func (p *planetoid) links() types.Dict {
	v := p.value("graph")
	if p.err != nil {
		return nil
	}
	o, ok := v.(*pickleObject)
	if !ok || o.class != globalDefaultDict {
		_ = p.fail("graph", fmt.Errorf("%T is not a dictionary of lists", v))
		return nil
	}
	return o.Dict
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
