package train

import (
	"fmt"
	"math/rand/v2"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/infer"
	"hinge/train/checkpoint"
)

// Bilevel holds the parameters of the losses mse and bce, the augmented
// Lagrangian of package bilevel; the loss sp looks at Draws and Samples alone, the
// loss energy at none. A number that is 0 means the default of bilevel.Settings.
type Bilevel struct {
	// ProxWeight is r, the multiplier of the Moreau term r·‖ŷ − y‖²; the paper's
	// ρ is 1/(2r). EnergyCoefficient is the factor a of the latent energy.
	ProxWeight        float64 `toml:"prox-weight"`
	EnergyCoefficient float64 `toml:"energy-coefficient"`
	// PointStep is the step size on y.
	PointStep float64 `toml:"y-step"`
	// Draws is how many of the Gumbel draws have their problems without labels
	// solved, two a constraint, one with the loss sp; 0 means all.
	Draws int `toml:"draws"`
	// Samples is how many of the examples of a batch have them solved, which then
	// stand for all; 0 means all.
	Samples int `toml:"samples,omitempty"`
	// InitialPenalty, PenaltyGrowth and InitialMultiplier are those of μ and λ.
	InitialPenalty    float64 `toml:"initial-penalty"`
	PenaltyGrowth     float64 `toml:"penalty-growth"`
	InitialMultiplier float64 `toml:"initial-multiplier"`
	// ConstraintTolerance is σ*, MovementTolerance ω*.
	ConstraintTolerance float64 `toml:"constraint-tolerance"`
	MovementTolerance   float64 `toml:"movement-tolerance"`
	// RelaxationTarget ends the run when a problem with ι at most this is
	// solved; 0 leaves the end to budget and patience.
	RelaxationTarget float64 `toml:"relaxation-target"`
	// TestEvery is the number of epochs between tests of the inner problem.
	TestEvery int `toml:"test-every"`
	// Constraint is sample or batch, Slack exact, step or none, Stationarity
	// gradient or movement; MultiplierFactor is 1 in the paper and 2 in the
	// reference engine, which also has no floors and stops on the gap.
	Constraint       string  `toml:"constraint"`
	Slack            string  `toml:"slack"`
	Stationarity     string  `toml:"stationarity"`
	MultiplierFactor float64 `toml:"multiplier-factor"`
	NoFloors         bool    `toml:"no-floors"`
	StopOnGap        bool    `toml:"stop-on-gap"`
}

// Reference are the parameters as the reference engine has them: one constraint
// a batch, no slacks, a doubled multiplier step, tests by movement every five
// epochs.
func (b *Bilevel) Reference() {
	b.InitialPenalty, b.PenaltyGrowth, b.InitialMultiplier = 2, 2, 0.1
	b.ConstraintTolerance, b.MovementTolerance, b.TestEvery = 1e-3, 0.1, 5
	b.Constraint, b.Slack, b.Stationarity = "batch", string(bilevel.SlackNone), string(bilevel.StationarityMovement)
	b.MultiplierFactor, b.NoFloors, b.StopOnGap = 2, true, true
}

// Objective returns the settings of the configured loss.
func (c *Config) Objective() (bilevel.Settings, error) {
	value, err := c.Inference()
	if err != nil {
		return bilevel.Settings{}, err
	}
	b := &c.Bilevel
	s := bilevel.Settings{
		Loss: bilevel.Loss(c.Loss), Value: value, Draws: c.Neural.Samples, ConstraintDraws: b.Draws, ConstraintSamples: b.Samples,
		EnergyCoefficient: b.EnergyCoefficient, PointStep: b.PointStep,
		InitialPenalty: b.InitialPenalty, PenaltyGrowth: b.PenaltyGrowth, InitialMultiplier: b.InitialMultiplier,
		ConstraintTolerance: b.ConstraintTolerance, MovementTolerance: b.MovementTolerance,
		Sum: c.Training.SumLoss, RelaxationTarget: b.RelaxationTarget, TestEvery: b.TestEvery, Regularizer: c.Symbolic.regularizer(),
		PerBatch: b.Constraint == "batch", MultiplierFactor: b.MultiplierFactor, Slack: bilevel.Slack(b.Slack),
		Stationarity: bilevel.Stationarity(b.Stationarity), NoFloors: b.NoFloors, StopOnGap: b.StopOnGap,
	}
	if c.Neural.Samples <= 1 {
		s.ConstraintDraws = 1 // there is one draw
	}
	if b.ProxWeight != 0 {
		s.Rho = bilevel.Rho(b.ProxWeight)
	}
	return s, nil
}

