package ground

import "slices"

// constantGraph is the graph of the constants of a database: an edge joins two that stand
// beside each other in an atom, hubs left out.
type constantGraph struct {
	weight []int32 // in how many atoms a constant occurs, and 1; 0 for hubs
	start  []int   // of each constant's neighbours
	next   []int32
}

const (
	// hubShare is the share of the constants, and leastHub the number, beyond which a
	// constant with more atoms is a hub.
	hubShare = 1.0 / 50
	leastHub = 64
)

func newConstantGraph(db *Database) *constantGraph {
	n := len(db.consts.names)
	g := &constantGraph{weight: slices.Repeat([]int32{1}, n), start: make([]int, n+1)}
	for _, p := range db.preds {
		for _, c := range p.args {
			g.weight[c]++
		}
	}
	hub := int32(max(leastHub, hubShare*float64(n)))
	edges := func(visit func(a, b int32)) {
		for _, p := range db.preds {
			if p.arity < 2 {
				continue
			}
			for row := range int32(p.rows) {
				last := int32(-1)
				for _, c := range p.row(row) {
					if g.weight[c] > hub || c == last {
						continue
					}
					if last >= 0 {
						visit(last, c)
					}
					last = c
				}
			}
		}
	}
	edges(func(a, b int32) { g.start[a+1]++; g.start[b+1]++ })
	for c := range n {
		g.start[c+1] += g.start[c]
	}
	g.next = make([]int32, g.start[n])
	at := append([]int(nil), g.start[:n]...)
	edges(func(a, b int32) {
		g.next[at[a]], g.next[at[b]] = b, a
		at[a]++
		at[b]++
	})
	for c, n := range g.weight {
		if n > hub {
			g.weight[c] = 0 // its atoms are others' too
		}
	}
	return g
}

// breadthFirst returns the constants in breadth-first order, component by component, and
// where each component starts. Each begins at a constant that is farthest from another one, so
// that the levels are narrow.
func (g *constantGraph) breadthFirst() (order []int32, starts []int) {
	n := len(g.weight)
	order = make([]int32, 0, n)
	stamp := make([]int8, n)
	walk := func(from int32, mark int8) {
		at := len(order)
		order = append(order, from)
		stamp[from] = mark
		for ; at < len(order); at++ {
			c := order[at]
			for _, d := range g.next[g.start[c]:g.start[c+1]] {
				if stamp[d] < mark {
					stamp[d] = mark
					order = append(order, d)
				}
			}
		}
	}
	for c := range int32(n) {
		if stamp[c] != 0 {
			continue
		}
		starts = append(starts, len(order))
		walk(c, 1)
		far := order[len(order)-1]
		order = order[:starts[len(starts)-1]]
		walk(far, 2)
	}
	return order, starts
}
