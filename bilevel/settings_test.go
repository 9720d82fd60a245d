package bilevel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSettingsDefaults: the zero value is the paper's algorithm with the
// defaults its fields name.
func TestSettingsDefaults(t *testing.T) {
	s, err := Settings{Loss: LossBCE}.resolve()
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]float64{
		"ProxWeight": {s.ProxWeight, 0.01}, "PointStep": {s.PointStep, 1e-2}, "SlackStepSize": {s.SlackStepSize, 1e-2},
		"InitialPenalty": {s.InitialPenalty, 2}, "PenaltyGrowth": {s.PenaltyGrowth, 2},
		"InitialMultiplier": {s.InitialMultiplier, 0}, "EnergyCoefficient": {s.EnergyCoefficient, 0},
		"ConstraintTolerance": {s.ConstraintTolerance, 1e-3}, "MovementTolerance": {s.MovementTolerance, 1e-1},
		"RelaxationTarget": {s.RelaxationTarget, 0}, "MultiplierFactor": {s.MultiplierFactor, 1},
		"TestEvery": {float64(s.TestEvery), 1}, "Draws": {float64(s.Draws), 1}, "ConstraintDraws": {float64(s.ConstraintDraws), 1},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
	if s.Slack != SlackExact || s.Stationarity != StationarityGradient || s.Constraint != ConstraintSample || s.NoFloors || s.StopOnGap || s.Reduction != Mean {
		t.Errorf("not the paper's algorithm: %+v", s)
	}
	again, err := s.resolve()
	if err != nil || again != s {
		t.Errorf("resolved settings change when resolved again: %+v, %v", again, err)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	if s, _ = (Settings{Loss: LossMSE, Draws: 7}).resolve(); s.ConstraintDraws != 7 {
		t.Errorf("%d constraint draws of 7", s.ConstraintDraws)
	}
}

// TestLossKinds: which losses are bilevel, and which value functions they have.
func TestLossKinds(t *testing.T) {
	for loss, want := range map[LossName][2]bool{
		LossEnergy: {false, false}, LossSP: {true, false}, LossMSE: {true, true}, LossBCE: {true, true},
	} {
		o, err := NewObjective(Problem{Template: plainProgram(t, 1), Samples: 3, Label: labelled}, Settings{Loss: loss})
		if err != nil {
			t.Fatal(err)
		}
		if (o.Full() != nil) != want[0] || (o.Augmented() != nil) != want[1] || loss.Bilevel() != want[1] {
			t.Errorf("%s: full %v, augmented %v", loss, o.Full() != nil, o.Augmented() != nil)
		}
		if o.Started() == loss.Bilevel() || o.Done() || o.Problem().Batch != 3 {
			t.Errorf("%s: started %v, done %v, batch %d", loss, o.Started(), o.Done(), o.Problem().Batch)
		}
	}
}

// TestScalarsRoundTrip: every scalar of the outer loops survives.
func TestScalarsRoundTrip(t *testing.T) {
	u := outer{
		started: true, done: true, fixed: true, iota: 0.1, penalty: 4, omega: 0.3, sigma: 0.7,
		epochs: 11, rounds: 3, inner: 2, steps: 5, deltaY: 0.01, deltaS: 0.02, movedY: 0.03, movedG: 0.04, visits: 9,
	}
	packed := u.pack()
	if slices.Contains(packed, 0) {
		t.Fatalf("%d scalars, %v: a field is missing", len(packed), packed)
	}
	var back outer
	back.unpack(packed)
	if again := back.pack(); !slices.Equal(again, packed) {
		t.Errorf("%v came back as %v", packed, again)
	}
}

// TestFirstVisitIsNotTested: the movement of neural outputs is known from the
// second visit on, so the first epoch passes without a test.
func TestFirstVisitIsNotTested(t *testing.T) {
	r := newRig(t, 11, rigSamples, 2, Settings{Loss: LossMSE, Lagrangian: Lagrangian{ProxWeight: 1.25, Stationarity: StationarityMovement, MovementTolerance: 1e9}})
	r.place(rand.New(rand.NewPCG(11, 22)))
	for n, want := range []bool{false, true, true} {
		r.run(t)
		if _, err := r.o.Step(r.w, copied(r.dw)); err != nil {
			t.Fatal(err)
		}
		out, err := r.o.EndEpoch(r.w, 0)
		if err != nil {
			t.Fatal(err)
		}
		if out.Tested != want {
			t.Errorf("epoch %d: tested %v, want %v", n, out.Tested, want)
		}
	}
}

// TestFixedWeights: where w_sy is not learned its gradient is no part of δ.
func TestFixedWeights(t *testing.T) {
	delta := func(fixed bool) float64 {
		r := newRig(t, 12, rigSamples, 1, Settings{Loss: LossMSE, Lagrangian: Lagrangian{ProxWeight: 1.25, EnergyCoefficient: 1}})
		r.place(rand.New(rand.NewPCG(12, 22)))
		r.run(t)
		dw := copied(r.dw)
		if fixed {
			dw = nil
		}
		if _, err := r.o.Step(r.w, dw); err != nil {
			t.Fatal(err)
		}
		out, err := r.o.EndEpoch(r.w, 0)
		if err != nil {
			t.Fatal(err)
		}
		return out.Delta
	}
	if learned, fixed := delta(false), delta(true); !(fixed < learned-1e-3) || fixed <= 0 {
		t.Errorf("δ is %v with and %v without the weights", learned, fixed)
	}
}

// TestPointStepIsCapped: a large penalty shortens the steps on y to what its
// curvature allows, a small one leaves the configured size.
func TestPointStepIsCapped(t *testing.T) {
	r := newRig(t, 13, 2, 2, Settings{Loss: LossMSE, Lagrangian: Lagrangian{ProxWeight: 1.25, PointStep: 0.01}})
	r.place(rand.New(rand.NewPCG(13, 22)))
	r.o.lag().outer.penalty = 1.5
	copy(r.o.lag().multipliers, make([]float64, rigSamples))
	r.run(t)
	if got := r.o.lag().pointStep(0); got != 0.01 {
		t.Errorf("step %v with μ = 1.5", got)
	}
	r.o.lag().outer.penalty = 1e6
	r.run(t)
	if got := r.o.lag().pointStep(0); got >= 1e-3 || got <= 0 || math.IsNaN(got) {
		t.Errorf("step %v with μ = 1e6", got)
	}
}
