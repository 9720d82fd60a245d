package circuit

import (
	"fmt"
	"math"
)

// number is the number x·e^power. For ordinary weights the power is 0; x is between 1/most and most, or 0.
type number struct{ x, power float64 }

const most = 0x1p240

// Up returns the weighted model count for the weights w, which it keeps until
// Down.
func (c *Circuit) Up(w []float64) float64 {
	if len(w) != len(c.w) {
		panic(fmt.Sprintf("circuit: %d weights for %d inputs", len(w), len(c.w)))
	}
	for i, x := range w {
		c.w[i] = number{x, 0}
	}
	count := c.up()
	return count.x * math.Exp(count.power)
}

// up computes the count below each node.
func (c *Circuit) up() number {
	w, sums, count := c.w, c.sums, c.count
	count[0] = number{1, 0}
	for n := 1; n < len(count); n++ {
		sum, power := 0.0, 0.0
		inputs, nodes := c.edges(n)
		for e, in := range inputs {
			w, below := &w[in], &count[nodes[e]]
			x, p := w.x*below.x, w.power+below.power
			switch {
			case p == power:
				sum += x
			case x == 0:
			case sum == 0:
				sum, power = x, p
			case p > power:
				sum, power = x+sum*math.Exp(power-p), p
			default:
				sum += x * math.Exp(p-power)
			}
		}
		sums[n] = number{sum, power}
		if sum > most || sum > 0 && sum < 1/most {
			sum, power = 1, power+math.Log(sum)
		}
		count[n] = number{sum, power}
	}
	return count[len(count)-1]
}

// Down returns the derivative of the logarithm of the last Up by the logarithm of every weight: the
// share of the count, which is not 0, that is of worlds with the weight's value. The slice is the
// Circuit's own and valid until the next call.
func (c *Circuit) Down() []float64 {
	w, sums, count, flow, share := c.w, c.sums, c.count, c.flow, c.share
	clear(flow)
	clear(share)
	flow[len(flow)-1] = 1
	for n := len(flow) - 1; n > 0; n-- {
		if flow[n] == 0 {
			continue
		}
		f, power := flow[n]/sums[n].x, sums[n].power
		inputs, nodes := c.edges(n)
		for e, in := range inputs {
			w, below := &w[in], &count[nodes[e]]
			x := f * w.x * below.x
			if p := w.power + below.power; p != power && x != 0 {
				x *= math.Exp(p - power)
			}
			share[in] += x
			flow[nodes[e]] += x
		}
	}
	return share
}

// edges returns the weight indices and the nodes of the edges of node n.
func (c *Circuit) edges(n int) (inputs, nodes []int32) {
	lo, hi := c.first[n], c.first[n+1]
	return c.input[lo:hi], c.below[lo:hi:hi]
}
