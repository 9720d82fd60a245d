package mnistadd

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/train/config"
)

// TestPaperObjective: the recipe "paper" has the reference engine's settings,
// in the paper's units.
func TestPaperObjective(t *testing.T) {
	for digits, rho := range map[int]float64{1: 50, 2: 500} {
		c := Defaults(digits, "bce", "paper", 300/digits)
		s, err := c.Objective()
		require.NoError(t, err)
		assert.InDeltaf(t, rho, bilevel.Rho(s.ProxWeight), 1e-9, "Add%d", digits)
		if s.Constraint != bilevel.ConstraintBatch || s.Slack != bilevel.SlackNone || s.Stationarity != bilevel.StationarityMovement ||
			s.MultiplierFactor != 2 || !s.NoFloors || !s.StopOnGap || s.TestEvery != 5 {
			t.Errorf("Add%d: not the reference engine's algorithm: %+v", digits, s)
		}
		if s.EnergyCoefficient != 10 || s.PointStep != 1e-3 || s.InitialPenalty != 2 || s.InitialMultiplier != 0.1 ||
			s.ConstraintTolerance != 1e-3 || s.MovementTolerance != 0.1 || s.Value.Epsilon != 1e-3 || s.Regularizer.NegLog != 1e-3 {
			t.Errorf("Add%d: not the published values: %+v", digits, s)
		}
		assert.NoError(t, c.Validate())
		if !c.Training.FixedBatches || s.Reduction != bilevel.Sum {
			t.Errorf("fixed batches %v, sum %v", c.Training.FixedBatches, s.Reduction)
		}
	}
	assert.Equal(t, 1e-4, Defaults(2, "bce", "paper", 150).Neural.LearningRate, "learning rate of Add2 with cross entropy")
}

func TestDefaultsAreValid(t *testing.T) {
	for digits := 1; digits <= 2; digits++ {
		for _, recipe := range []string{"best", "paper"} {
			for _, loss := range config.CommonLosses() {
				for _, size := range []int{150, 300, 3000} {
					c := Defaults(digits, loss, recipe, size)
					assert.NoErrorf(t, c.Validate(), "Add%d %s %s %d", digits, loss, recipe, size)
				}
			}
		}
	}
}

// The recipe "paper" learns from all additions of the sizes of the table, and from
// nearly all of others.
func TestPaperBatches(t *testing.T) {
	for additions, want := range map[int]int{150: 30, 300: 30, 1500: 30, 3000: 30, 12500: 25, 25000: 25, 20: 20, 33: 32, 64: 32, 37: 18} {
		c := Defaults(2, "energy", "paper", additions)
		assert.Equalf(t, want, c.Training.Batch, "%d additions: batches", additions)
		batches := c.Batches(additions, 3)
		if seen := len(batches) * want; additions-seen > 1 {
			t.Errorf("%d of %d additions are learned from", seen, additions)
		}
		if c.Training.Patience != 55*len(batches)-1 || c.Training.ValidEvery != 5*len(batches) {
			t.Errorf("%d additions: %d batches an epoch, patience %d and validation every %d steps",
				additions, len(batches), c.Training.Patience, c.Training.ValidEvery)
		}
	}
}

// TestRulesLearn: the recipe "best" learns rule weights by Energy, with a step that moves
// them; a file and a flag can freeze them.
func TestRulesLearn(t *testing.T) {
	for _, loss := range append(config.CommonLosses(), ChainLoss) {
		c := Defaults(2, loss, "best", 150)
		s := &c.Symbolic
		if s.FreezeRules != (loss != "energy") {
			t.Errorf("%s: frozen %v", loss, s.FreezeRules)
		}
		if s.FreezeRules {
			continue
		}
		step := optim.WeightStep{WeightOptions: s.WeightOptions}
		w := []float64{0.5, 0.5} // a rule that is broken by one on every third addition, and one that never is
		for range 1000 {
			require.NoError(t, step.Update(w, []float64{1. / 3, 0}, 0))
		}
		require.Equal(t, []float64{0.5, 0.5}, w)
		for range 1000 { // on every addition: it comes to rest where λ/w₀ − 1 = λ/w₁
			require.NoError(t, step.Update(w, []float64{1, 0}, 0))
		}
		require.InDelta(t, s.NegLog/w[0]-1, s.NegLog/w[1], 1e-6)
		require.NoError(t, c.Set("symbolic.freeze-rules", true))
		require.NoError(t, c.Validate())
	}
}
