package kkt

import (
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// Layout describes how the matrices
//
//	| H    A_Eᵀ |
//	| A_E  −Θ⁻¹ |,   H = diagonal + Σ_g θ_g a_g a_gᵀ over the other forms g,
//
// of a layout are stored. E is the set of forms that stay separate: forms of hard equalities,
// whose θ is huge, and long forms, which would couple all their targets.
type Layout struct {
	targets, N int
	Apart      []int32 // number of each form in E, −1 for the others
	Forms      []int32 // E
	slotPtr    []int32 // of each form, into slots
	within     []int32 // the forms in H, the first pairs of two targets
	pairs      int
}

// Of returns the layout of the Newton systems of l, made on first use.
func Of(l *problem.Layout) *Layout { return l.Derive(newLayout).(*Layout) }

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
	m.within, m.pairs = pairsFirst(g, nil, func(k int) bool { return m.Apart[k] < 0 })
	m.N = m.targets + len(m.Forms)
	return m
}

// pairsFirst appends the forms that are wanted to list, in the order in which sums over
// them are made everywhere, and returns how many of them have two targets.
func pairsFirst(g *problem.Forms, list []int32, wanted func(k int) bool) (forms []int32, n int) {
	for _, pairs := range [...]bool{true, false} {
		for k := range g.Len() {
			if (g.Ptr[k+1]-g.Ptr[k] == 2) == pairs && wanted(k) {
				list = append(list, int32(k))
				if pairs {
					n++
				}
			}
		}
	}
	return list, n
}

// edges returns the places of the forms' values, which edge assigns.
func (m *Layout) edges(g *problem.Forms, slots []int32, edge func(i, j int32) int32) []int32 {
	for k := range g.Len() {
		col := g.Col[g.Ptr[k]:g.Ptr[k+1]]
		if e := m.Apart[k]; e >= 0 {
			for _, c := range col {
				slots = append(slots, edge(int32(m.targets)+e, c))
			}
			continue
		}
		for a, c := range col {
			for _, d := range col[:a] {
				slots = append(slots, edge(c, d))
			}
		}
	}
	return slots
}
