package bilevel

import "math"

// squaredErrorKind and crossEntropyKind: the paper's bilevel losses differ in d(y, t).
var (
	squaredErrorKind = lagrangianKind(LossMSE, squaredError)
	crossEntropyKind = lagrangianKind(LossBCE, crossEntropy)
)

// lagrangianKind is the kind of the bilevel loss with d(y, t) for its supervised term, which
// returns it and adds its derivative by y.
func lagrangianKind(name LossName, d func(y, t float64, dy *float64) float64) Kind {
	return Kind{
		Name: name, Everywhere: true, Solves: true, Unlabelled: true, Lagrangian: true, Draws: true, Sums: true,
		New: func(o *Objective) (Loss, error) { return newLagrangian(o, d) },
	}
}

// logFloor is where the logarithms of the binary cross entropy go over into
// their tangents: the loss stays finite at y = 0 and 1, and keeps the slope
// that leads away from there.
const logFloor = 1e-4

// negLog is −log x above logFloor and its tangent below, with the derivative.
func negLog(x float64) (value, slope float64) {
	if x < logFloor {
		return 1 - math.Log(logFloor) - x/logFloor, -1 / logFloor
	}
	return -math.Log(x), -1 / x
}

// squaredError adds the derivative of (y − t)² to *dy and returns the value.
func squaredError(y, t float64, dy *float64) float64 {
	*dy += 2 * (y - t)
	return (y - t) * (y - t)
}

// crossEntropy adds the derivative of −t·log y − (1−t)·log(1−y) to *dy and
// returns the value.
func crossEntropy(y, t float64, dy *float64) float64 {
	l1, d1 := negLog(y)
	l0, d0 := negLog(1 - y)
	*dy += t*d1 - (1-t)*d0
	return t*l1 + (1-t)*l0
}
