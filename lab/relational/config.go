package relational

import (
	"math"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/infer"
	"hinge/train/config"
)

// Config are the settings of a run of the published experiments. Its JSON is how committed records
// are found: names and order of the fields stay.
type Config struct {
	// Loss is one of bilevel.Losses.
	Loss bilevel.LossName `json:"loss"`
	// Epsilon is ε > 0 of inference. Gap is the duality gap per component at which inference
	// stops; zero is exact inference. Solver holds the other settings of inference.
	Epsilon float64        `json:"epsilon"`
	Gap     float64        `json:"gap,omitempty"`
	Solver  infer.Settings `json:"-"`
	// Step is the step size of mirror descent, MaxNorm the bound on the gradient in the maximum
	// norm, NegLog the factor of −Σ log w.
	Step    float64 `json:"step"`
	MaxNorm float64 `json:"max_norm"`
	NegLog  float64 `json:"neglog"`
	// Epochs is the largest number of steps, ScoreEvery the number of epochs between two scores on
	// the data learned from. Learning ends when the score has not risen for more than Patience
	// epochs, the first being epoch 0; a negative Patience never ends it.
	Epochs     int `json:"epochs"`
	ScoreEvery int `json:"score_every"`
	Patience   int `json:"patience"`
	// Keep is always "last": the weights of the last epoch are tested.
	Keep string `json:"keep"`
	// The parameters of mse and bce, zero for other losses: see bilevel.Lagrangian.
	ProxWeight          float64 `json:"prox_weight,omitempty"`
	EnergyCoefficient   float64 `json:"energy_coefficient,omitempty"`
	PointStep           float64 `json:"y_step,omitempty"`
	InitialPenalty      float64 `json:"penalty,omitempty"`
	PenaltyGrowth       float64 `json:"penalty_growth,omitempty"`
	InitialMultiplier   float64 `json:"multiplier,omitempty"`
	ConstraintTolerance float64 `json:"gap_tolerance,omitempty"`
}

// settings returns settings of the published experiments: the given parameters, and those that all
// of them share. M − V below tolerance ends learning by mse and bce.
func (r tuned) settings(loss bilevel.LossName, tolerance float64) Config {
	c := Config{Loss: loss, Epsilon: r.epsilon, Step: r.step, MaxNorm: 25, NegLog: 1e-3, Epochs: 500, ScoreEvery: 5, Patience: 50, Keep: "last"}
	if loss.Bilevel() {
		c.ProxWeight, c.EnergyCoefficient, c.PointStep, c.ConstraintTolerance = r.prox, r.energy, r.yStep, tolerance
		c.InitialPenalty, c.PenaltyGrowth, c.InitialMultiplier = 2, 2, 0.1
	}
	return c
}

// training returns the settings as the training loop has them.
func (c *Config) training() config.Config {
	return config.Config{
		Task: "relational", Loss: string(c.Loss), Recipe: "paper",
		Training: config.Training{
			Batch: 1, Steps: c.Epochs, ValidEvery: c.ScoreEvery, Patience: max(c.Patience+1, 0), // whose steps count from 1
			Keep: 2, FixedBatches: true, NoTest: true, LastWeights: true,
		},
		Neural: config.Neural{LearningRate: 1e-2, Schedule: "constant", TemperatureMin: 1, TestTemperature: 1, Augment: "none", Pretrain: "none"},
		Symbolic: config.Symbolic{
			Solver: "auto", Epsilon: c.Epsilon, Gap: c.Gap,
			WeightOptions: optim.WeightOptions{Step: c.Step, MaxNorm: c.MaxNorm, Regularizer: optim.Regularizer{NegLog: c.NegLog}},
		},
		Bilevel: bilevel.Lagrangian{
			ProxWeight: c.ProxWeight, EnergyCoefficient: c.EnergyCoefficient, PointStep: c.PointStep,
			InitialPenalty: c.InitialPenalty, PenaltyGrowth: c.PenaltyGrowth, InitialMultiplier: c.InitialMultiplier, ConstraintTolerance: c.ConstraintTolerance,
			MovementTolerance: 1e-2, TestEvery: c.ScoreEvery, Stationarity: bilevel.StationarityMovement, StopOnGap: true,
		},
	}
}

// solver are the settings of inference.
func (c *Config) solver() *infer.Settings {
	s := c.Solver
	if c.Gap > 0 {
		// The gap alone decides; multipliers and hard rules as near as it.
		s.GapTolerance, s.GapAbsolute = math.SmallestNonzeroFloat64, c.Gap
		s.FeasibilityTolerance, s.StationarityTolerance = min(c.Gap, 1e-3), c.Gap
	}
	return &s
}
