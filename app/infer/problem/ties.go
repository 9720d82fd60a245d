package problem

import (
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"slices"
)

// tiesNorm is the value of -ties that does not change an instance.
const tiesNorm = "norm"

// Ties are the values of -ties. Where many points are optimal, ε decides for the one that
// is nearest to a point; these choose the point.
var Ties = map[string]func(*lcqp.Instance, *ground.Database) error{
	tiesNorm: func(*lcqp.Instance, *ground.Database) error { return nil },
	"centre": func(in *lcqp.Instance, _ *ground.Database) error {
		return in.SetTies(slices.Repeat([]float64{0.5}, in.Targets))
	},
	"prior": func(in *lcqp.Instance, db *ground.Database) error { return in.SetTies(db.Priors(0.5)) },
}
