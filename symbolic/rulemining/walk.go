package rulemining

import "slices"

// walker finds the entities that paths lead to. It belongs to one goroutine.
type walker struct {
	g      *Graph
	levels [MaxLength]frontier
	// work counts the edges that have been looked at.
	work int
}

// frontier is a set of entities, each with the entity before it on the path and the first after x, or −2 if
// there are several of those.
type frontier struct {
	stamp  []uint32
	now    uint32
	parent []int32
	first  []int32
	list   []int32
}

func newWalker(g *Graph) *walker {
	w := &walker{g: g}
	for i := range w.levels {
		l := &w.levels[i]
		l.stamp, l.parent, l.first = make([]uint32, g.Entities), make([]int32, g.Entities), make([]int32, g.Entities)
	}
	return w
}

func (l *frontier) reset() {
	l.list = l.list[:0]
	if l.now++; l.now == 0 {
		clear(l.stamp)
		l.now = 1
	}
}

func (l *frontier) add(e, parent, first int32) {
	if l.stamp[e] != l.now {
		l.stamp[e], l.parent[e], l.first[e] = l.now, parent, first
		l.list = append(l.list, e)
		return
	}
	if l.parent[e] != parent {
		l.parent[e] = -2
	}
	if l.first[e] != first {
		l.first[e] = -2
	}
}

// closed reports whether no path leads to an entity that it has not had first after x. With three steps or
// fewer there is always another.
func (l *frontier) closed(e int32) bool { return l.first[e] == e }

// step fills level depth with the entities that step s leads to from level depth − 1, or from x
// where depth is 0. An entity of a path differs from x and the two before it. It stops when the work exceeds limit and
// then returns false.
func (w *walker) step(depth int, x int32, s Step, limit int) bool {
	to := &w.levels[depth]
	to.reset()
	if depth == 0 {
		near := w.g.Near(x, s)
		w.work += len(near)
		for _, y := range near {
			if y != x {
				to.add(y, x, -1)
			}
		}
		return w.work <= limit
	}
	from := &w.levels[depth-1]
	for _, a := range from.list {
		near := w.g.Near(a, s)
		w.work += len(near) + 1
		if w.work > limit {
			return false
		}
		before, first := from.parent[a], from.first[a]
		if depth == 1 {
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

// reach returns the entities that a path leads to from x, each once.
func (w *walker) reach(x int32, body *[MaxLength]Step, limit int) ([]int32, bool) {
	depth := -1
	for i, s := range body {
		if s < 0 {
			break
		}
		if !w.step(i, x, s, limit) {
			return nil, false
		}
		depth = i
	}
	l := &w.levels[depth]
	if depth > 2 {
		l.list = slices.DeleteFunc(l.list, l.closed)
	}
	return l.list, true
}
