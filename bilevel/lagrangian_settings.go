package bilevel

import (
	"cmp"
	"fmt"
	"math"
)

// Constraint says what a constraint M − V ≤ ι is of.
type Constraint string

const (
	// ConstraintSample makes a constraint a sample; it is the default.
	ConstraintSample Constraint = "sample"
	// ConstraintBatch makes one of a whole batch, Σ_i (M_i − V_i) ≤ ι, as the
	// reference engine does. Batches must then be the same in every epoch.
	ConstraintBatch Constraint = "batch"
)

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

// Lagrangian holds the parameters of the bilevel losses: the augmented-Lagrangian
// algorithm (paper, appendix on the extended learning framework). The zero value of
// each field is a default. The structured perceptron looks at ConstraintDraws and
// ConstraintSamples alone, LossAnswer at these and Nudge, the energy loss at none.
//
// Configurations of packages train (TOML) and train/weights (JSON) embed it: records
// and checkpoints are found by the encoded text, and so by names and order of the
// fields.
type Lagrangian struct {
	// ProxWeight is r, the factor of the Moreau term r·‖ŷ − y‖²; the paper's ρ
	// is 1/(2r), see Rho. Zero means 0.01.
	ProxWeight float64 `toml:"prox-weight" json:"prox_weight,omitempty"`
	// EnergyCoefficient is a ≥ 0, the factor of the latent value. Zero means
	// without.
	EnergyCoefficient float64 `toml:"energy-coefficient" json:"energy_coefficient,omitempty"`
	// PointStep is the largest step size of the projected gradient steps on y;
	// steps the penalty's curvature forbids are shortened. Zero means 1e-2.
	// SlackStepSize is that of SlackStep; zero means PointStep.
	PointStep     float64 `toml:"y-step" json:"y_step,omitempty"`
	SlackStepSize float64 `toml:"slack-step,omitempty" json:"slack_step,omitempty"`
	// ConstraintDraws is how many of the draws of the neural outputs, the first
	// ones, the problems without fixed labels use, which cost the most: two a
	// constraint, one with the structured perceptron. Zero means all.
	ConstraintDraws int `toml:"draws" json:"draws,omitempty"`
	// ConstraintSamples m does the same for samples: only the first m of a batch
	// have their problems without fixed labels solved, whose terms then count
	// Batch/m-fold. Where batches are drawn at random, that is an unbiased estimate
	// of the loss of all samples at a fraction of the cost. Points, slacks and
	// multipliers of the others wait for their turn. Zero means all of the batch;
	// less takes ConstraintDraws = 1 and a constraint a sample.
	ConstraintSamples int `toml:"samples,omitempty" json:"samples,omitempty"`
	// Nudge is δ of LossAnswer, how hard labels pull at inference: the smaller, the more
	// exact is the gradient, and the tighter must the inferences be solved. Zero means
	// 0.1. Configurations of rule weights alone do not have it.
	Nudge float64 `toml:"nudge,omitempty" json:"-"`
	// InitialPenalty is μ > 1 at the start and PenaltyGrowth > 1 its factor.
	// Zero means 2 each.
	InitialPenalty float64 `toml:"initial-penalty" json:"penalty,omitempty"`
	PenaltyGrowth  float64 `toml:"penalty-growth" json:"penalty_growth,omitempty"`
	// InitialMultiplier is λ ≥ 0 at the start.
	InitialMultiplier float64 `toml:"initial-multiplier" json:"multiplier,omitempty"`
	// ConstraintTolerance is σ* and MovementTolerance ω*, at which a problem
	// with a given ι counts as solved. Zero means 1e-3 and 1e-1.
	ConstraintTolerance float64 `toml:"constraint-tolerance" json:"gap_tolerance,omitempty"`
	MovementTolerance   float64 `toml:"movement-tolerance" json:"movement_tolerance,omitempty"`
	// RelaxationTarget ends the algorithm when a problem with ι at most this is
	// solved. Zero never ends it.
	RelaxationTarget float64 `toml:"relaxation-target" json:"relaxation_target,omitempty"`
	// TestEvery is the number of epochs between two tests of the stop criteria;
	// the reference experiments have 5. Zero means 1.
	TestEvery int `toml:"test-every" json:"test_every,omitempty"`
	// Constraint, Slack and Stationarity: empty means ConstraintSample, SlackExact
	// and StationarityGradient.
	Constraint   Constraint   `toml:"constraint" json:"constraint,omitempty"`
	Slack        Slack        `toml:"slack" json:"slack,omitempty"`
	Stationarity Stationarity `toml:"stationarity" json:"stationarity,omitempty"`
	// MultiplierFactor f in λ ← λ + f·μ·(c + s). Zero means 1, the paper's; the
	// reference engine has 2.
	MultiplierFactor float64 `toml:"multiplier-factor" json:"multiplier_factor,omitempty"`
	// NoFloors lets the tolerances ω and σ shrink below ω* and σ*, to the letter
	// of the paper's listing. By default they stop there: tighter ones cost time
	// and decide nothing.
	NoFloors bool `toml:"no-floors" json:"no_floors,omitempty"`
	// StopOnGap ends the algorithm when Σ_i (M_i − V_i) is below
	// ConstraintTolerance at a test, as the reference engine does.
	StopOnGap bool `toml:"stop-on-gap" json:"stop_on_gap,omitempty"`
}

