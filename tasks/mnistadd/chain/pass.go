package chain

import (
	"fmt"
	"math"
	"slices"
)

// Evaluate works out F at (w, g) in every sample. g holds the outputs sample by sample.
// It is an error when a value is not finite: outputs are NaN, or beliefs rule out
// everything whose e^(−E/T) is not 0 in double precision.
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
		for _, t := range c.tables[i] {
			t.weigh(w, c.temperature)
		}
		if err := c.pass(i, g[i*c.outputs:(i+1)*c.outputs]); err != nil {
			return err
		}
	}
	return nil
}

// pass computes F and its gradients for sample i. Messages are sums over everything
// before or behind a separator, by its state; each is divided by its largest entry,
// whose logarithm is kept.
func (c *Chain) pass(i int, g []float64) error {
	log := c.forward(i, g)
	if c.total[i] = -c.temperature * log; math.IsNaN(log) || math.IsInf(log, 0) {
		return fmt.Errorf("chain: the value of sample %d of the batch is %v: outputs are NaN, or whatever they leave costs too much at the temperature %v (draw-temperature); raise it", i, c.total[i], c.temperature)
	}
	c.backward(i, g)
	return nil
}

// forward fills sums and forth and returns the logarithm of the sum over all.
func (c *Chain) forward(i int, g []float64) float64 {
	s := c.of[i]
	log, m, before := 0.0, c.sums, c.forth[:s.States[0]]
	fill(before, 1)
	at := len(before)
	for l := range s.Links {
		after := c.forth[at:][:s.States[l+1]]
		c.sumValues(s.Links[l].Variables, c.tables[i][l], g, m[:s.pairs(l)])
		clear(after)
		for a, v := range before {
			for b := range after {
				after[b] += v * m[a*len(after)+b]
			}
		}
		log += math.Log(scaleDown(after)) - c.tables[i][l].low/c.temperature
		m, at, before = m[s.pairs(l):], at+len(after), after
	}
	total := 0.0
	for _, v := range before {
		total += v
	}
	return log + math.Log(total)
}

// backward fills back and adds up the gradients of sample i.
func (c *Chain) backward(i int, g []float64) {
	s := c.of[i]
	at, size := s.States[0], 0
	for l := range s.Links {
		at += s.States[l+1]
		size += s.pairs(l)
	}
	fill(c.back[at-s.States[len(s.Links)]:at], 1)
	for l := len(s.Links) - 1; l >= 0; l-- {
		at -= s.States[l+1]
		size -= s.pairs(l)
		after, before := c.back[at:][:s.States[l+1]], c.back[at-s.States[l]:at]
		forth, m := c.forth[at-s.States[l]:at], c.sums[size:][:s.pairs(l)]
		clear(before)
		all := 0.0
		for a := range before {
			for b, v := range after {
				before[a] += m[a*len(after)+b] * v
			}
			all += forth[a] * before[a]
		}
		// The derivative of the logarithm by each sum of the link.
		for a := range before {
			for b, v := range after {
				m[a*len(after)+b] = forth[a] * v / all
			}
		}
		c.differentiate(i, l, g, m)
		scaleDown(before)
	}
}

func fill(x []float64, v float64) {
	for k := range x {
		x[k] = v
	}
}

// scaleDown divides x by its largest entry and returns that.
func scaleDown(x []float64) float64 {
	high := max(0, slices.Max(x))
	for k := range x {
		x[k] /= high
	}
	return high
}

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

// sumValues writes Σ_x p(x) ψ(x; a, b) of each pair of states.
func (c *Chain) sumValues(variables [][]int, t *Table, g, out []float64) {
	c.believe(variables, g)
	n := len(c.belief)
	for pair := range out {
		sum := 0.0
		for x, psi := range t.psi[pair*n : (pair+1)*n] {
			sum += c.belief[x] * psi
		}
		out[pair] = sum
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
