package mnistadd

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train/traintest"
)

// TestLossesFall: the loss of every system falls along its gradient as it must, from
// an untrained network and through all of it. That of LTN is nearly flat at two digits.
func TestLossesFall(t *testing.T) {
	for _, name := range []string{"energy", "sp", "chain", "deepproblog", "ltn", "cnn"} {
		digits, loss := 2, "energy"
		switch name {
		case "sp", "chain":
			loss = name
		case "ltn":
			digits = 1
		}
		c := Defaults(digits, loss, "best", 12)
		if loss != name && name != "energy" {
			useSystem(&c, name, digits)
		}
		c.Task = fmt.Sprint("mnist-add", digits)
		c.Training.Epochs, c.Training.Steps, c.Training.Batch, c.Training.ValidEvery = 0, 4, 4, 100
		c.Neural.Views, c.Neural.Augment, c.Neural.Samples = 0, "none", min(2, c.Neural.Samples)
		if name != "energy" { // which goes through all of ResNet18
			small(&c)
		}
		m, err := Open(c, digits, "")
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) { traintest.LossFalls(t, m, []int{0, 1, 2, 3}) })
	}
}
