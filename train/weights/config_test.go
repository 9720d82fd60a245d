package weights_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/train/weights"
)

// The zero values stand for the documented defaults, and what a loss has no use
// for is cleared.
func TestResolve(t *testing.T) {
	got, err := weights.Config{Loss: bilevel.LossMSE}.Resolve()
	want := weights.Config{
		Loss: "mse", Epsilon: 0.01, WeightOptions: optim.WeightOptions{Step: 0.01, MaxNorm: 25}, Epochs: 500, ScoreEvery: 5, Patience: 50, Keep: weights.KeepLast,
		Lagrangian: bilevel.Lagrangian{PointStep: 0.1, InitialPenalty: 2, PenaltyGrowth: 2, InitialMultiplier: 0.1},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("resolved to %+v, %v", got, err)
	}
	if again, err := got.Resolve(); err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("resolved again to %+v, %v", again, err)
	}
	got.Loss = bilevel.LossSP
	got.EnergyCoefficient = 3
	got, err = got.Resolve()
	want = weights.Config{Loss: "sp", Epsilon: 0.01, WeightOptions: optim.WeightOptions{Step: 0.01, MaxNorm: 25}, Epochs: 500, ScoreEvery: 5, Patience: 50, Keep: weights.KeepLast}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("resolved to %+v, %v", got, err)
	}
}

// TestConfigJSON: committed records are found by this text.
func TestConfigJSON(t *testing.T) {
	const common = `"epsilon":0.01,"gap":0.5,"step":0.01,"shrink":true,"max_norm":25,"neglog":0.001,"entropy":1,"l2":2,"epochs":500,"score_every":5,"patience":50,"keep":"last"`
	for loss, rest := range map[bilevel.LossName]string{
		"sp":  ``,
		"bce": `,"prox_weight":0.01,"energy_coefficient":10,"y_step":0.1,"penalty":2,"penalty_growth":2,"multiplier":0.1,"gap_tolerance":0.2`,
	} {
		c, err := weights.Config{
			Loss: loss, Gap: 0.5, WeightOptions: optim.WeightOptions{Shrink: true, Regularizer: optim.Regularizer{NegLog: 1e-3, Entropy: 1, L2: 2}}, Lagrangian: bilevel.Lagrangian{
				ProxWeight: 1e-2, EnergyCoefficient: 10, ConstraintTolerance: 0.2,
			},
		}.Resolve()
		require.NoError(t, err)
		got, err := json.Marshal(c)
		if want := `{"loss":"` + string(loss) + `",` + common + rest + `}`; err != nil || string(got) != want {
			t.Errorf("encoded as %s, %v, want %s", got, err, want)
		}
	}
}

func TestResolveErrors(t *testing.T) {
	for want, change := range map[string]func(*weights.Config){
		`no loss "hinge"`:                    func(c *weights.Config) { c.Loss = "hinge" },
		"Epsilon is -1":                      func(c *weights.Config) { c.Epsilon = -1 },
		"step: NaN is not a finite":          func(c *weights.Config) { c.Step = math.NaN() },
		"step: +Inf is not":                  func(c *weights.Config) { c.Step = math.Inf(1) },
		"Gap is -0.5":                        func(c *weights.Config) { c.Gap = -0.5 },
		"neglog: -1 is not":                  func(c *weights.Config) { c.NegLog = -1 },
		"entropy: NaN is":                    func(c *weights.Config) { c.Entropy = math.NaN() },
		"l2: -2 is":                          func(c *weights.Config) { c.L2 = -2 },
		"y_step: -1 is":                      func(c *weights.Config) { c.PointStep = -1 },
		"penalty_growth: 1 is not above 1":   func(c *weights.Config) { c.PenaltyGrowth = 1 },
		"-5 epochs":                          func(c *weights.Config) { c.Epochs = -5 },
		"score every -1":                     func(c *weights.Config) { c.ScoreEvery = -1 },
		"max_norm: NaN is not a finite":      func(c *weights.Config) { c.MaxNorm = math.NaN() },
		`Keep is "first", want last or best`: func(c *weights.Config) { c.Keep = "first" },
	} {
		c := weights.Config{Loss: bilevel.LossBCE}
		change(&c)
		_, err := c.Resolve()
		assert.ErrorContains(t, err, want)
	}
}
