package infer

import "math/bits"

// ldl is a sparse factorisation P·K·Pᵀ = L·D·Lᵀ of a symmetric quasidefinite
// matrix: its leading block is positive, its trailing block negative definite,
// so that every symmetric permutation has such a factorisation. The order is
// found by minimum degree. The pattern is analysed once, values may change.
//
// Use: reset(n), edge(i, j) for the off-diagonal pattern, analyse(); then clear
// val, fill diag, add to val through the slots that edge returned, factor() and
// solve().
type ldl struct {
	n    int
	diag []float64 // in original order
	val  []float64 // by slot
	// sign is +1 or −1 for each diagonal entry of D to be expected; a pivot
	// that is not safely on that side is replaced by sign·pivot.
	sign  []float64
	pivot float64

	edges [][2]int32 // by slot, original order
	table []int32    // hash table of the edges: slot + 1

	perm, inv []int32
	// The permuted upper triangle by columns: column k holds rows < k.
	upPtr, upRow, upSlot []int32
	parent, mark         []int32
	lPtr, lRow, lNext    []int32
	lVal, d, y           []float64
	pattern              []int32
	allocated            bool // lRow and lVal have their size
	adjacency            []uint64
	degree               []int32
	head, next, prev     []int32 // of the buckets
}

// reset starts a new pattern of n rows.
func (s *ldl) reset(n int) {
	s.n = n
	s.edges = s.edges[:0]
	s.table = resize(s.table, 1024)
	clear(s.table)
	s.diag, s.sign = resize(s.diag, n), resize(s.sign, n)
	words := (n + 63) / 64
	s.adjacency = resize(s.adjacency, n*words)
	clear(s.adjacency)
}

// edge returns the slot of the value at (i, j), i ≠ j, the same one each time.
func (s *ldl) edge(i, j int32) int32 {
	if i < j {
		i, j = j, i
	}
	if 2*len(s.edges) >= len(s.table) {
		s.grow()
	}
	at := s.find(i, j)
	if s.table[at] == 0 {
		words := (s.n + 63) / 64
		s.adjacency[int(i)*words+int(j)>>6] |= 1 << (j & 63)
		s.adjacency[int(j)*words+int(i)>>6] |= 1 << (i & 63)
		s.edges = append(s.edges, [2]int32{i, j})
		s.table[at] = int32(len(s.edges))
	}
	return s.table[at] - 1
}

// find returns the place of (i, j) in the table, or a free one for it.
func (s *ldl) find(i, j int32) int {
	mask := len(s.table) - 1
	hash := (uint64(i)<<32 | uint64(j)) * 0x9e3779b97f4a7c15
	for at := int(hash>>40) & mask; ; at = (at + 1) & mask {
		if n := s.table[at]; n == 0 || s.edges[n-1] == [2]int32{i, j} {
			return at
		}
	}
}

// grow doubles the table.
func (s *ldl) grow() {
	s.table = resize(s.table, 2*len(s.table))
	clear(s.table)
	for n, e := range s.edges {
		s.table[s.find(e[0], e[1])] = int32(n + 1)
	}
}

// residual writes b − K·x into r.
func (s *ldl) residual(x, b, r []float64) {
	for i, d := range s.diag {
		r[i] = b[i] - d*x[i]
	}
	for slot, e := range s.edges {
		v := s.val[slot]
		r[e[0]] -= v * x[e[1]]
		r[e[1]] -= v * x[e[0]]
	}
}

// analyse finds the order and the pattern of L.
func (s *ldl) analyse() {
	n := s.n
	s.val = resize(s.val, len(s.edges))
	s.order()
	s.inv = resize(s.inv, n)
	for k, i := range s.perm {
		s.inv[i] = int32(k)
	}
	s.upPtr = resize(s.upPtr, n+1)
	clear(s.upPtr)
	for _, e := range s.edges {
		s.upPtr[max(s.inv[e[0]], s.inv[e[1]])+1]++
	}
	for k := range n {
		s.upPtr[k+1] += s.upPtr[k]
	}
	s.upRow, s.upSlot = resize(s.upRow, len(s.edges)), resize(s.upSlot, len(s.edges))
	s.lNext = resize(s.lNext, n)
	copy(s.lNext, s.upPtr[:n])
	for slot, e := range s.edges {
		a, b := s.inv[e[0]], s.inv[e[1]]
		k := max(a, b)
		s.upRow[s.lNext[k]], s.upSlot[s.lNext[k]] = min(a, b), int32(slot)
		s.lNext[k]++
	}
	// Elimination tree and column counts.
	s.parent, s.mark = resize(s.parent, n), resize(s.mark, n)
	s.lPtr = resize(s.lPtr, n+1)
	clear(s.lPtr)
	for k := range int32(n) {
		s.parent[k], s.mark[k] = -1, k
		for p := s.upPtr[k]; p < s.upPtr[k+1]; p++ {
			for i := s.upRow[p]; s.mark[i] != k; i = s.parent[i] {
				if s.parent[i] < 0 {
					s.parent[i] = k
				}
				s.lPtr[i+1]++
				s.mark[i] = k
			}
		}
	}
	for k := range n {
		s.lPtr[k+1] += s.lPtr[k]
	}
	s.allocated = false
	s.d, s.y, s.pattern = resize(s.d, n), resize(s.y, n), resize(s.pattern, n)
}

