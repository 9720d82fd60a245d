package bilevel

import (
	"fmt"

	"hinge/optim/setting"
)

// Constraint selects the samples that a constraint M − V ≤ ι covers.
type Constraint string

const (
	// ConstraintSample makes one constraint per sample; it is the default.
	ConstraintSample Constraint = "sample"
	// ConstraintBatch makes one of a whole batch, Σ_i (M_i − V_i) ≤ ι, as the
	// reference engine does. Batches must then be the same in every epoch.
	ConstraintBatch Constraint = "batch"
)

// Slack selects the treatment of the slacks s ≥ 0 of the constraints.
type Slack string

const (
	// SlackExact puts each slack where it minimises the Lagrangian for the
	// given values, s = max(0, −c − λ/μ), in every evaluation. It is the
	// default: the slack's part of the stationarity measure is always zero.
	SlackExact Slack = "exact"
	// SlackNone drops the slacks and replaces c by max(0, c), as the reference
	// engine does: the multiplier then acts only while c > 0, and never shrinks.
	SlackNone Slack = "none"
)

// Stationarity selects the measure of δ, the distance from a minimiser of the Lagrangian, over
// an epoch.
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
// algorithm (paper, appendix on the extended learning framework). The tags of a field
// declare its range and what zero stands for (see package optim/setting). The structured
// perceptron looks at ConstraintDraws and ConstraintSamples alone, LossAnswer at these and
// Nudge, LossKBest at States and StateTemperature, the energy loss at none.
//
// The configuration of package train embeds it: records and checkpoints are found by the encoded
// text, and so by the names of the fields.
type Lagrangian struct {
	// ProxWeight is r; the paper's ρ is 1/(2r), see Rho.
	ProxWeight        float64 `toml:"prox-weight" range:"(0, inf)" zero:"0.01" for:"mse bce" doc:"r of the Moreau term r·‖ŷ − y‖²"`
	EnergyCoefficient float64 `toml:"energy-coefficient" range:"[0, inf)" for:"mse bce" doc:"factor of the latent value, the energy of the labels"`
	// PointStep: steps the penalty's curvature forbids are shortened.
	PointStep float64 `toml:"y-step" range:"(0, inf)" zero:"0.01" for:"mse bce" doc:"largest step size of the projected gradient steps on y"`
	// ConstraintDraws: the problems without fixed labels cost the most: two a constraint,
	// one with the structured perceptron.
	ConstraintDraws int `toml:"draws" range:"[0, inf)" zero:"all" for:"sp mse bce answer" doc:"draws of the outputs, the first ones, that the problems without fixed labels use"`
	// ConstraintSamples m: the terms of the first m samples then count Batch/m-fold. Where
	// batches are drawn at random, that is an unbiased estimate of the loss of all samples
	// at a fraction of the cost. Points, slacks and multipliers of the others wait for
	// their turn. Less than all needs ConstraintDraws = 1 and one constraint per sample.
	ConstraintSamples int `toml:"samples" range:"[0, inf)" zero:"all of the batch" for:"sp mse bce answer" doc:"examples of a batch, the first ones, that have their problems without fixed labels solved"`
	// Nudge is δ of LossAnswer: the smaller, the more exact is the gradient, and the
	// tighter must the inferences be solved. Configurations of rule weights alone do not
	// have it.
	Nudge float64 `toml:"nudge" range:"(0, inf)" zero:"0.1" for:"answer" doc:"how hard labels pull at inference"`
	// States is k of LossKBest, StateTemperature its T.
	States            int     `toml:"states" range:"[0, inf)" zero:"all" for:"k-best" doc:"whole-number states of an example that the network learns from, those of least energy"`
	StateTemperature  float64 `toml:"state-temperature" range:"(0, inf)" zero:"1" for:"k-best" doc:"T of the weights e^(−V/T) of these states"`
	InitialPenalty    float64 `toml:"initial-penalty" range:"(1, inf)" zero:"2" for:"mse bce" doc:"penalty μ at the start"`
	PenaltyGrowth     float64 `toml:"penalty-growth" range:"(1, inf)" zero:"2" for:"mse bce" doc:"factor by which μ grows"`
	InitialMultiplier float64 `toml:"initial-multiplier" range:"[0, inf)" for:"mse bce" doc:"multiplier λ at the start"`
	// ConstraintTolerance is σ* and MovementTolerance ω*.
	ConstraintTolerance float64 `toml:"constraint-tolerance" range:"(0, inf)" zero:"0.001" for:"mse bce" doc:"violation at which a problem with a given ι counts as solved"`
	MovementTolerance   float64 `toml:"movement-tolerance" range:"(0, inf)" zero:"0.1" for:"mse bce" doc:"distance from stationarity at which a problem with a given ι counts as solved"`
	// TestEvery is 5 in the reference experiments.
	TestEvery    int          `toml:"test-every" range:"[1, inf)" zero:"1" for:"mse bce" doc:"epochs between two tests of the stop criteria"`
	Constraint   Constraint   `toml:"constraint" range:"sample | batch" zero:"sample" for:"mse bce" doc:"what a constraint is of"`
	Slack        Slack        `toml:"slack" range:"exact | none" zero:"exact" for:"mse bce" doc:"what becomes of the slacks of the constraints"`
	Stationarity Stationarity `toml:"stationarity" range:"gradient | movement" zero:"gradient" for:"mse bce" doc:"how the distance from stationarity is measured"`
	// MultiplierFactor is 1 in the paper and 2 in the reference engine.
	MultiplierFactor float64 `toml:"multiplier-factor" range:"(0, inf)" zero:"1" for:"mse bce" doc:"f of λ ← λ + f·μ·(c + s)"`
	// NoFloors is to the letter of the paper's listing. Tighter tolerances cost time and
	// decide nothing.
	NoFloors bool `toml:"no-floors" for:"mse bce" doc:"let the tolerances shrink below those of a solved problem"`
	// StopOnGap is the stop rule of the reference engine.
	StopOnGap bool `toml:"stop-on-gap" for:"mse bce" doc:"end the algorithm when Σ (M − V) is below constraint-tolerance at a test"`
	// LikeReference is for models written for the reference engine: the first test is after the
	// first epoch, steps on y are as long as PointStep, and a relaxation of 0 ends nothing.
	LikeReference bool `toml:"-"`
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

// resolve replaces zero values by their defaults and rejects invalid settings.
func (l Lagrangian) resolve() (Lagrangian, error) {
	setting.Fill(&l, "toml")
	if err := setting.Check(&l, "toml"); err != nil {
		return l, fmt.Errorf("bilevel: %w", err)
	}
	if l.ConstraintSamples > 0 && (l.ConstraintDraws > 1 || l.Constraint == ConstraintBatch) {
		return l, fmt.Errorf("bilevel: samples is %d with %d draws and a constraint a %s, want 0, or 1 and sample",
			l.ConstraintSamples, l.ConstraintDraws, l.Constraint)
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
