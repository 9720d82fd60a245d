package consensus

import (
	"slices"

	"hinge/optim/collective"
)

// links knows the targets that this rank has in common with others. Positions count them
// in the order of their global numbers, which is the same on all ranks.
type links struct {
	c      collective.Comm
	shared []int32   // this rank's target at each position
	holder []float64 // how many ranks have it
	with   [][]int32 // by rank: the positions that it has too
	owner  []int32   // the rank whose copy counts
	total  int       // targets in common, of all ranks
}

// newLinks finds the targets in common; hard tells which of this rank's targets are in a
// hard row.
func newLinks(c collective.Comm, targets []int32, hard []bool) (*links, error) {
	all, err := collective.Gather(c, targets)
	if err != nil {
		return nil, err
	}
	largest := int32(-1)
	for _, list := range all {
		if n := len(list); n > 0 {
			largest = max(largest, list[n-1])
		}
	}
	count := make([]uint16, largest+1)
	l := &links{c: c, with: make([][]int32, c.Size())}
	for _, list := range all {
		for _, i := range list {
			if count[i]++; count[i] == 2 {
				l.total++
			}
		}
	}
	position := make([]int32, largest+1)
	for at, i := range targets {
		if count[i] > 1 {
			position[i] = int32(len(l.shared)) + 1
			l.shared = append(l.shared, int32(at))
			l.holder = append(l.holder, float64(count[i]))
		}
	}
	for r, list := range all {
		if r == c.Rank() {
			continue
		}
		for _, i := range list {
			if p := position[i]; p > 0 {
				l.with[r] = append(l.with[r], p-1)
			}
		}
	}
	return l, l.elect(hard)
}

// elect gives each target in common an owner: the first rank that has it in a hard row, else
// the first that has it.
func (l *links) elect(hard []bool) error {
	claim := make([]float64, len(l.shared))
	for p, i := range l.shared {
		if hard[i] {
			claim[p] = 1
		}
	}
	l.owner = make([]int32, len(claim))
	best := slices.Repeat([]float64{-1}, len(claim))
	return l.each(claim, func(r int, p int32, v float64) {
		if v > best[p] {
			best[p], l.owner[p] = v, int32(r)
		}
	})
}

// each calls f with the values of all ranks at this rank's positions, rank by rank, its
// own among them. All ranks call it together.
func (l *links) each(own []float64, f func(rank int, position int32, v float64)) error {
	send := make([][]float64, len(l.with))
	for r, with := range l.with {
		send[r] = make([]float64, len(with))
		for k, p := range with {
			send[r][k] = own[p]
		}
	}
	recv, err := collective.Exchange(l.c, send)
	if err != nil {
		return err
	}
	for r, with := range l.with {
		if r == l.c.Rank() {
			for p, v := range own {
				f(r, int32(p), v)
			}
		}
		for k, p := range with {
			f(r, p, recv[r][k])
		}
	}
	return nil
}

// sum replaces the values by their sums over the ranks, in the order of the ranks.
func (l *links) sum(values []float64) error {
	own := slices.Clone(values)
	clear(values)
	return l.each(own, func(_ int, p int32, v float64) { values[p] += v })
}

// elected replaces the values by the owners' values.
func (l *links) elected(values []float64) error {
	return l.each(slices.Clone(values), func(r int, p int32, v float64) {
		if int32(r) == l.owner[p] {
			values[p] = v
		}
	})
}

// owns reports for each of n targets whether its copy on this rank counts.
func (l *links) owns(n int) []bool {
	own := slices.Repeat([]bool{true}, n)
	for p, i := range l.shared {
		own[i] = int(l.owner[p]) == l.c.Rank()
	}
	return own
}