// fill returns the number of entries of L below its diagonal.
func (s *ldl) fill() int { return int(s.lPtr[s.n]) }

// order finds a minimum degree order on bit sets: eliminating a row joins all
// its neighbours. Rows wait in buckets by degree.
func (s *ldl) order() {
	n, words := s.n, (s.n+63)/64
	s.perm, s.degree = s.perm[:0], resize(s.degree, n)
	s.head, s.next, s.prev = resize(s.head, n+1), resize(s.next, n), resize(s.prev, n)
	for d := range s.head {
		s.head[d] = -1
	}
	for i := n - 1; i >= 0; i-- {
		s.degree[i] = count(s.adjacency[i*words : (i+1)*words])
		s.enter(int32(i))
	}
	lowest := int32(0)
	for range n {
		for s.head[lowest] < 0 {
			lowest++
		}
		best := s.head[lowest]
		s.leave(best)
		s.perm = append(s.perm, best)
		clique := s.adjacency[int(best)*words : (int(best)+1)*words]
		for w, word := range clique {
			for word != 0 {
				i := int32(w<<6 + bits.TrailingZeros64(word))
				word &= word - 1
				mine := s.adjacency[int(i)*words : (int(i)+1)*words]
				for v, c := range clique {
					mine[v] |= c
				}
				mine[i>>6] &^= 1 << (i & 63)
				mine[best>>6] &^= 1 << (best & 63)
				s.leave(i)
				s.degree[i] = count(mine)
				s.enter(i)
				lowest = min(lowest, s.degree[i])
			}
		}
	}
}

// enter puts a row in front of its bucket, leave takes it out.
func (s *ldl) enter(i int32) {
	d := s.degree[i]
	s.prev[i], s.next[i] = -1, s.head[d]
	if s.head[d] >= 0 {
		s.prev[s.head[d]] = i
	}
	s.head[d] = i
}

func (s *ldl) leave(i int32) {
	if s.prev[i] >= 0 {
		s.next[s.prev[i]] = s.next[i]
	} else {
		s.head[s.degree[i]] = s.next[i]
	}
	if s.next[i] >= 0 {
		s.prev[s.next[i]] = s.prev[i]
	}
}

func count(set []uint64) int32 {
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return int32(n)
}

// factor computes L and D from diag and val.
func (s *ldl) factor() {
	n := int32(s.n)
	if !s.allocated {
		s.lRow, s.lVal = resize(s.lRow, s.fill()), resize(s.lVal, s.fill())
		s.allocated = true
	}
	copy(s.lNext, s.lPtr[:n])
	for k := range n {
		s.mark[k] = k
		s.y[k] = 0
		top := n
		for p := s.upPtr[k]; p < s.upPtr[k+1]; p++ {
			i := s.upRow[p]
			s.y[i] += s.val[s.upSlot[p]]
			depth := int32(0)
			for ; s.mark[i] != k; i = s.parent[i] {
				s.pattern[depth] = i
				depth++
				s.mark[i] = k
			}
			for depth > 0 {
				top--
				depth--
				s.pattern[top] = s.pattern[depth]
			}
		}
		original := s.perm[k]
		d := s.diag[original]
		for ; top < n; top++ {
			i := s.pattern[top]
			yi := s.y[i]
			s.y[i] = 0
			from, to := s.lPtr[i], s.lNext[i]
			for p := from; p < to; p++ {
				s.y[s.lRow[p]] -= s.lVal[p] * yi
			}
			l := yi / s.d[i]
			d -= l * yi
			s.lRow[to], s.lVal[to] = k, l
			s.lNext[i]++
		}
		if sign := s.sign[original]; !(d*sign > s.pivot) {
			d = sign * s.pivot
		}
		s.d[k] = d
	}
}

// solve overwrites x by K⁻¹x.
func (s *ldl) solve(x []float64) {
	n := s.n
	y := s.y
	for k, i := range s.perm {
		y[k] = x[i]
	}
	for k := range n {
		v := y[k]
		for p := s.lPtr[k]; p < s.lPtr[k+1]; p++ {
			y[s.lRow[p]] -= s.lVal[p] * v
		}
	}
	for k := n - 1; k >= 0; k-- {
		v := y[k] / s.d[k]
		for p := s.lPtr[k]; p < s.lPtr[k+1]; p++ {
			v -= s.lVal[p] * y[s.lRow[p]]
		}
		y[k] = v
	}
	for k, i := range s.perm {
		x[i] = y[k]
	}
}
