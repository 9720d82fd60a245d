package circuit

import "fmt"

// Pass evaluates a circuit and stores the values that the derivative needs.
type Pass struct {
	c      *Circuit
	w      []float64
	value  []float64 // of each node
	factor []float64 // derivative of the root by each node
	dw     []float64
}

// NewPass returns a Pass over the circuit.
func (c *Circuit) NewPass() *Pass {
	return &Pass{
		c: c, value: make([]float64, c.Nodes()), factor: make([]float64, c.Nodes()),
		dw: make([]float64, c.Inputs()),
	}
}

// Up returns the weighted model count for the weights w, which it keeps until
// Down.
func (p *Pass) Up(w []float64) float64 {
	if len(w) != len(p.dw) {
		panic(fmt.Sprintf("circuit: %d weights for %d inputs", len(w), len(p.dw)))
	}
	p.w = w
	c := p.c
	p.value[0] = 1
	for n := 1; n < len(p.value); n++ {
		sum := 0.0
		for e := c.first[n]; e < c.first[n+1]; e++ {
			sum += w[c.input[e]] * p.value[c.below[e]]
		}
		p.value[n] = sum
	}
	return p.value[len(p.value)-1]
}

// Down returns the derivative of the last Up by every weight. The slice is the
// Pass's own and valid until the next call.
func (p *Pass) Down() []float64 {
	c := p.c
	clear(p.factor)
	clear(p.dw)
	p.factor[len(p.factor)-1] = 1
	for n := len(p.factor) - 1; n > 0; n-- {
		f := p.factor[n]
		if f == 0 {
			continue
		}
		for e := c.first[n]; e < c.first[n+1]; e++ {
			in, below := c.input[e], c.below[e]
			p.dw[in] += f * p.value[below]
			p.factor[below] += f * p.w[in]
		}
	}
	return p.dw
}
