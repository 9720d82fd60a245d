package lcqp

// disjoint is a disjoint-set forest with union by size and path halving
// (paper, appendix on dual BCD: the components are kept while rows are added).
type disjoint struct {
	parent, size []int32
}

func newDisjoint(n int) *disjoint {
	d := &disjoint{parent: make([]int32, n), size: make([]int32, n)}
	for i := range d.parent {
		d.parent[i] = int32(i)
		d.size[i] = 1
	}
	return d
}

// find returns the representative of x and halves the path to it: every
// second node is linked to its grandparent.
func (d *disjoint) find(x int32) int32 {
	for d.parent[x] != x {
		d.parent[x] = d.parent[d.parent[x]]
		x = d.parent[x]
	}
	return x
}

// union joins the sets of a and b.
func (d *disjoint) union(a, b int32) {
	a, b = d.find(a), d.find(b)
	if a == b {
		return
	}
	if d.size[a] < d.size[b] {
		a, b = b, a
	}
	d.parent[b] = a
	d.size[a] += d.size[b]
}
