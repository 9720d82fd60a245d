package rulemining

import "slices"

// walker finds the entities that paths lead to. It belongs to one goroutine.
type walker struct {
	g      *Graph
	levels [MaxLength + 1]frontier // the first has x alone
	// work counts the edges that have been looked at.
	work int
}

// frontier is a set of entities, each with the entity before it on the path, which is −1 for those that are not in the set,
// the first after x, or −2 if there are several of those, and how many are before it.
type frontier struct{ list, parent, first, count []int32 }

func newWalker(g *Graph) *walker {
	w := &walker{g: g}
	for i := range w.levels {
		w.levels[i] = frontier{nil, slices.Repeat([]int32{-1}, g.Entities), make([]int32, g.Entities), make([]int32, g.Entities)}
	}
	return w
}

// remove takes out entities.
func (l *frontier) remove(which func(e int32) bool) {
	l.list = slices.DeleteFunc(l.list, func(e int32) bool {
		gone := which(e)
		if gone {
			l.parent[e] = -1
		}
		return gone
	})
}

func (l *frontier) add(e, parent, first int32) {
	if l.parent[e] == -1 {
		l.parent[e], l.first[e], l.count[e] = parent, first, 1
		l.list = append(l.list, e)
		return
	}
	l.parent[e] = -2 // each entity before it adds it once
	l.count[e]++
	if l.first[e] != first {
		l.first[e] = -2
	}
}

// closed reports whether no path leads to an entity that it has not had first after x. With three steps or
// fewer there is always another.
func (l *frontier) closed(e int32) bool { return l.first[e] == e }

// start begins paths at x.
func (w *walker) start(x int32) {
	w.levels[0].remove(func(int32) bool { return true })
	w.levels[0].add(x, x, -1)
}

// step fills level depth, from 1, with the entities that step s leads to from the level before. An entity of a path
// differs from x and the two before it. It stops when the work exceeds limit and then returns false.
func (w *walker) step(depth int, s Step, limit int) bool {
	from, to, x := &w.levels[depth-1], &w.levels[depth], w.levels[0].list[0]
	to.remove(func(int32) bool { return true })
	for _, a := range from.list {
		near := w.g.Near(a, s)
		w.work += len(near) + 1
		if w.work > limit {
			return false
		}
		before, first := from.parent[a], from.first[a]
		if depth == 2 {
			first = a
		}
		for _, y := range near {
			if y != x && y != a && y != before {
				to.add(y, a, first)
			}
		}
	}
	return true
}

// reach returns the entities that a path leads to from x. A path of no steps leads to x.
func (w *walker) reach(x int32, body *[MaxLength]Step, limit int) (*frontier, bool) {
	w.start(x)
	depth := 0
	for depth < MaxLength && body[depth] >= 0 {
		depth++
		if !w.step(depth, body[depth-1], limit) {
			return nil, false
		}
	}
	l := &w.levels[depth]
	if depth > 3 {
		l.remove(l.closed)
	}
	return l, true
}
