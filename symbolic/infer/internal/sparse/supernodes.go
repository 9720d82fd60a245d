package sparse

import (
	"cmp"
	"math"
)

// supernodes are runs of columns of L with (nearly) the same pattern, which are
// stored and worked on as dense blocks. Block s has the columns first[s] ≤ j <
// first[s+1] and the rows of these columns followed by list[s]; it is stored by
// rows from start[s] on. Its upper triangle is not used.
type supernodes struct {
	first []int32
	of    []int32 // supernode of each column
	// list of rows below the columns, increasing.
	ptr, list []int32
	start     []int
	place     []int32 // of each slot in the values
	count     []int32
}

// Wider supernodes are divided: their own triangle is worked on row by row.
const widestNode = 64

// A supernode is merged with the next one if that is its parent and the block then holds at
// most this part of zeros, or more when both are narrow, most of all when they have some rows
// below them.
const (
	mostZeros           = 0.15
	narrow, narrowZeros = 4, 0.35
	small, smallZeros   = 8, 0.6
	someRows            = 6
)

func (n *supernodes) len() int              { return len(n.first) - 1 }
func (n *supernodes) size() int             { return n.start[n.len()] }
func (n *supernodes) width(s int32) int     { return int(n.first[s+1] - n.first[s]) }
func (n *supernodes) below(s int32) []int32 { return n.list[n.ptr[s]:n.ptr[s+1]] }

// build finds the supernodes and their patterns, and what L needs: the order does not count rows
// with very many neighbours. It returns false when that exceeds the limits.
func (n *supernodes) build(s *LDL, l Limits) bool {
	n.columns(s)
	s.need = Limits{}
	for _, c := range n.count {
		s.need.Fill += float64(c)
		s.need.Work += float64(c) * float64(c)
	}
	if !s.need.Within(l) {
		return false
	}
	n.merge(s)
	for k := range n.len() {
		for j := n.first[k]; j < n.first[k+1]; j++ {
			n.of[j] = int32(k)
		}
	}
	return n.pattern(s, cmp.Or(l.Fill, math.Inf(1)))
}

// columns counts the rows below the diagonal of each column of L.
func (n *supernodes) columns(s *LDL) {
	n.count, n.of = resize(n.count, s.n), resize(n.of, s.n)
	clear(n.count)
	for k := range int32(s.n) {
		s.mark[k] = k
		for _, i := range s.upRow[s.upPtr[k]:s.upPtr[k+1]] {
			for ; s.mark[i] != k; i = s.parent[i] {
				n.count[i]++
				s.mark[i] = k
			}
		}
	}
}

// merge finds the first columns. Supernodes whose columns have the same pattern
// come first; each is then merged with those before it while that pays.
func (n *supernodes) merge(s *LDL) {
	n.first = n.first[:0]
	zeros := make([]float64, 0, 64) // by supernode
	for f := int32(0); f < int32(s.n); {
		end := f + 1
		for end < int32(s.n) && end-f < widestNode && s.parent[end-1] == end && n.count[end-1] == n.count[end]+1 {
			end++
		}
		begin, rows, none := f, float64(n.count[end-1]), 0.0
		for last := len(n.first) - 1; last >= 0; last-- {
			p := s.parent[begin-1]
			if p < begin || p >= end {
				break
			}
			w, width := float64(begin-n.first[last]), float64(end-begin)
			z := none + zeros[last] + w*(width+rows-float64(n.count[begin-1]))
			all, most := w+width, mostZeros
			if widest := max(w, width); rows >= someRows && widest <= small {
				most = smallZeros
			} else if widest <= narrow {
				most = narrowZeros
			}
			if all > widestNode || z > most*(all*rows+all*(all+1)/2) {
				break
			}
			begin, none = n.first[last], z
			n.first, zeros = n.first[:last], zeros[:last]
		}
		n.first, zeros = append(n.first, begin), append(zeros, none)
		f = end
	}
	n.first = append(n.first, int32(s.n))
}

// pattern lists the rows of the supernodes and where the entries of the matrix
// go.
func (n *supernodes) pattern(s *LDL, most float64) bool {
	count, mark := n.count[:n.len()], s.mark[:n.len()]
	clear(count)
	n.climb(s, mark, func(k, node int32) { count[node]++ }, nil)
	n.ptr, n.start = resize(n.ptr, n.len()+1), resize(n.start, n.len()+1)
	n.ptr[0], n.start[0] = 0, 0
	for k := range n.len() {
		w := n.width(int32(k))
		n.ptr[k+1] = n.ptr[k] + count[k]
		n.start[k+1] = n.start[k] + w*(w+int(count[k]))
	}
	if float64(n.size()) > most || n.size() > 1<<31-1 {
		return false
	}
	n.list, n.place = resize(n.list, int(n.ptr[n.len()])), resize(n.place, len(s.edges))
	copy(count, n.ptr)
	n.climb(s, mark, func(k, node int32) {
		n.list[count[node]] = k
		count[node]++
	}, func(k, i, slot int32) {
		node := n.of[i]
		row := int(k - n.first[node])
		if n.of[k] != node {
			row = n.width(node) + int(count[node]-1-n.ptr[node])
		}
		n.place[slot] = int32(n.start[node] + row*n.width(node) + int(i-n.first[node]))
	})
	return true
}

// climb calls row for each row k and each supernode that has it below its
// columns, in increasing order of k, and then entry for each entry (k, i) of
// the matrix.
func (n *supernodes) climb(s *LDL, mark []int32, row func(k, node int32), entry func(k, i, slot int32)) {
	for k := range mark {
		mark[k] = -1
	}
	for k := range int32(s.n) {
		own := n.of[k]
		mark[own] = k
		for p := s.upPtr[k]; p < s.upPtr[k+1]; p++ {
			i := s.upRow[p]
			for node := n.of[i]; mark[node] != k; node = n.of[s.parent[n.first[node+1]-1]] {
				row(k, node)
				mark[node] = k
			}
			if entry != nil {
				entry(k, i, s.upSlot[p])
			}
		}
	}
}
