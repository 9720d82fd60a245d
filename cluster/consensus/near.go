package consensus

import (
	"slices"

	"hinge/optim/collective"
)

const (
	// nearDepth is how many rows away from a target in common is near at first, farther how
	// many times as many where the answer is not good enough, and worthwhile how many times
	// better it has to become.
	nearDepth, farther, worthwhile = 9, 2, 4
	// nearShare is how many near rows a rank may be sent to solve, as a share of the rows that
	// it has on average: others wait meanwhile.
	nearShare = 1
)

// strip returns the rows near shared targets as one program, in which all farther targets are
// held. It returns nil on all ranks if solving it would not save work.
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
		for _, row := range in.RowsOf(i) {
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
	slices.Sort(rows)
	of, parts := st.flood(queue, depth, int32(most))
	size := make([]float64, parts)
	for _, k := range rows {
		for _, i := range in.Col[in.Ptr[k]:in.Ptr[k+1]] {
			if part := of[i]; part >= 0 {
				size[part]++
				break
			}
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
	_, home, _, err := st.pieces(position, size)
	if err != nil {
		return nil, err
	}
	at := make([]float64, st.c.Size()+1)
	for k, n := range size {
		if home[k] >= 0 {
			at[home[k]] += n
		}
	}
	at[st.c.Size()] = float64(in.Rows()) / float64(st.c.Size())
	if err := collective.Sum(st.c, at); err != nil {
		return nil, err
	}
	if most := at[:st.c.Size()]; slices.Max(most) > nearShare*at[st.c.Size()] {
		return nil, nil
	}
	return st.gather(rows, func(i int32) int32 { return of[i] }, home)
}

// flood numbers the pieces that rows join free targets to; held targets get −1.
func (st *state) flood(targets, depth []int32, most int32) (of []int32, parts int) {
	in := st.in
	of = slices.Repeat([]int32{-1}, in.Targets)
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
			for _, row := range in.RowsOf(i) {
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
		return nil // its point need not be better
	}
	for _, p := range st.active {
		i, pull := l.shared[p], 0.0
		for _, row := range in.RowsOf(i) {
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
