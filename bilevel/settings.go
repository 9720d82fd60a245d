package bilevel

import (
	"fmt"
	"math"

	"hinge/optim"
)

// Loss names a learning loss.
type Loss string

// The losses of the paper: two value-based ones (section 3) and two bilevel
// ones (section 4), which differ in their supervised term d(y, t).
const (
	LossEnergy Loss = "energy"
	LossSP     Loss = "sp"
	LossMSE    Loss = "mse"
	LossBCE    Loss = "bce"
)

// Losses lists the losses.
var Losses = []Loss{LossEnergy, LossSP, LossMSE, LossBCE}

// Bilevel tells whether the loss is learned with the augmented Lagrangian.
func (l Loss) Bilevel() bool { return l == LossMSE || l == LossBCE }

// Slack says what becomes of the slacks s ≥ 0 of the constraints.
type Slack string

const (
	// SlackExact puts each slack where it minimises the Lagrangian for the
	// given values, s = max(0, −c − λ/μ), in every evaluation. It is the
	// default: the slack's part of the stationarity measure is always zero.
	SlackExact Slack = "exact"
	// SlackStep makes the slacks variables of their own that take a projected
	// gradient step, like y.
	SlackStep Slack = "step"
	// SlackNone drops the slacks and replaces c by max(0, c), as the reference
	// engine does: the multiplier then acts only while c > 0, and never shrinks.
	SlackNone Slack = "none"
)

// Stationarity says how δ, the distance from a minimiser of the Lagrangian, is
// measured over an epoch.
type Stationarity string

const (
	// StationarityGradient is the paper's δ: the norms of the projected
	// gradients of w_sy, w_nn, every y_i and s, added. It is exact for one
	// batch an epoch and, with more, uses the gradients as they were met. It is
	// the default.
	StationarityGradient Stationarity = "gradient"
	// StationarityMovement is the reference engine's approximation: how far the
	// epoch has moved things, mean (Δw)² + mean (Δg)² + Σ (Δy)², where Δg is
	// the change of a sample's neural outputs since its last visit. It suits
	// noisy gradients, which do not go to zero.
	StationarityMovement Stationarity = "movement"
)

// Settings choose the loss and the parameters of the augmented-Lagrangian
// algorithm (paper, appendix on the extended learning framework). The zero value
// of each field but Loss is a default.
type Settings struct {
	// Loss is the loss.
	Loss Loss
	// Value configures the inferences. Draws and Prefix are set by NewObjective.
	Value Options
	// Draws is K, the random draws of the neural outputs a sample has; zero
	// means 1. ConstraintDraws is how many of them, the first ones, the
	// problems without fixed labels use, which cost the most; zero means all.
	Draws, ConstraintDraws int
	// ConstraintSamples m does the same for samples: only the first m of a batch
	// have their problems without fixed labels solved, whose terms then count
	// Batch/m-fold. Where batches are drawn at random, that is an unbiased estimate
	// of the loss of all samples at a fraction of the cost. Points, slacks and
	// multipliers of the others wait for their turn. Zero means all of the batch;
	// less takes ConstraintDraws = 1 and no PerBatch.
	ConstraintSamples int
	// Sum makes the loss the sum over the batch instead of the mean.
	Sum bool
	// ColdLatent keeps no warm states for the problems with fixed labels and
	// conditions their program on the labels (Options.Condition): for models
	// whose labels leave next to nothing free.
	ColdLatent bool

	// Rho is ρ of the Moreau envelope, whose term is ‖ŷ − y‖²/(2ρ). Zero means
	// 50, a proximal weight of 0.01. See Rho for the conversion.
	Rho float64
	// EnergyCoefficient is a ≥ 0, the factor of the latent value in the bilevel
	// losses. Zero means without.
	EnergyCoefficient float64
	// PointStep is the largest step size of the projected gradient steps on y;
	// steps the penalty's curvature forbids are shortened. Zero means 1e-2. SlackStepSize
	// is that of SlackStep; zero means PointStep.
	PointStep, SlackStepSize float64
	// InitialPenalty is μ > 1 at the start and PenaltyGrowth > 1 its factor.
	// Zero means 2 each.
	InitialPenalty, PenaltyGrowth float64
	// InitialMultiplier is λ ≥ 0 at the start.
	InitialMultiplier float64
	// ConstraintTolerance is σ* and MovementTolerance ω*, at which a problem
	// with a given ι counts as solved. Zero means 1e-3 and 1e-1.
	ConstraintTolerance, MovementTolerance float64
	// NoFloors lets the tolerances ω and σ shrink below ω* and σ*, to the letter
	// of the paper's listing. By default they stop there: tighter ones cost time
	// and decide nothing.
	NoFloors bool
	// RelaxationTarget ends the algorithm when a problem with ι at most this is
	// solved. Zero never ends it.
	RelaxationTarget float64
	// TestEvery is the number of epochs between two tests of the stop criteria;
	// the reference experiments have 5. Zero means 1.
	TestEvery int
	// Regularizer on w_sy is part of what the caller minimises; here it counts
	// in StationarityGradient only.
	Regularizer optim.Regularizer

	// PerBatch makes one constraint of a whole batch, Σ_i (M_i − V_i) ≤ ι,
	// instead of one a sample, as the reference engine does. Batches must then
	// be the same in every epoch.
	PerBatch bool
	// MultiplierFactor f in λ ← λ + f·μ·(c + s). Zero means 1, the paper's; the
	// reference engine has 2.
	MultiplierFactor float64
	// Slack and Stationarity: empty means SlackExact and StationarityGradient.
	Slack        Slack
	Stationarity Stationarity
	// StopOnGap ends the algorithm when Σ_i (M_i − V_i) is below
	// ConstraintTolerance at a test, as the reference engine does.
	StopOnGap bool

	// Recorder, if not nil, is told of every step and test.
	Recorder Recorder
}

