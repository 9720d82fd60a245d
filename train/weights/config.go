package weights

import (
	"cmp"
	"fmt"
	"math"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/infer"
)

// Keep says which weights are the result.
type Keep string

const (
	// KeepLast keeps the weights after the last epoch, as the reference does.
	// It is the default.
	KeepLast Keep = "last"
	// KeepBest keeps those with the best score, the earliest of equals.
	KeepBest Keep = "best"
)

// Config chooses the loss and its parameters. The zero value of a field is the
// default that is named with it; the names in JSON are those of the command
// line.
type Config struct {
	// Loss is one of bilevel.Losses. There is no default.
	Loss bilevel.Loss `json:"loss"`
	// Epsilon is ε > 0 of inference (0.01).
	Epsilon float64 `json:"epsilon"`
	// Gap is the duality gap per component at which inference stops; zero is
	// exact inference.
	Gap float64 `json:"gap,omitempty"`
	// Solver holds the other settings of inference, such as the method.
	Solver infer.Settings `json:"-"`

	// Step is the step size of mirror descent (1e-2). Shrink divides it by the
	// number of the epoch.
	Step   float64 `json:"step"`
	Shrink bool    `json:"shrink,omitempty"`
	// MaxNorm bounds the gradient, regulariser included, in the maximum norm
	// (25); negative means no bound.
	MaxNorm float64 `json:"max_norm"`
	// NegLog, Entropy and L2 are the factors of the regulariser; see
	// optim.Regularizer. Without NegLog or Entropy, energy puts all weight on the
	// rule that the labels break least.
	NegLog  float64 `json:"neglog"`
	Entropy float64 `json:"entropy,omitempty"`
	L2      float64 `json:"l2,omitempty"`

	// Epochs is the largest number of steps (500).
	Epochs int `json:"epochs"`
	// ScoreEvery is the number of epochs between two scores (5), Patience for how
	// many epochs the score need not rise (50); negative means for ever.
	ScoreEvery int `json:"score_every"`
	Patience   int `json:"patience"`
	// Keep says which weights are the result (last).
	Keep Keep `json:"keep"`

	// The rest is for mse and bce.

	// ProxWeight is the factor r = 1/(2ρ) of ‖ŷ − y‖² in the Moreau envelope.
	// Zero means twice the mean weight, 2 over the number of rules: much less,
	// and M hardly depends on y; much more, and M is hardly an inference.
	ProxWeight float64 `json:"prox_weight,omitempty"`
	// EnergyCoefficient is a ≥ 0.
	EnergyCoefficient float64 `json:"energy_coefficient,omitempty"`
	// PointStep is the step size on y (0.1).
	PointStep float64 `json:"y_step,omitempty"`
	// Penalty is μ > 1 at the start and PenaltyGrowth > 1 its factor (2, 2),
	// Multiplier is λ ≥ 0 at the start (0.1; negative means 0).
	Penalty       float64 `json:"penalty,omitempty"`
	PenaltyGrowth float64 `json:"penalty_growth,omitempty"`
	Multiplier    float64 `json:"multiplier,omitempty"`
	// GapTolerance is the M − V at which learning ends. Zero means 1e-3 times r
	// times the number of targets, which bounds M − V for y far from inference.
	GapTolerance float64 `json:"gap_tolerance,omitempty"`
}

