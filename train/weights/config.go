package weights

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/optim/setting"
	"hinge/symbolic/infer"
)

// Keep says which weights are the result of learning.
type Keep string

const (
	// KeepLast keeps the weights after the last epoch, as the reference does.
	// It is the default.
	KeepLast Keep = "last"
	// KeepBest keeps those with the best score, the latest of equals.
	KeepBest Keep = "best"
)

// Config chooses the loss and its parameters. The zero value of a field is the default that
// is named with it; the names in JSON are the names of the flags.
type Config struct {
	// Loss is one of bilevel.Everywhere. There is no default.
	Loss bilevel.LossName `json:"loss"`
	// Epsilon is ε > 0 of inference (0.01).
	Epsilon float64 `json:"epsilon"`
	// Gap is the duality gap per component at which inference stops; zero is
	// exact inference.
	Gap float64 `json:"gap,omitempty"`
	// Solver holds the other settings of inference, such as the method.
	Solver infer.Settings `json:"-"`

	// WeightOptions are the step on the weights. Without NegLog or Entropy, energy puts
	// all weight on the rule that the labels break least. With Method optim.Gradient the
	// weights start as they are, and are on no simplex.
	optim.WeightOptions

	// Epochs is the largest number of steps (500).
	Epochs int `json:"epochs"`
	// ScoreEvery is the number of epochs between two scores (5), Patience for how
	// many epochs the score need not rise (50); negative means for ever.
	ScoreEvery int `json:"score_every"`
	Patience   int `json:"patience"`
	// Keep says which weights are the result (last).
	Keep Keep `json:"keep"`

	// Lagrangian is for mse and bce. Other than there, zero means for ProxWeight r
	// twice the mean weight, 2 over the number of rules (much less, and M hardly
	// depends on y; much more, and M is hardly an inference); 0.1 for PointStep; 0.1
	// for InitialMultiplier, of which a negative one means 0; for ConstraintTolerance,
	// the M − V at which learning ends, 1e-3 times r times the number of targets, which
	// bounds M − V for y far from inference; 1e-2 for MovementTolerance; ScoreEvery for
	// TestEvery; and StationarityMovement. StopOnGap is always set.
	bilevel.Lagrangian
}

// Resolve fills in the defaults and checks the ranges.
func (c Config) Resolve() (Config, error) {
	if all := bilevel.Everywhere(); !slices.Contains(all, c.Loss) {
		return c, fmt.Errorf("weights: no loss %q, want one of %v", c.Loss, all)
	}
	if c.Loss.Bilevel() {
		c.PointStep, c.InitialMultiplier = cmp.Or(c.PointStep, 0.1), cmp.Or(c.InitialMultiplier, 0.1)
		c.InitialPenalty, c.PenaltyGrowth = cmp.Or(c.InitialPenalty, 2), cmp.Or(c.PenaltyGrowth, 2)
		c.StopOnGap = false // it is always set; equal settings have one text
		l := c.lagrangian()
		if err := setting.Check(&l, "json"); err != nil {
			return c, fmt.Errorf("weights: %w", err)
		}
		if err := l.Validate(); err != nil {
			return c, fmt.Errorf("weights: %w", err)
		}
	} else {
		// What a loss does not use must not make two equal settings differ.
		c.Lagrangian = bilevel.Lagrangian{}
	}
	c.Epsilon, c.WeightOptions = cmp.Or(c.Epsilon, 0.01), c.WeightOptions.Resolve()
	if err := setting.Check(&c.WeightOptions, "json"); err != nil {
		return c, fmt.Errorf("weights: %w", err)
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"Epsilon", c.Epsilon}, {"Gap", c.Gap}} {
		if !(v.value >= 0) || math.IsInf(v.value, 0) {
			return c, fmt.Errorf("weights: %s is %v, want a finite number of 0 or more", v.name, v.value)
		}
	}
	c.Epochs, c.ScoreEvery, c.Patience = cmp.Or(c.Epochs, 500), cmp.Or(c.ScoreEvery, 5), cmp.Or(c.Patience, 50)
	c.Keep = cmp.Or(c.Keep, KeepLast)
	switch {
	case c.Epochs < 0 || c.ScoreEvery < 0:
		return c, fmt.Errorf("weights: %d epochs with a score every %d: want more than 0", c.Epochs, c.ScoreEvery)
	case c.Keep != KeepLast && c.Keep != KeepBest:
		return c, fmt.Errorf("weights: Keep is %q, want last or best", c.Keep)
	}
	return c, nil
}

// fit fills in what depends on the size of the problem.
func (c *Config) fit(rules, targets int) {
	if c.Loss.Bilevel() {
		c.ProxWeight = cmp.Or(c.ProxWeight, 2/float64(max(rules, 1)))
		c.ConstraintTolerance = cmp.Or(c.ConstraintTolerance, 1e-3*c.ProxWeight*float64(max(targets, 1)))
	}
}

// lagrangian are the parameters with the defaults that the configuration does not name.
func (c *Config) lagrangian() bilevel.Lagrangian {
	l := c.Lagrangian
	l.InitialMultiplier = max(l.InitialMultiplier, 0)
	l.MovementTolerance, l.TestEvery = cmp.Or(l.MovementTolerance, 1e-2), cmp.Or(l.TestEvery, max(c.ScoreEvery, 0))
	l.Stationarity, l.StopOnGap = cmp.Or(l.Stationarity, bilevel.StationarityMovement), true
	return l
}

// settings returns the settings of the objective. With the whole program as one sample,
// constraints by sample and by batch are the same.
func (c *Config) settings() bilevel.Settings {
	return bilevel.Settings{
		Loss: c.Loss, Value: bilevel.Options{Epsilon: c.Epsilon, Solver: c.solver()},
		Lagrangian: c.lagrangian(), Regularizer: c.Regularizer,
	}
}

// solver are the settings of inference.
func (c *Config) solver() infer.Settings {
	s := c.Solver
	if c.Gap > 0 {
		// The gap alone decides; multipliers and hard rules as near as it.
		s.GapTolerance, s.GapAbsolute = math.SmallestNonzeroFloat64, c.Gap
		if s.FeasibilityTolerance == 0 {
			s.FeasibilityTolerance = min(c.Gap, 1e-3)
		}
		if s.StationarityTolerance == 0 {
			s.StationarityTolerance = c.Gap
		}
	}
	return s
}
