package chain

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Evaluate works out F at (w, g) in every sample. g holds the outputs sample by sample.
// It is an error when a value is not finite; the package comment says when.
func (c *Chain) Evaluate(w, g []float64) error {
	if want := len(c.dg); len(g) != want {
		return fmt.Errorf("chain: g has %d elements, want %d samples × %d neural outputs", len(g), c.samples, c.outputs)
	}
	if len(w) != c.rules {
		return fmt.Errorf("chain: %d weights given, the chain has %d rules", len(w), c.rules)
	}
	clear(c.dg)
	clear(c.phi)
	for i := range c.total {
		for l, t := range c.tables[i] {
			t.weigh(w, c.temperature, c.of[i].pairs(l))
		}
		if err := c.pass(i, g[i*c.outputs:(i+1)*c.outputs]); err != nil {
			return err
		}
	}
	return nil
}

// pass computes F and its gradients for sample i. Messages are logarithms of sums over everything
// before or behind a separator, by its state.
func (c *Chain) pass(i int, g []float64) error {
	log := c.forward(i, g)
	if c.total[i] = -c.temperature * log; math.IsNaN(log) || math.IsInf(log, 0) {
		return fmt.Errorf("chain: the value of sample %d of the batch is %v: outputs are NaN, or rule out everything", i, c.total[i])
	}
	c.backward(i, g, log)
	return nil
}

// forward fills sums and forth and returns the logarithm of the sum over all.
func (c *Chain) forward(i int, g []float64) float64 {
	s := c.of[i]
	m, low, before := c.sums, c.low, c.forth[:s.States[0]]
	clear(before)
	at := len(before)
	for l := range s.Links {
		after := c.forth[at:][:s.States[l+1]]
		c.sumValues(s.Links[l].Variables, c.tables[i][l], g, m[:s.pairs(l)], low)
		for b := range after {
			c.terms = c.terms[:0]
			for a, v := range before {
				c.terms = append(c.terms, v+m[a*len(after)+b])
			}
			after[b] = floats.LogSumExp(c.terms)
		}
		m, low, at, before = m[s.pairs(l):], low[s.pairs(l):], at+len(after), after
	}
	return floats.LogSumExp(before)
}

// backward fills back and adds up the gradients of sample i, given the logarithm of the sum over all.
func (c *Chain) backward(i int, g []float64, log float64) {
	s := c.of[i]
	at, size := s.States[0], 0
	for l := range s.Links {
		at += s.States[l+1]
		size += s.pairs(l)
	}
	clear(c.back[at-s.States[len(s.Links)] : at])
	for l := len(s.Links) - 1; l >= 0; l-- {
		at -= s.States[l+1]
		size -= s.pairs(l)
		after, before := c.back[at:][:s.States[l+1]], c.back[at-s.States[l]:at]
		forth, m, low := c.forth[at-s.States[l]:at], c.sums[size:][:s.pairs(l)], c.low[size:]
		for a := range before {
			c.terms = c.terms[:0]
			for b, v := range after {
				k := a*len(after) + b
				c.terms = append(c.terms, m[k]+v)
				// The derivative of the logarithm by the sum of the pair, as far above its low.
				m[k] = min(math.Exp(forth[a]+v-low[k]/c.temperature-log), largestSlope)
			}
			before[a] = floats.LogSumExp(c.terms)
		}
		c.differentiate(i, l, g, m, low)
	}
}

// largestSlope is so finite that the square's product with a belief of 0 is 0.
const largestSlope = 1e150

// believe writes p(x) = Π g of all values of the given variables of a link.
func (c *Chain) believe(variables [][]int, g []float64) {
	c.belief = append(c.belief[:0], 1)
	for _, places := range variables {
		n := len(c.belief)
		c.belief = append(c.belief, make([]float64, n*(len(places)-1))...)
		for k := n - 1; k >= 0; k-- {
			p := c.belief[k]
			for x, j := range places {
				c.belief[k*len(places)+x] = p * g[j]
			}
		}
	}
}

// sumValues writes log Σ_x p(x) e^(−w·Φ(x; a, b)/T) of each pair of states, and its low.
func (c *Chain) sumValues(variables [][]int, t *Table, g, out, low []float64) {
	c.believe(variables, g)
	n := len(c.belief)
	for pair := range out {
		psi := t.psi[pair*n : (pair+1)*n]
		low[pair] = t.low[pair]
		sum := c.mean(psi)
		if sum < 1e-100 {
			psi, low[pair] = c.raise(t, pair)
			sum = c.mean(psi)
		}
		out[pair] = math.Log(sum) - low[pair]/c.temperature
	}
}

// mean returns Σ_x p(x) ψ(x).
func (c *Chain) mean(psi []float64) (sum float64) {
	belief := c.belief[:len(psi)]
	for x, v := range psi {
		sum += belief[x] * v
	}
	return sum
}

// raise returns e^(−(w·Φ − low)/T) of a pair of states, low being the least w·Φ of a value with a belief above 0: where cheaper
// ones are ruled out, double precision may hold no other of the table's.
func (c *Chain) raise(t *Table, pair int) (psi []float64, low float64) {
	low, c.psi = math.Inf(1), c.psi[:0]
	for x, p := range c.belief {
		k := pair*len(c.belief) + x
		c.psi = append(c.psi, floats.Dot(t.w, t.Phi[k*c.rules:(k+1)*c.rules]))
		if p > 0 {
			low = min(low, c.psi[x])
		}
	}
	for x, e := range c.psi {
		c.psi[x] = min(math.Exp(-(e-low)/c.temperature), largestSlope)
	}
	return c.psi, low
}

// differentiate adds the part of link l to the gradients of sample i, given the
// derivative of log Σ by the sum of each pair of states, and its low.
func (c *Chain) differentiate(i, l int, g, d, low []float64) {
	variables := c.of[i].Links[l].Variables
	c.believe(variables, g)
	belief, t, n, phi := c.belief, c.tables[i][l], len(c.belief), c.phi[i*c.rules:(i+1)*c.rules]
	c.slope = append(c.slope[:0], make([]float64, n)...) // of log Σ by p(x)
	for pair, d := range d {
		psi := t.psi[pair*n : (pair+1)*n]
		if low[pair] != t.low[pair] {
			psi, _ = c.raise(t, pair)
		}
		slope := c.slope[:len(psi)]
		for x, psi := range psi {
			slope[x] += d * psi
			if q := d * psi * belief[x]; q != 0 {
				for r, v := range t.Phi[(pair*n+x)*c.rules : (pair*n+x+1)*c.rules] {
					phi[r] += q * v
				}
			}
		}
	}
	c.differentiateBelief(variables, g, c.dg[i*c.outputs:(i+1)*c.outputs])
}

// differentiateBelief adds −T·Σ_x slope(x)·∂p(x)/∂g, and spoils slope. It sums the
// last variable out of slope after each turn, so that the one in turn is the last.
func (c *Chain) differentiateBelief(variables [][]int, g, dg []float64) {
	for v := len(variables) - 1; v >= 0; v-- {
		places := variables[v]
		c.believe(variables[:v], g)
		for k, p := range c.belief {
			row, sum := c.slope[k*len(places):(k+1)*len(places)], 0.0
			for x, j := range places {
				dg[j] -= c.temperature * p * row[x]
				sum += row[x] * g[j]
			}
			c.slope[k] = sum
		}
	}
}
