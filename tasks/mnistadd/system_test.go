package mnistadd

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/train/config"
)

// The other systems have the recipes' settings except for what is NeuPSL's alone.
func TestUseSystem(t *testing.T) {
	for _, system := range []string{"deepproblog", "ltn", "cnn"} {
		best, paper := Defaults(2, "energy", "best", 150), Defaults(2, "energy", "paper", 150)
		useSystem(&best, system, 2)
		useSystem(&paper, system, 2)
		for _, c := range []config.Config{best, paper} {
			assert.NoErrorf(t, c.Validate(), "%s, %s", system, c.Recipe)
			if c.Neural.Samples != 0 || c.Neural.NoisyTest {
				t.Errorf("%s, %s: Gumbel noise or a latent problem", system, c.Recipe)
			}
		}
		if ramp := best.Neural.AugmentRamp > 0; ramp != (system == "ltn") {
			t.Errorf("%s: the distortion grows over %v of the run", system, best.Neural.AugmentRamp)
		}
		if n := paper.Neural; n.Channels != 3 || n.Pretrain != "simclr" || n.Augment != "none" {
			t.Errorf("%s, paper: %d channels, pre-training %q, augmentation %q", system, n.Channels, n.Pretrain, n.Augment)
		}
		// A schedule over the run is one over all of it.
		if whole := paper.Training.Patience == 0 && paper.Neural.WeightDecay == 0; whole != (system == "ltn") {
			t.Errorf("%s, paper: patience %d, weight decay %v", system, paper.Training.Patience, paper.Neural.WeightDecay)
		}
	}
}

// LTN's own budget with the recipe "paper" is in epochs, fewer where they are longer,
// and of smaller steps.
func TestUseSystemLTNBudget(t *testing.T) {
	type budget struct {
		epochs int
		step   float64
	}
	for additions, want := range map[int]budget{150: {100, 1e-3}, 1500: {20, 1e-4}} {
		c := Defaults(2, "energy", "paper", additions)
		useSystem(&c, "ltn", 2)
		if got := (budget{c.Training.Epochs, c.Neural.LearningRate}); got != want {
			t.Errorf("%d additions: %v, want %v", additions, got, want)
		}
	}
}
