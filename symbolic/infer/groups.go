package infer

import "math"

// grouping sorts the rows of a problem: rows of one target go to that target,
// rows of several targets with the same left-hand side up to a factor form a
// group. A group's left-hand side is scaled so that its first coefficient is
// 1; a member row is coef·(a_g·y) + b.
type grouping struct {
	// ptr, col, val are the groups' left-hand sides, colPtr, colRow, colVal
	// the same by column.
	ptr, col       []int32
	val            []float64
	colPtr, colRow []int32
	colVal         []float64

	memberPtr  []int32
	memberList []member
	singlePtr  []int32
	singleList []member

	of    []int32 // group of each row, −1 for rows of one target
	table []int32 // hash table: group + 1
}

type member struct {
	row  int32
	coef float64
}

func (g *grouping) len() int                { return len(g.ptr) - 1 }
func (g *grouping) members(k int) []member  { return g.memberList[g.memberPtr[k]:g.memberPtr[k+1]] }
func (g *grouping) single(i int32) []member { return g.singleList[g.singlePtr[i]:g.singlePtr[i+1]] }

// build groups the rows of p.
func (g *grouping) build(p *Problem) {
	g.ptr, g.col, g.val = append(g.ptr[:0], 0), g.col[:0], g.val[:0]
	g.of = resize(g.of, p.Rows)
	size := 4
	for size < 2*p.Rows {
		size *= 2
	}
	g.table = resize(g.table, size)
	clear(g.table)
	g.singlePtr = resize(g.singlePtr, p.Targets+1)
	clear(g.singlePtr)
	g.memberPtr = append(g.memberPtr[:0], 0)
	for k := range p.Rows {
		from, to := p.Ptr[k], p.Ptr[k+1]
		if to == from+1 {
			g.of[k] = -1
			g.singlePtr[p.Col[from]+1]++
			continue
		}
		id := g.find(p.Col[from:to], p.Val[from:to])
		g.of[k] = id
		g.memberPtr[id+1]++
	}
	g.scatter(p)
	g.transpose(p.Targets)
}

// find returns the group of a left-hand side, making one if there is none.
func (g *grouping) find(col []int32, val []float64) int32 {
	first := val[0]
	hash := uint64(len(col))
	for j, c := range col {
		hash = (hash ^ uint64(c)) * 0x9e3779b97f4a7c15
		hash ^= hash >> 29
		hash = (hash ^ math.Float64bits(val[j]/first)) * 0xbf58476d1ce4e5b9
		hash ^= hash >> 32
	}
	mask := uint64(len(g.table) - 1)
	for slot := hash & mask; ; slot = (slot + 1) & mask {
		id := g.table[slot] - 1
		if id < 0 {
			id = int32(g.len())
			g.table[slot] = id + 1
			for j, c := range col {
				g.col = append(g.col, c)
				g.val = append(g.val, val[j]/first)
			}
			g.ptr = append(g.ptr, int32(len(g.col)))
			g.memberPtr = append(g.memberPtr, 0)
			return id
		}
		if g.same(id, col, val) {
			return id
		}
	}
}

func (g *grouping) same(id int32, col []int32, val []float64) bool {
	from, to := g.ptr[id], g.ptr[id+1]
	if int(to-from) != len(col) {
		return false
	}
	for j, c := range col {
		if g.col[from+int32(j)] != c || g.val[from+int32(j)] != val[j]/val[0] {
			return false
		}
	}
	return true
}

// scatter fills the member lists, each in the order of the rows. memberPtr and
// singlePtr hold counts shifted by one on entry.
func (g *grouping) scatter(p *Problem) {
	for k := range g.len() {
		g.memberPtr[k+1] += g.memberPtr[k]
	}
	for i := range p.Targets {
		g.singlePtr[i+1] += g.singlePtr[i]
	}
	g.memberList = resize(g.memberList, int(g.memberPtr[g.len()]))
	g.singleList = resize(g.singleList, int(g.singlePtr[p.Targets]))
	for k := p.Rows - 1; k >= 0; k-- {
		coef := p.Val[p.Ptr[k]]
		ptr, list, at := g.memberPtr, g.memberList, g.of[k]
		if at < 0 {
			ptr, list, at = g.singlePtr, g.singleList, p.Col[p.Ptr[k]]
		}
		// Filled from the back: the end pointer of each list moves down to
		// its start, that is to the end of the list before.
		ptr[at+1]--
		list[ptr[at+1]] = member{int32(k), coef}
	}
	shiftBack(g.memberPtr, len(g.memberList))
	shiftBack(g.singlePtr, len(g.singleList))
}

// shiftBack turns starts at ptr[i+1] back into ptr[i].
func shiftBack(ptr []int32, total int) {
	copy(ptr, ptr[1:])
	ptr[len(ptr)-1] = int32(total)
}

func (g *grouping) transpose(targets int) {
	g.colPtr = resize(g.colPtr, targets+1)
	g.colRow, g.colVal = resize(g.colRow, len(g.col)), resize(g.colVal, len(g.col))
	transpose(targets, g.ptr, g.col, g.val, g.colPtr, g.colRow, g.colVal)
}
