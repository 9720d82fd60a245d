package config

import (
	"cmp"

	"hinge/bilevel"
	"hinge/optim"
)

// Defaults returns settings that any task can begin with, for the choice that a Task
// is given: 20 epochs of batches of 10 with Adam, a cosine and averaged weights; cold
// draws and their soft minimum, as docs/LEARNING.md has them, for losses that take draws;
// rule weights that stay as they are written.
func Defaults(choice Config) Config {
	c := Config{
		Task: choice.Task, Loss: cmp.Or(choice.Loss, "energy"), Recipe: cmp.Or(choice.Recipe, "best"), System: "neupsl",
		Training: Training{Batch: 10, Epochs: 20, ValidEvery: 100, Keep: 2},
		Neural: Neural{
			LearningRate: 2e-3, Schedule: "cosine", ClipNorm: 3, Average: 0.99,
			Samples: 32, DrawTemperature: 0.2, TemperatureStart: 0.3, TemperatureMin: 0.25, TestTemperature: 1,
			Augment: "none", Pretrain: "none",
		},
		Symbolic: Symbolic{Solver: "auto", Epsilon: 1e-3, Gap: 1e-6, WeightOptions: optim.WeightOptions{Step: 1e-2, Regularizer: optim.Regularizer{NegLog: 1e-3}}, FreezeRules: true},
		Bilevel: bilevel.Lagrangian{
			ProxWeight: 1e-2, EnergyCoefficient: 10, PointStep: 1e-2, ConstraintDraws: 1, InitialMultiplier: 0.1, TestEvery: 5,
			Stationarity: bilevel.StationarityMovement,
		},
	}
	if kind := c.LossKind(); kind.Solves && !kind.Draws {
		c.Neural.Samples = 0
	}
	if c.Loss == string(bilevel.LossAnswer) {
		c.Neural.DrawTemperature = 0
	}
	return c
}