// Reference sets everything but weights, coefficients and steps as the reference
// engine has it: one constraint a batch, no slacks, a doubled multiplier step, tests by
// movement every five epochs.
func (l *Lagrangian) Reference() {
	l.InitialPenalty, l.PenaltyGrowth, l.InitialMultiplier = 2, 2, 0.1
	l.ConstraintTolerance, l.MovementTolerance, l.TestEvery = 1e-3, 0.1, 5
	l.Constraint, l.Slack, l.Stationarity = ConstraintBatch, SlackNone, StationarityMovement
	l.MultiplierFactor, l.NoFloors, l.StopOnGap = 2, true, true
}

// Validate reports the first parameter that makes no sense by itself.
func (l Lagrangian) Validate() error {
	_, err := l.resolve()
	return err
}

// resolve fills in defaults and rejects nonsense.
func (l Lagrangian) resolve() (Lagrangian, error) {
	l.PointStep = cmp.Or(l.PointStep, 1e-2)
	for _, v := range []struct {
		name         string
		field        *float64
		value, above float64
	}{
		{"ProxWeight", &l.ProxWeight, 0.01, 0}, {"PointStep", &l.PointStep, 0, 0}, {"SlackStepSize", &l.SlackStepSize, l.PointStep, 0},
		{"InitialPenalty", &l.InitialPenalty, 2, 1}, {"PenaltyGrowth", &l.PenaltyGrowth, 2, 1},
		{"ConstraintTolerance", &l.ConstraintTolerance, 1e-3, 0}, {"MovementTolerance", &l.MovementTolerance, 1e-1, 0},
		{"MultiplierFactor", &l.MultiplierFactor, 1, 0}, {"Nudge", &l.Nudge, 0.1, 0},
	} {
		*v.field = cmp.Or(*v.field, v.value)
		if !(*v.field > v.above) || math.IsInf(*v.field, 0) {
			return l, fmt.Errorf("bilevel: %s is %v, want a finite number above %v", v.name, *v.field, v.above)
		}
	}
	for _, v := range []struct {
		name  string
		value float64
	}{
		{"EnergyCoefficient", l.EnergyCoefficient}, {"InitialMultiplier", l.InitialMultiplier}, {"RelaxationTarget", l.RelaxationTarget},
		{"ConstraintDraws", float64(l.ConstraintDraws)}, {"ConstraintSamples", float64(l.ConstraintSamples)},
	} {
		if !(v.value >= 0) || math.IsInf(v.value, 0) {
			return l, fmt.Errorf("bilevel: %s is %v, want a finite number of 0 or more", v.name, v.value)
		}
	}
	l.TestEvery = max(l.TestEvery, 1)
	l.Constraint = cmp.Or(l.Constraint, ConstraintSample)
	l.Slack = cmp.Or(l.Slack, SlackExact)
	l.Stationarity = cmp.Or(l.Stationarity, StationarityGradient)
	switch {
	case l.ConstraintSamples > 0 && (l.ConstraintDraws > 1 || l.Constraint == ConstraintBatch):
		return l, fmt.Errorf("bilevel: ConstraintSamples is %d with %d ConstraintDraws and a constraint a %s, want 0, or 1 and sample",
			l.ConstraintSamples, l.ConstraintDraws, l.Constraint)
	case l.Constraint != ConstraintSample && l.Constraint != ConstraintBatch:
		return l, fmt.Errorf("bilevel: constraint %q is none of sample, batch", l.Constraint)
	case l.Slack != SlackExact && l.Slack != SlackStep && l.Slack != SlackNone:
		return l, fmt.Errorf("bilevel: no slack %q, want exact, step or none", l.Slack)
	case l.Stationarity != StationarityGradient && l.Stationarity != StationarityMovement:
		return l, fmt.Errorf("bilevel: no stationarity %q, want gradient or movement", l.Stationarity)
	}
	return l, nil
}

// tightened divides a tolerance, but not to below its floor unless it is there
// already.
func (l *Lagrangian) tightened(tolerance, by, floor float64) float64 {
	if l.NoFloors {
		return tolerance / by
	}
	return max(tolerance/by, min(tolerance, floor))
}