// Inference returns the options of every inference.
func (c *Config) Inference() (bilevel.Options, error) {
	method, err := infer.New(c.Symbolic.Solver)
	if err != nil {
		return bilevel.Options{}, usage("solver", "%v", err)
	}
	return bilevel.Options{
		Epsilon: c.Symbolic.Epsilon, Check: c.Symbolic.Check, DrawTemperature: c.Neural.DrawTemperature,
		Solver: infer.Settings{Method: method, GapAbsolute: c.Symbolic.Gap},
	}, nil
}

func (s *Symbolic) regularizer() optim.Regularizer {
	return optim.Regularizer{NegLog: s.Log, Entropy: s.Entropy, L2: s.L2}
}

// method returns the configured method on the rule weights.
func (s *Symbolic) method() optim.WeightMethod {
	o := optim.WeightOptions{Step: s.MirrorStep, Shrink: s.Shrink, MaxNorm: s.Clip, Regularizer: s.regularizer()}
	if s.Clip == 0 {
		o.MaxNorm = defaultClip
	} else if s.Clip < 0 {
		o.MaxNorm = 0
	}
	if s.Method == "projected" {
		return &optim.ProjectedGradient{WeightOptions: o}
	}
	return &optim.MirrorDescent{WeightOptions: o}
}

// defaultClip bounds the gradient of the rule weights as in the reference.
const defaultClip = 25

// validate reports the first setting that makes no sense.
func (b *Bilevel) validate(c *Config) error {
	switch b.Constraint {
	case "", "sample":
	case "batch":
		if !c.Training.FixedBatches {
			return usage("bilevel.constraint", "one constraint a batch needs training.fixed-batches")
		}
	default:
		return usage("bilevel.constraint", "%q is none of sample, batch", b.Constraint)
	}
	if b.Samples > 0 && c.Training.FixedBatches {
		return usage("bilevel.samples", "%d examples of a batch that is always the same: set training.fixed-batches = false", b.Samples)
	}
	if !bilevel.Loss(c.Loss).Bilevel() {
		return nil
	}
	s, err := c.Objective()
	if err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return usage("bilevel", "%v", err)
	}
	return nil
}

// ObjectiveTensors returns what an objective remembers, for Model.Warm.
func ObjectiveTensors(o *bilevel.Objective) []checkpoint.Tensor {
	var out []checkpoint.Tensor
	for _, a := range o.State() {
		if a.Data == nil {
			a.Data = []float64{}
		}
		out = append(out, checkpoint.NewTensor(a.Name, a.Data, a.Shape...))
	}
	return out
}

// RestoreObjective is the inverse of ObjectiveTensors, for Model.SetWarm.
func RestoreObjective(o *bilevel.Objective, get func(name string) (checkpoint.Tensor, error)) error {
	return o.SetState(func(name string) ([]float64, error) {
		t, err := get(name)
		if err != nil {
			return nil, err
		}
		d, ok := t.Data.([]float64)
		if !ok {
			return nil, fmt.Errorf("train: tensor %q holds %T, want []float64", name, t.Data)
		}
		return d, nil
	})
}

// Batches returns the batches of an epoch: a permutation of the examples, a
// function of seed and epoch, cut into whole batches; the remainder waits for
// another epoch. With fixed batches only their order is permuted, and a remainder is
// never learned from.
func (c *Config) Batches(examples, epoch int) [][]int {
	const orderStream = 0x6f72646572 // "order"
	stream := func(epoch int) *rand.Rand {
		return rand.New(rand.NewPCG(c.Seed, orderStream+uint64(epoch)<<40))
	}
	cut := func(order []int) (out [][]int) {
		for n := c.Training.Batch; len(order) >= n; order = order[n:] {
			out = append(out, order[:n:n])
		}
		return out
	}
	if !c.Training.FixedBatches {
		return cut(stream(epoch).Perm(examples))
	}
	fixed := cut(stream(0).Perm(examples))
	out := make([][]int, len(fixed))
	for i, k := range stream(epoch + 1).Perm(len(fixed)) {
		out[i] = fixed[k]
	}
	return out
}
