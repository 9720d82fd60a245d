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
		return fmt.Errorf("chain: the value of sample %d of the batch is %v: outputs are NaN, or whatever they leave costs too much at the temperature %v (draw-temperature); raise it", i, c.total[i], c.temperature)
	}
	c.backward(i, g, log)
	return nil
}

// forward fills sums and forth and returns the logarithm of the sum over all.
func (c *Chain) forward(i int, g []float64) float64 {
	s := c.of[i]
	m, before := c.sums, c.forth[:s.States[0]]
	clear(before)
	at := len(before)
	for l := range s.Links {
		after := c.forth[at:][:s.States[l+1]]
		c.sumValues(s.Links[l].Variables, c.tables[i][l], g, m[:s.pairs(l)])
		for b := range after {
			c.terms = c.terms[:0]
			for a, v := range before {
				c.terms = append(c.terms, v+m[a*len(after)+b])
			}
			after[b] = floats.LogSumExp(c.terms)
		}
		m, at, before = m[s.pairs(l):], at+len(after), after
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
		forth, m, low := c.forth[at-s.States[l]:at], c.sums[size:][:s.pairs(l)], c.tables[i][l].low
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
		c.differentiate(i, l, g, m)
	}
}

// largestSlope is finite, so that its product with a belief of 0 is 0.
const largestSlope = 1e300

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

// sumValues writes log Σ_x p(x) e^(−w·Φ(x; a, b)/T) of each pair of states.
func (c *Chain) sumValues(variables [][]int, t *Table, g, out []float64) {
	c.believe(variables, g)
	n := len(c.belief)
	for pair := range out {
		sum := 0.0
		for x, psi := range t.psi[pair*n : (pair+1)*n] {
			sum += c.belief[x] * psi
		}
		out[pair] = math.Log(sum) - t.low[pair]/c.temperature
	}
}

// differentiate adds the part of link l to the gradients of sample i, given the
// derivative of log Σ by the sum of each pair of states.
func (c *Chain) differentiate(i, l int, g, d []float64) {
	variables := c.of[i].Links[l].Variables
	c.believe(variables, g)
	t, n, phi := c.tables[i][l], len(c.belief), c.phi[i*c.rules:(i+1)*c.rules]
	c.slope = append(c.slope[:0], make([]float64, n)...) // of log Σ by p(x)
	for pair, d := range d {
		for x, psi := range t.psi[pair*n : (pair+1)*n] {
			c.slope[x] += d * psi
			if q := d * psi * c.belief[x]; q != 0 {
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