// Validate reports the first setting that makes no sense.
func (s Settings) Validate() error {
	_, err := s.resolve()
	return err
}

// resolve fills in defaults and rejects nonsense.
func (s Settings) resolve() (Settings, error) {
	for _, d := range []struct {
		field *float64
		value float64
	}{
		{&s.Rho, 50}, {&s.PointStep, 1e-2}, {&s.InitialPenalty, 2}, {&s.PenaltyGrowth, 2},
		{&s.ConstraintTolerance, 1e-3}, {&s.MovementTolerance, 1e-1}, {&s.MultiplierFactor, 1},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if s.SlackStepSize == 0 {
		s.SlackStepSize = s.PointStep
	}
	s.Draws, s.TestEvery = max(s.Draws, 1), max(s.TestEvery, 1)
	if s.ConstraintDraws == 0 {
		s.ConstraintDraws = s.Draws
	}
	if s.Slack == "" {
		s.Slack = SlackExact
	}
	if s.Stationarity == "" {
		s.Stationarity = StationarityGradient
	}
	known := false
	for _, l := range Losses {
		known = known || s.Loss == l
	}
	if !known {
		return s, fmt.Errorf("bilevel: no loss %q, want one of %v", s.Loss, Losses)
	}
	for _, v := range []struct {
		name         string
		value, above float64
	}{
		{"Rho", s.Rho, 0}, {"PointStep", s.PointStep, 0}, {"SlackStepSize", s.SlackStepSize, 0},
		{"InitialPenalty", s.InitialPenalty, 1}, {"PenaltyGrowth", s.PenaltyGrowth, 1},
		{"ConstraintTolerance", s.ConstraintTolerance, 0}, {"MovementTolerance", s.MovementTolerance, 0},
		{"MultiplierFactor", s.MultiplierFactor, 0},
	} {
		if !(v.value > v.above) || math.IsInf(v.value, 0) {
			return s, fmt.Errorf("bilevel: %s is %v, want a finite number above %v", v.name, v.value, v.above)
		}
	}
	if !(s.EnergyCoefficient >= 0) || !(s.InitialMultiplier >= 0) || !(s.RelaxationTarget >= 0) {
		return s, fmt.Errorf("bilevel: EnergyCoefficient %v, InitialMultiplier %v and RelaxationTarget %v must not be negative",
			s.EnergyCoefficient, s.InitialMultiplier, s.RelaxationTarget)
	}
	if s.ConstraintDraws < 1 || s.ConstraintDraws > s.Draws {
		return s, fmt.Errorf("bilevel: ConstraintDraws is %d, want 1 to %d", s.ConstraintDraws, s.Draws)
	}
	if s.ConstraintSamples < 0 || s.ConstraintSamples > 0 && (s.ConstraintDraws > 1 || s.PerBatch) {
		return s, fmt.Errorf("bilevel: ConstraintSamples is %d with %d ConstraintDraws and PerBatch %v, want 0, or a positive number with 1 and false",
			s.ConstraintSamples, s.ConstraintDraws, s.PerBatch)
	}
	if s.Slack != SlackExact && s.Slack != SlackStep && s.Slack != SlackNone {
		return s, fmt.Errorf("bilevel: no slack %q, want exact, step or none", s.Slack)
	}
	if s.Stationarity != StationarityGradient && s.Stationarity != StationarityMovement {
		return s, fmt.Errorf("bilevel: no stationarity %q, want gradient or movement", s.Stationarity)
	}
	return s, nil
}
