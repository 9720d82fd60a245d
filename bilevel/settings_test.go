package bilevel

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// TestSettingsDefaults: the zero value is the paper's algorithm with the
// defaults its fields name.
func TestSettingsDefaults(t *testing.T) {
	s, err := Settings{Loss: LossBCE}.resolve()
	require.NoError(t, err)
	for name, pair := range map[string][2]float64{
		"ProxWeight": {s.ProxWeight, 0.01}, "PointStep": {s.PointStep, 1e-2},
		"InitialPenalty": {s.InitialPenalty, 2}, "PenaltyGrowth": {s.PenaltyGrowth, 2},
		"InitialMultiplier": {s.InitialMultiplier, 0}, "EnergyCoefficient": {s.EnergyCoefficient, 0},
		"ConstraintTolerance": {s.ConstraintTolerance, 1e-3}, "MovementTolerance": {s.MovementTolerance, 1e-1},
		"MultiplierFactor": {s.MultiplierFactor, 1},
		"TestEvery":        {float64(s.TestEvery), 1}, "Draws": {float64(s.Draws), 1}, "ConstraintDraws": {float64(s.ConstraintDraws), 1},
	} {
		assert.Equalf(t, pair[1], pair[0], "%s", name)
	}
	if s.Slack != SlackExact || s.Stationarity != StationarityGradient || s.Constraint != ConstraintSample || s.NoFloors || s.StopOnGap || s.Reduction != Mean {
		t.Errorf("not the paper's algorithm: %+v", s)
	}
	again, err := s.resolve()
	if err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("resolved settings change when resolved again: %+v, %v", again, err)
	}
	assert.NoError(t, s.Validate())
	if s, _ = (Settings{Loss: LossMSE, Draws: 7}).resolve(); s.ConstraintDraws != 7 {
		t.Errorf("%d constraint draws of 7", s.ConstraintDraws)
	}
}

// Settings without a range in their tags are checked too: a temperature that is not a number made losses that are none.
func TestSettingsOutOfRange(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	p, err := lcqp.Compile(&hlmrf.Program{})
	require.NoError(t, err)
	problem := Problem{Template: p, Samples: 1, Label: func(int, *lcqp.Instance) error { return nil }}
	for _, s := range []Settings{
		{Draws: -1}, {Factor: nan}, {Factor: inf}, {Reduction: Sum + 1}, {Value: Options{DrawTemperature: nan}},
		{Value: Options{DrawTemperature: inf}}, {Value: Options{DrawTemperature: -1}},
	} {
		s.Loss = LossEnergy
		_, err := NewObjective(problem, s)
		assert.ErrorContainsf(t, err, "bilevel: ", "%+v", s)
	}
	_, err = New(p, 1, Options{Draws: -1})
	assert.ErrorContains(t, err, "-1 draws")
}
