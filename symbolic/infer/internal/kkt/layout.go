package kkt

import (
	"slices"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// Layout says how the matrices
//
//	| H    A_Eᵀ |
//	| A_E  −Θ⁻¹ |,   H = diagonal + Σ_g θ_g a_g a_gᵀ over the other forms g,
//
// of a layout are stored and factored. E are the forms that stay apart: those of
// hard equalities, whose θ is huge, and long ones, which would couple all their
// targets.
//
// Small matrices are arrows: targets that no form in H couples with each other,
// the leaves, are eliminated first, each on its own, and what remains, the
// trunk, is factored as a dense matrix. In MNIST-Addition the trunk holds the
// digits of the sum. Larger ones are left to a sparse factorisation.
type Layout struct {
	targets, N int
	Apart      []int32 // number of each form in E, −1 for the others
	Forms      []int32 // E
	slotPtr    []int32 // of each form, into slots
	within     []int32 // the forms in H, pairs first

	IsArrow bool
	trunk   int     // order of the trunk
	place   []int32 // of each unknown: row of the trunk, or −1 − leaf
	leaves  []int32 // target of each leaf
	leafPtr []int32
	leafRow []int32 // trunk rows of the leaf's entries
	slots   []int32 // of an arrow, by form, in order: of its pairs, or of its entries if apart
}

// Of returns the layout of the Newton systems of l, made on first use.
func Of(l *problem.Layout) *Layout { return l.Derive(newLayout).(*Layout) }

// Arrow tells whether the matrix of the Newton systems of p is an arrow, whose
// factorisation costs little.
func Arrow(p *problem.Problem) bool { return p.Layout != nil && Of(p.Layout).IsArrow }

func newLayout(l *problem.Layout) any {
	g := l.Forms
	m := &Layout{targets: l.Free, Apart: make([]int32, g.Len()), slotPtr: make([]int32, g.Len()+1)}
	for k := range g.Len() {
		m.Apart[k] = -1
		long := g.Ptr[k+1]-g.Ptr[k] > problem.LongForm
		for n := l.MemberPtr[l.Free+k]; n < l.MemberPtr[l.Free+k+1] && !long; n++ {
			long = l.MemberKind[n] == lcqp.HardEQ
		}
		if long {
			m.Apart[k] = int32(len(m.Forms))
			m.Forms = append(m.Forms, int32(k))
		}
		n := g.Ptr[k+1] - g.Ptr[k]
		slots := n
		if !long {
			slots = n * (n - 1) / 2
		}
		m.slotPtr[k+1] = m.slotPtr[k] + slots
	}
	m.within = pairsFirst(g, nil, func(k int) bool { return m.Apart[k] < 0 })
	m.N = m.targets + len(m.Forms)
	m.cut(g)
	if m.IsArrow {
		m.slots = m.addSlots(g, nil, m.slot)
	}
	return m
}

// pairsFirst appends the forms that are wanted to list, in the order in which sums over
// them are made everywhere.
func pairsFirst(g *problem.Forms, list []int32, wanted func(k int) bool) []int32 {
	for _, pairs := range [...]bool{true, false} {
		for k := range g.Len() {
			if (g.Ptr[k+1]-g.Ptr[k] == 2) == pairs && wanted(k) {
				list = append(list, int32(k))
			}
		}
	}
	return list
}

// neighbours returns the unknowns coupled with target i, sorted.
func (m *Layout) neighbours(g *problem.Forms, i int32, list []int32) []int32 {
	list = list[:0]
	for j := g.ColPtr[i]; j < g.ColPtr[i+1]; j++ {
		k := g.ColRow[j]
		if e := m.Apart[k]; e >= 0 {
			list = append(list, int32(m.targets)+e)
			continue
		}
		for _, c := range g.Col[g.Ptr[k]:g.Ptr[k+1]] {
			if c != i {
				list = append(list, c)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// cut finds leaves and trunk.
func (m *Layout) cut(g *problem.Forms) {
	if m.targets > arrowLimit {
		return
	}
	next := make([][]int32, m.targets)
	order := make([]int32, m.targets)
	for i := range next {
		next[i] = m.neighbours(g, int32(i), nil)
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return len(next[a]) - len(next[b]) })
	m.place = make([]int32, m.N)
	for i := range m.place {
		m.place[i] = -1
	}
	leaf := make([]bool, m.N)
	for _, i := range order {
		free := len(next[i]) <= leafEntries
		for _, c := range next[i] {
			free = free && !leaf[c]
		}
		leaf[i] = free
	}
	m.leafPtr = []int32{0}
	for i := range m.N {
		if leaf[i] {
			m.place[i] = int32(-1 - len(m.leaves))
			m.leaves = append(m.leaves, int32(i))
		} else {
			m.place[i] = int32(m.trunk)
			m.trunk++
		}
	}
	if m.trunk > trunkLimit {
		return
	}
	m.IsArrow = true
	for _, i := range m.leaves {
		for _, c := range next[i] {
			m.leafRow = append(m.leafRow, m.place[c])
		}
		m.leafPtr = append(m.leafPtr, int32(len(m.leafRow)))
	}
}

// addSlots appends where the values of the forms are kept.
func (m *Layout) addSlots(g *problem.Forms, slots []int32, slot func(i, j int32) int32) []int32 {
	for k := range g.Len() {
		col := g.Col[g.Ptr[k]:g.Ptr[k+1]]
		if e := m.Apart[k]; e >= 0 {
			for _, c := range col {
				slots = append(slots, slot(int32(m.targets)+e, c))
			}
			continue
		}
		for a, c := range col {
			for _, d := range col[:a] {
				slots = append(slots, slot(c, d))
			}
		}
	}
	return slots
}

// slot returns where an arrow keeps the value at (i, j).
func (m *Layout) slot(i, j int32) int32 {
	a, b := max(m.place[i], m.place[j]), min(m.place[i], m.place[j])
	if b >= 0 {
		return a*int32(m.trunk) + b
	}
	leaf := -1 - b
	from, to := m.leafPtr[leaf], m.leafPtr[leaf+1]
	at, ok := slices.BinarySearch(m.leafRow[from:to], a)
	if !ok {
		panic("infer: a leaf's entry is missing")
	}
	return int32(m.trunk*m.trunk) + from + int32(at)
}
