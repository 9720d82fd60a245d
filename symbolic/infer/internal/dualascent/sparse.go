package dualascent

import (
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sparse"
)

// trySparse analyses the sparse system once per step. It returns false when a
// factorisation would be too big, from then on without trying.
func (s *system) trySparse(p *problem.Problem) bool {
	if s.analysed || !s.sparse {
		return s.sparse
	}
	g := s.g
	s.place = problem.Resize(s.place, p.Targets)
	s.targets = 0
	for i, rate := range s.rate {
		s.place[i] = -1
		if rate > 0 {
			s.place[i] = int32(s.targets)
			s.targets++
		}
	}
	n := s.targets + len(s.active)
	if n > sparseLimit {
		s.sparse = false
		return false
	}
	s.kkt.Reset(n)
	s.kkt.Pivot = 1e-14
	s.slots = s.slots[:0]
	for r, k := range s.active {
		for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
			if i := s.place[g.Col[j]]; i >= 0 {
				s.slots = append(s.slots, s.kkt.Edge(int32(s.targets+r), i))
			}
		}
	}
	if !s.kkt.Analyse(sparse.Limits{Fill: fillLimit, Work: workLimit}) {
		s.sparse = false
		return false
	}
	s.analysed = true
	s.sol, s.res = problem.Resize(s.sol, n), problem.Resize(s.res, n)
	next := 0
	clear(s.kkt.Val)
	for _, k := range s.active {
		for j := g.Ptr[k]; j < g.Ptr[k+1]; j++ {
			if s.place[g.Col[j]] >= 0 {
				s.kkt.Val[s.slots[next]] -= g.Val[j]
				next++
			}
		}
	}
	for i, rate := range s.rate {
		if at := s.place[i]; at >= 0 {
			s.kkt.Diag[at], s.kkt.Sign[at] = 1/rate, 1
		}
	}
	for r := range s.active {
		s.kkt.Sign[s.targets+r] = -1
	}
	return true
}

// solveSparse factors with the free positions and solves, with one step of
// refinement against M itself.
func (s *system) solveSparse(p *problem.Problem, free []int32, rhs []float64) {
	for r := range s.active {
		s.kkt.Diag[s.targets+r] = -heldDiagonal
	}
	for _, r := range free {
		s.kkt.Diag[s.targets+int(r)] = -s.diag[r]
	}
	s.kkt.Factor()
	p.Stats.Factorizations++
	clear(s.res)
	for a, r := range free {
		s.res[s.targets+int(r)] = -rhs[a]
	}
	s.kkt.Solve(s.res)
	e := s.sol[:len(s.active)]
	clear(e)
	for _, r := range free {
		e[r] = s.res[s.targets+int(r)]
	}
	s.spread(e)
	clear(s.res)
	for a, r := range free {
		s.res[s.targets+int(r)] = s.row(int(r), e[r]) - rhs[a]
	}
	s.kkt.Solve(s.res)
	for a, r := range free {
		rhs[a] = e[r] + s.res[s.targets+int(r)]
	}
}