// Resolve fills in the defaults and checks the ranges.
func (c Config) Resolve() (Config, error) {
	known := false
	for _, l := range bilevel.Losses {
		known = known || c.Loss == l
	}
	if !known {
		return c, fmt.Errorf("weights: no loss %q, want one of %v", c.Loss, bilevel.Losses)
	}
	values := []struct {
		name  string
		field *float64
		value float64
	}{{"Epsilon", &c.Epsilon, 0.01}, {"Step", &c.Step, 1e-2}}
	if c.Loss.Bilevel() {
		values = append(values, []struct {
			name  string
			field *float64
			value float64
		}{{"PointStep", &c.PointStep, 0.1}, {"Penalty", &c.Penalty, 2}, {"PenaltyGrowth", &c.PenaltyGrowth, 2}}...)
		if c.Multiplier == 0 {
			c.Multiplier = 0.1
		}
	} else {
		// What a loss does not use must not make two equal settings differ.
		c.ProxWeight, c.EnergyCoefficient, c.PointStep = 0, 0, 0
		c.Penalty, c.PenaltyGrowth, c.Multiplier, c.GapTolerance = 0, 0, 0, 0
	}
	for _, v := range values {
		if *v.field == 0 {
			*v.field = v.value
		}
		if !(*v.field > 0) || math.IsInf(*v.field, 0) {
			return c, fmt.Errorf("weights: %s is %v, want a finite number above 0", v.name, *v.field)
		}
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"Gap", c.Gap}, {"NegLog", c.NegLog}, {"Entropy", c.Entropy}, {"L2", c.L2}, {"EnergyCoefficient", c.EnergyCoefficient},
		{"ProxWeight", c.ProxWeight}, {"GapTolerance", c.GapTolerance}} {
		if !(v.value >= 0) || math.IsInf(v.value, 0) {
			return c, fmt.Errorf("weights: %s is %v, want a finite number of 0 or more", v.name, v.value)
		}
	}
	for _, v := range []struct {
		field *int
		value int
	}{{&c.Epochs, 500}, {&c.ScoreEvery, 5}, {&c.Patience, 50}} {
		if *v.field == 0 {
			*v.field = v.value
		}
	}
	if c.MaxNorm == 0 {
		c.MaxNorm = 25
	}
	if c.Keep == "" {
		c.Keep = KeepLast
	}
	switch {
	case c.Epochs < 0 || c.ScoreEvery < 0:
		return c, fmt.Errorf("weights: %d epochs with a score every %d: want more than 0", c.Epochs, c.ScoreEvery)
	case math.IsNaN(c.MaxNorm) || math.IsNaN(c.Multiplier) || math.IsInf(c.Multiplier, 0):
		return c, fmt.Errorf("weights: MaxNorm is %v, Multiplier %v", c.MaxNorm, c.Multiplier)
	case c.Loss.Bilevel() && !(c.Penalty > 1 && c.PenaltyGrowth > 1):
		return c, fmt.Errorf("weights: Penalty is %v and PenaltyGrowth %v, want more than 1", c.Penalty, c.PenaltyGrowth)
	case c.Keep != KeepLast && c.Keep != KeepBest:
		return c, fmt.Errorf("weights: Keep is %q, want last or best", c.Keep)
	}
	return c, nil
}

// method is the step on the weights.
func (c *Config) method() optim.WeightMethod {
	return &optim.MirrorDescent{WeightOptions: optim.WeightOptions{
		Step: c.Step, Shrink: c.Shrink, MaxNorm: max(c.MaxNorm, 0), Regularizer: c.regularizer(),
	}}
}

func (c *Config) regularizer() optim.Regularizer {
	return optim.Regularizer{L2: c.L2, NegLog: c.NegLog, Entropy: c.Entropy}
}

// fit fills in what depends on the size of the problem.
func (c *Config) fit(rules, targets int) {
	if c.Loss.Bilevel() {
		c.ProxWeight = cmp.Or(c.ProxWeight, 2/float64(max(rules, 1)))
		c.GapTolerance = cmp.Or(c.GapTolerance, 1e-3*c.ProxWeight*float64(max(targets, 1)))
	}
}

// settings are those of the objective. With the whole program as one sample,
// constraints by sample and by batch are the same.
func (c *Config) settings() bilevel.Settings {
	s := bilevel.Settings{
		Loss: c.Loss, Value: bilevel.Options{Epsilon: c.Epsilon, Solver: c.solver()},
		Regularizer: c.regularizer(),
	}
	if c.Loss.Bilevel() {
		s.Rho, s.EnergyCoefficient, s.PointStep = bilevel.Rho(c.ProxWeight), c.EnergyCoefficient, c.PointStep
		s.InitialPenalty, s.PenaltyGrowth, s.InitialMultiplier = c.Penalty, c.PenaltyGrowth, max(c.Multiplier, 0)
		s.ConstraintTolerance, s.StopOnGap, s.TestEvery = c.GapTolerance, true, c.ScoreEvery
		s.Stationarity, s.Slack = bilevel.StationarityMovement, bilevel.SlackExact
		s.MovementTolerance = 1e-2
	}
	return s
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
