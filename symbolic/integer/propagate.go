package integer

import (
	"hinge/symbolic/lcqp"
)

// state is a node's knowledge about an integer target.
type state int8

const (
	free state = iota
	zero
	one
)

// propagator finds what hard rows fix, given that some integer targets are fixed: it excludes
// a value with which a row could not hold, whatever the other targets are.
type propagator struct {
	in           *lcqp.Instance
	integer      []bool
	lower, upper []float64
	queued       []bool
	queue        []int32
}

// slackness is the violation that a row must reach before it fixes a target. It is larger than
// the violation that the solver accepts as feasible.
const slackness = 1e-6

func newPropagator(in *lcqp.Instance, integer []bool) *propagator {
	return &propagator{in: in, integer: integer, lower: make([]float64, in.Targets), upper: make([]float64, in.Targets),
		queued: make([]bool, in.Constraints)}
}

// run begins at the bounds of the instance and of states, and writes the consequences into
// states. It returns false if a row cannot hold. If from ≥ 0, it begins with the rows of
// target from, otherwise with all rows.
func (p *propagator) run(states []state, from int) bool {
	copy(p.lower, p.in.Lower)
	copy(p.upper, p.in.Upper)
	for i, s := range states {
		switch s {
		case zero:
			p.upper[i] = 0
		case one:
			p.lower[i] = 1
		}
	}
	p.queue = p.queue[:0]
	if from >= 0 {
		p.touch(from)
	} else {
		for k := range p.queued {
			p.queued[k] = true
			p.queue = append(p.queue, int32(k))
		}
	}
	for len(p.queue) > 0 {
		k := p.queue[len(p.queue)-1]
		p.queue = p.queue[:len(p.queue)-1]
		p.queued[k] = false
		if !p.row(k, 1, states) || p.in.Kinds[k] == lcqp.HardEQ && !p.row(k, -1, states) {
			for _, k := range p.queue {
				p.queued[k] = false
			}
			return false
		}
	}
	return true
}

// touch puts the hard rows of a target into the queue.
func (p *propagator) touch(i int) {
	in := p.in
	for _, k := range in.RowsOf(int32(i)) {
		if int(k) < in.Constraints && !p.queued[k] {
			p.queued[k] = true
			p.queue = append(p.queue, k)
		}
	}
}

// row fixes what sign·(a_k·y + b_k) ≤ 0 leaves no choice.
func (p *propagator) row(k int32, sign float64, states []state) bool {
	in := p.in
	least := sign * in.B[k]
	from, to := in.Ptr[k], in.Ptr[k+1]
	for j := from; j < to; j++ {
		if a := sign * in.Val[j]; a > 0 {
			least += a * p.lower[in.Col[j]]
		} else {
			least += a * p.upper[in.Col[j]]
		}
	}
	if least > slackness {
		return false
	}
	for j := from; j < to; j++ {
		i := in.Col[j]
		if !p.integer[i] || p.lower[i] >= p.upper[i] {
			continue
		}
		switch a := sign * in.Val[j]; {
		case a > 0 && least+a > slackness:
			p.upper[i], states[i] = 0, zero
		case a < 0 && least-a > slackness:
			p.lower[i], states[i] = 1, one
		default:
			continue
		}
		p.touch(int(i))
	}
	return true
}
