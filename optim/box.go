package optim

// BoxStep takes one projected gradient step on the unit box, y ← clip(y −
// step·grad, 0, 1), and returns the squared distance moved.
func BoxStep(y, grad []float64, step float64) (moved float64) {
	sameLength(y, grad)
	for i, v := range y {
		next := clip01(v - step*grad[i])
		moved += (next - v) * (next - v)
		y[i] = next
	}
	return moved
}

// BoxResidual returns the squared norm of the projected gradient, y − clip(y −
// grad, 0, 1): zero exactly at the first-order stationary points of a problem on
// the unit box.
func BoxResidual(y, grad []float64) float64 {
	sameLength(y, grad)
	sum := 0.0
	for i, v := range y {
		d := v - clip01(v-grad[i])
		sum += d * d
	}
	return sum
}

func clip01(x float64) float64 { return min(max(x, 0), 1) }
