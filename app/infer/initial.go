package infer

import (
	"math"
	"math/rand/v2"

	"hinge/symbolic/infer"
)

// initial are the values of inference.initialvalue, RANDOM where the model does not
// say, and for ATOM, since values of targets are not read.
func (j *job) initial() []float64 {
	rng := rand.New(rand.NewPCG(j.m.Options.Seed, 0))
	y := make([]float64, j.instance.Targets)
	for i := range y {
		switch j.m.Options.InitialValue {
		case "ZERO":
		case "ONE":
			y[i] = 1
		case "HALF":
			y[i] = 0.5
		default:
			y[i] = rng.Float64()
		}
	}
	return y
}

// start is where a method begins that does not end with the optimum; nil where the
// model does not say, or it does not matter.
func (j *job) start() *infer.Warm {
	if j.m.Options.InitialValue == "" || isExact(j.name) {
		return nil
	}
	return &infer.Warm{Y: j.initial()}
}

// skip takes the initial values for the answer (inference.skip).
func (j *job) skip() error {
	r := &j.result
	r.Solution.Resize(j.instance.Template)
	copy(r.Y, j.initial())
	r.Status, r.Energy, r.MaxViolation = infer.NotRun, j.program.Energy(r.Y, j.outputs, j.instance.Weights), j.program.Violation(r.Y, j.outputs)
	r.PrimalValue, r.DualValue, r.TotalGap = math.NaN(), math.NaN(), math.NaN()
	r.Components = make([]infer.ComponentResult, len(j.instance.Components))
	return nil
}
