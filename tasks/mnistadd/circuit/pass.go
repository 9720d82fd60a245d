package circuit

import "fmt"

// Up returns the weighted model count for the weights w, which it keeps until
// Down.
func (c *Circuit) Up(w []float64) float64 {
	if len(w) != len(c.dw) {
		panic(fmt.Sprintf("circuit: %d weights for %d inputs", len(w), len(c.dw)))
	}
	c.w = w
	c.value[0] = 1
	for n := 1; n < len(c.value); n++ {
		sum := 0.0
		for e := c.first[n]; e < c.first[n+1]; e++ {
			sum += w[c.input[e]] * c.value[c.below[e]]
		}
		c.value[n] = sum
	}
	return c.value[len(c.value)-1]
}

// Down returns the derivative of the last Up by every weight. The slice is the
// Circuit's own and valid until the next call.
func (c *Circuit) Down() []float64 {
	clear(c.factor)
	clear(c.dw)
	c.factor[len(c.factor)-1] = 1
	for n := len(c.factor) - 1; n > 0; n-- {
		f := c.factor[n]
		if f == 0 {
			continue
		}
		for e := c.first[n]; e < c.first[n+1]; e++ {
			in, below := c.input[e], c.below[e]
			c.dw[in] += f * c.value[below]
			c.factor[below] += f * c.w[in]
		}
	}
	return c.dw
}
