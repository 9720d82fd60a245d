package evaluate

import (
	"cmp"
	"math"
)

// Continuous evaluates predicates with values in between, such as ratings.
// Metrics: mae, mse.
type Continuous struct {
	Scope
	// Representative names the evaluator's main metric; empty means mse.
	Representative string
}

// Name returns "Continuous".
func (c *Continuous) Name() string { return "Continuous" }

// Check requires a representative that exists.
func (c *Continuous) Check(int) error {
	return checkRepresentative("Continuous", c.Representative, "mae", "mse")
}

// Evaluate averages |y - t| and (y - t)².
func (c *Continuous) Evaluate(s *Sample) (Report, error) {
	if err := c.Check(s.Arity); err != nil {
		return Report{}, err
	}
	var count, absolute, squared float64
	c.pairs(s, func(value, truth float64) {
		count++
		absolute += math.Abs(value - truth)
		squared += (value - truth) * (value - truth)
	})
	return report(int(count), cmp.Or(c.Representative, "mse"), -1,
		Metric{"mae", ratio(absolute, count)}, Metric{"mse", ratio(squared, count)}), nil
}
