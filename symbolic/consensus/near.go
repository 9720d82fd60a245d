package consensus

import (
	"slices"

	"hinge/dist"
)

const (
	// nearDepth is how many rows away from a target in common is near at first, farther how
	// many times as many where the answer is not good enough, and worthwhile how many times
	// better it has to become.
	nearDepth, farther, worthwhile = 6, 2, 4
	// nearShare is the share of all rows up to which it pays to solve the near ones as one.
	nearShare = 0.25
)

// strip are the rows at most so many rows away from targets in common, solved as one with
// all farther targets held. It is nil on all ranks where that is not worth it.
func (st *state) strip(most int) (*gathered, error) {
	if st.settings.WholeOnly {
		return nil, nil
	}
	in := st.in
	depth := make([]int32, in.Targets) // 1 for targets in common
	seen := make([]bool, in.Rows())
	var queue []int32
	for _, p := range st.active {
		i := st.links.shared[p]
		depth[i] = 1
		queue = append(queue, i)
	}
	var rows []int32
	for at := 0; at < len(queue); at++ {
		i := queue[at]
		if int(depth[i]) > most {
			continue // held
		}
		for _, row := range in.ColRow[in.ColPtr[i]:in.ColPtr[i+1]] {
			if seen[row] {
				continue
			}
			seen[row] = true
			rows = append(rows, row)
			for _, k := range in.Col[in.Ptr[row]:in.Ptr[row+1]] {
				if depth[k] == 0 {
					depth[k] = depth[i] + 1
					queue = append(queue, k)
				}
			}
		}
	}
	n := []float64{float64(len(rows)), float64(in.Rows())}
	if err := dist.Sum(st.c, n); err != nil {
		return nil, err
	}
	if n[0] > nearShare*n[1] {
		return nil, nil
	}
	slices.Sort(rows)
	of, parts := st.flood(queue, depth, int32(most))
	size := make([]float64, parts)
	for _, i := range queue {
		if of[i] >= 0 {
			size[of[i]] += float64(in.ColPtr[i+1] - in.ColPtr[i])
		}
	}
	// Positions that are done for are a part of their own.
	position := make([]int32, len(st.links.shared))
	for p, i := range st.links.shared {
		if position[p] = of[i]; of[i] < 0 {
			position[p] = int32(len(size))
			size = append(size, 0)
		}
	}
	_, home, err := st.pieces(position, size)
	if err != nil {
		return nil, err
	}
	return st.gather(rows, func(i int32) int32 { return of[i] }, home)
}

// flood numbers the pieces that rows join free targets to; held targets get −1.
func (st *state) flood(targets, depth []int32, most int32) (of []int32, parts int) {
	in := st.in
	of = make([]int32, in.Targets)
	for i := range of {
		of[i] = -1
	}
	var queue []int32
	for _, first := range targets {
		if of[first] >= 0 || depth[first] > most {
			continue
		}
		of[first] = int32(parts)
		queue = append(queue[:0], first)
		for len(queue) > 0 {
			i := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for _, row := range in.ColRow[in.ColPtr[i]:in.ColPtr[i+1]] {
				for _, k := range in.Col[in.Ptr[row]:in.Ptr[row+1]] {
					if of[k] < 0 && depth[k] > 0 && depth[k] <= most {
						of[k] = int32(parts)
						queue = append(queue, k)
					}
				}
			}
		}
		parts++
	}
	return of, parts
}

// solveNear solves the rows near targets in common as one and takes the values of these
// targets, and the forces of the ranks' rows on them, for the consensus and its multipliers.
func (st *state) solveNear(strip *gathered) error {
	in, l := st.in, st.links
	status, err := strip.solve(st, st.sol, st.limited())
	if err != nil {
		return err
	}
	st.Near++
	if !status.OK() {
		return nil // what it has found may be no better
	}
	strip.keep(st)
	for _, p := range st.active {
		i, pull := l.shared[p], 0.0
		for _, row := range in.ColRow[in.ColPtr[i]:in.ColPtr[i+1]] {
			for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
				if in.Col[j] == i {
					pull += in.Val[j] * st.sol.Dual[row]
				}
			}
		}
		st.z[p], st.u[p] = st.sol.Y[i], -pull/st.penalty(p)
	}
	return nil
}

// keep gives the next solve of the rank's own rows a warm start.
func (g *gathered) keep(st *state) {
	for r := range g.rows {
		for _, i := range g.targets[r] {
			st.warm.Y[i] = st.sol.Y[i]
		}
		for _, row := range g.rows[r] {
			st.warm.Dual[row] = st.sol.Dual[row]
		}
	}
}
