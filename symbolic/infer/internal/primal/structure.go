package primal

import (
	"slices"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// structure is what the rows of a component say about its quadratic form without
// their weights and constants: it is the same from solve to solve while the same
// targets are fixed.
type structure struct {
	// The rows it was made from.
	targets int
	ptrs    []int32
	cols    []int32
	vals    []float64
	kinds   []lcqp.Kind

	// squares are the rows that stand for a square, each with the row that is its
	// mirror image, or −1 where the row is always active.
	squares []square
	// Off-diagonal entries of H, by row; terms says what each is made of.
	ptr   []int
	col   []int32
	terms []term
	// blocks partition the targets; of is the block of each.
	blocks []block
	of     []int32
}

type square struct{ row, mirror int32 }

// term adds 2·Curv[row]·product to the entries at two places.
type term struct {
	row      int32
	product  float64
	at, back int32
}

// key names a row a·y + b by its first entries and constant; rows that agree in
// it are compared entry by entry.
type key struct {
	first, second int32
	size          int32
	a, b          float64
}

// newStructure reads the rows of p; nil if it is not quadratic.
func newStructure(p *problem.Problem) *structure {
	s := &structure{
		targets: p.Targets, ptrs: slices.Clone(p.Ptr), cols: slices.Clone(p.Col),
		vals: slices.Clone(p.Val), kinds: slices.Clone(p.Kind),
	}
	if !s.makeBlocks() || !s.pair(p) || !s.couple() {
		return nil
	}
	return s
}

// fits tells whether the structure is that of p.
func (s *structure) fits(p *problem.Problem) bool {
	return s.targets == p.Targets && slices.Equal(s.ptrs, p.Ptr) && slices.Equal(s.cols, p.Col) &&
		slices.Equal(s.vals, p.Val) && slices.Equal(s.kinds, p.Kind)
}

// holds tells whether p's constants and weights still make squares of the rows.
func (s *structure) holds(p *problem.Problem) bool {
	for _, q := range s.squares {
		k, j := q.row, q.mirror
		if j < 0 && !alwaysActive(p, int(k)) || j >= 0 && (p.B[k] != -p.B[j] || p.Curv[k] != p.Curv[j]) {
			return false
		}
	}
	return true
}

// makeBlocks puts the targets of each hard equality into a block and every
// other target into one of its own. It fails when a row is neither a hard
// equality nor a square, or when equalities share targets.
func (s *structure) makeBlocks() bool {
	s.of = make([]int32, s.targets)
	for i := range s.of {
		s.of[i] = -1
	}
	for k, kind := range s.kinds {
		switch kind {
		case lcqp.Square:
		case lcqp.HardEQ:
			lo, hi := s.ptrs[k], s.ptrs[k+1]
			b := block{row: k, targets: s.cols[lo:hi], a: s.vals[lo:hi]}
			for j, i := range b.targets {
				if s.of[i] >= 0 || b.a[j] == 0 {
					return false
				}
				s.of[i] = int32(len(s.blocks))
			}
			s.blocks = append(s.blocks, b)
		default:
			return false
		}
	}
	for i, of := range s.of {
		if of < 0 {
			s.of[i] = int32(len(s.blocks))
			s.blocks = append(s.blocks, block{row: -1, targets: []int32{int32(i)}})
		}
	}
	return true
}

// pair finds the mirror image of every square row.
func (s *structure) pair(p *problem.Problem) bool {
	waiting := make(map[key][]int32, p.Rows/2)
	mirror := make([]int32, p.Rows)
	for k, kind := range p.Kind {
		mirror[k] = -1
		if kind == lcqp.HardEQ {
			continue
		}
		id := rowKey(p, int32(k))
		want := id
		want.a, want.b = -id.a, -id.b
		list := waiting[want]
		n := slices.IndexFunc(list, func(j int32) bool { return mirrors(p, k, int(j)) })
		if n < 0 {
			waiting[id] = append(waiting[id], int32(k))
			continue
		}
		mirror[k], mirror[list[n]] = list[n], int32(k)
		waiting[want] = slices.Delete(list, n, n+1)
	}
	for k, kind := range p.Kind {
		j := mirror[k]
		switch {
		case kind == lcqp.HardEQ || j >= 0 && int(j) < k:
		// Where presolve has fixed targets, it has dropped the mirror images that
		// are never active: what is left is a square if it is always active.
		case j < 0 && !alwaysActive(p, k):
			return false
		default:
			s.squares = append(s.squares, square{int32(k), j})
		}
	}
	return true
}

func rowKey(p *problem.Problem, k int32) key {
	lo, hi := p.Ptr[k], p.Ptr[k+1]
	id := key{first: p.Col[lo], second: -1, size: hi - lo, a: p.Val[lo], b: p.B[k]}
	if hi-lo > 1 {
		id.second = p.Col[lo+1]
	}
	return id
}

// mirrors tells whether row j is row k with all signs changed and of the same
// weight.
func mirrors(p *problem.Problem, k, j int) bool {
	lo, from := p.Ptr[k], p.Ptr[j]
	n := p.Ptr[k+1] - lo
	if p.Ptr[j+1]-from != n || p.Curv[k] != p.Curv[j] || p.B[k] != -p.B[j] {
		return false
	}
	for d := range n {
		if p.Col[lo+d] != p.Col[from+d] || p.Val[lo+d] != -p.Val[from+d] {
			return false
		}
	}
	return true
}

// alwaysActive tells whether a·y + b ≥ 0 all over the box, up to slack.
func alwaysActive(p *problem.Problem, k int) bool {
	least := p.B[k]
	for j := p.Ptr[k]; j < p.Ptr[k+1]; j++ {
		i := p.Col[j]
		least += min(p.Val[j]*p.Lower[i], p.Val[j]*p.Upper[i])
	}
	return least >= -slack
}

// couple lists the off-diagonal entries. It fails when a square couples two
// targets of one block.
func (s *structure) couple() bool {
	s.ptr = make([]int, s.targets+1)
	each := func(f func(k, u, w int32, product float64)) bool {
		for _, q := range s.squares {
			lo, hi := s.ptrs[q.row], s.ptrs[q.row+1]
			for i := lo; i < hi; i++ {
				for j := i + 1; j < hi; j++ {
					u, w := s.cols[i], s.cols[j]
					if s.of[u] == s.of[w] {
						return false
					}
					f(q.row, u, w, s.vals[i]*s.vals[j])
				}
			}
		}
		return true
	}
	if !each(func(_, u, w int32, _ float64) { s.ptr[u+1]++; s.ptr[w+1]++ }) {
		return false
	}
	for i := range s.targets {
		s.ptr[i+1] += s.ptr[i]
	}
	s.col = make([]int32, s.ptr[s.targets])
	next := slices.Clone(s.ptr[:s.targets])
	put := func(u, w int32) int32 {
		at := next[u]
		next[u]++
		s.col[at] = w
		return int32(at)
	}
	return each(func(k, u, w int32, product float64) {
		s.terms = append(s.terms, term{k, product, put(u, w), put(w, u)})
	})
}
