package rulemining

// walker finds the entities that paths lead to. It belongs to one goroutine.
type walker struct {
	g      *Graph
	levels [MaxLength]frontier
	// work counts the edges that have been looked at.
	work int
}

// frontier is a set of entities, each with the entity before it on the path, or −2 if there are
// several of those.
type frontier struct {
	stamp  []uint32
	now    uint32
	parent []int32
	list   []int32
}

func newWalker(g *Graph) *walker {
	w := &walker{g: g}
	for i := range w.levels {
		w.levels[i].stamp, w.levels[i].parent = make([]uint32, g.Entities), make([]int32, g.Entities)
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

func (l *frontier) add(e, parent int32) {
	if l.stamp[e] != l.now {
		l.stamp[e], l.parent[e] = l.now, parent
		l.list = append(l.list, e)
	} else if l.parent[e] != parent {
		l.parent[e] = -2
	}
}

// step fills level depth with the entities that step s leads to from level depth − 1, or from x
// where depth is 0. All entities of a path differ. It stops when the work exceeds limit and
// then returns false.
func (w *walker) step(depth int, x int32, s Step, limit int) bool {
	to := &w.levels[depth]
	to.reset()
	if depth == 0 {
		near := w.g.Near(x, s)
		w.work += len(near)
		for _, y := range near {
			if y != x {
				to.add(y, x)
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
		before := from.parent[a]
		for _, y := range near {
			// With at most three steps, a path can only come back to x, to a or to the
			// entity before a.
			if y != x && y != a && y != before {
				to.add(y, a)
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
	return w.levels[depth].list, true
}
