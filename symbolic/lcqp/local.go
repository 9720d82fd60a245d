package lcqp

import "math"

// negligible is the error of a multiplier that counts as none.
const negligible = 1e-6

// local finds a set U of targets outside of which nothing moves: the targets that are pulled
// by more than the force that holds them, and all that those could take along. Let U move in
// any way while the other targets R stay. If the multipliers of the rows that join U and R do
// not change, these rows pull at R as before; R is in balance and stays, and U and R together
// are at the optimum. A target of U that shares no row with another target goes to the side it
// is pulled to.
//
// local returns by how much the multipliers of those rows may be off, as an addition to the
// right side of the bound for targets of R. ok is false if target is in U or the search takes
// too long.
func (d *Drop) local(target int32) (spare float64, ok bool) {
	l := &locality{Drop: d, way: map[int32]int{}}
	for _, i := range d.touched {
		if side, excess := d.excess(i); excess > 0 {
			l.way[i] = 1 << side
			l.queue = append(l.queue, i)
		}
	}
	visits := 0
	for len(l.queue) > 0 {
		i := l.queue[len(l.queue)-1]
		l.queue = l.queue[:len(l.queue)-1]
		for _, k := range d.in.RowsOf(i) {
			if visits++; visits > mostVisits || l.way[target] != 0 {
				return 0, false
			}
			if !d.dropped[k] {
				l.grow(k)
			}
		}
	}
	for i := range l.way {
		for _, k := range d.in.RowsOf(i) {
			if !d.dropped[k] {
				spare += l.error(k)
			}
		}
	}
	return spare, l.way[target] == 0
}

// locality is a search for U.
type locality struct {
	*Drop
	way   map[int32]int // of U: 1 down, 2 up, 3 both
	queue []int32       // targets whose rows are to be examined
}

// grow adds the other targets of a row to U, if the row ties them to it.
func (l *locality) grow(k int32) {
	in := l.in
	moving := 0
	for j := in.Ptr[k]; j < in.Ptr[k+1]; j++ {
		if l.way[in.Col[j]] != 0 && in.Val[j] != 0 {
			moving++
		}
	}
	tied := l.error(k) > negligible
	for j := in.Ptr[k]; j < in.Ptr[k+1]; j++ {
		if i := in.Col[j]; in.Val[j] != 0 && l.way[i] != 3 && (tied || l.way[i] != 0 && moving > 1) {
			l.way[i] = 3
			l.queue = append(l.queue, i)
		}
	}
}

// error bounds how much more than now row k may pull at its targets in R while U moves: the
// largest change of its multiplier times their coefficients.
func (l *locality) error(k int32) float64 {
	in := l.in
	z, rest := l.activity(k), 0.0
	low, high := z, z
	for j := in.Ptr[k]; j < in.Ptr[k+1]; j++ {
		i, a := in.Col[j], in.Val[j]
		way := l.way[i]
		if way == 0 {
			rest += math.Abs(a)
			continue
		}
		for side, end := range [...]float64{in.Lower[i], in.Upper[i]} {
			if way&(1<<side) != 0 {
				step := a * (end - l.sol.Y[i])
				low, high = low+min(step, 0), high+max(step, 0)
			}
		}
	}
	if rest == 0 {
		return 0
	}
	const near = 1e-9
	mu, off := l.sol.Dual[k]+l.shift[k], math.Inf(1)
	switch kind := in.Kinds[k]; {
	case kind == HardEQ:
	case high <= near:
		off = math.Abs(mu)
	case kind == Linear && low >= -near:
		weight, curv := in.RowCost(int(k))
		off = math.Abs(weight-mu) + 2*curv*(math.Abs(low)+math.Abs(high))
	}
	return rest * off
}
