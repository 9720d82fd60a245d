package mnistadd

import (
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/optim"
	"hinge/train"
)

// falls takes short steps along the gradient of one batch, without noise, and tells
// how much of the first-order fall ‖∇L‖·length of the loss each brings. The first
// has to bring most of it, for the gradient is of this loss and of this size, and
// every one a part.
func falls(t *testing.T, name string, m train.Model) {
	t.Helper()
	const length = 0.01
	var losses, shares []float64
	due := 0.0
	for range 5 {
		work, err := m.Gradient(train.Step{Temperature: 1}, []int{0, 1, 2, 3})
		require.NoError(t, err)
		if n := len(losses); n > 0 {
			shares = append(shares, (losses[n-1]-work.Loss)/due)
		}
		losses = append(losses, work.Loss)
		norm := optim.GradNorm(m.Params())
		due = length * norm
		for _, p := range m.Params() {
			for i, g := range p.Grad {
				p.Value[i] -= length / float32(norm) * g
			}
		}
	}
	for k, share := range shares {
		if !(share > 0.1 && share < 1.1) || k == 0 && share < 0.5 {
			t.Errorf("%s: losses %.6v, shares %.3v of the first-order fall", name, losses, shares)
			break
		}
	}
}

// TestLossesFall: the loss of every system falls along its gradient as it must, from
// an untrained network and through all of it.
func TestLossesFall(t *testing.T) {
	const digits = 2
	for _, name := range []string{"energy", "sp", "chain", "deepproblog", "ltn", "cnn"} {
		c := Defaults(digits, "energy", "best", 12)
		switch name {
		case "energy":
		case "sp", "chain":
			c = Defaults(digits, name, "best", 12)
		default:
			UseSystem(&c, name, digits)
		}
		c.Task = "mnist-add2"
		c.Training.Epochs, c.Training.Steps, c.Training.Batch, c.Training.ValidEvery = 0, 4, 4, 100
		c.Neural.Views, c.Neural.Augment, c.Neural.Samples = 0, "none", min(2, c.Neural.Samples)
		if name != "energy" { // which goes through all of ResNet18
			small(&c)
		}
		m, err := Open(c, digits, "")
		require.NoError(t, err)
		falls(t, name, m)
	}
}
