package train

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/symbolic/infer"
	"hinge/train/config"
	"hinge/train/learning"
)

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("bug"), 1},
		{&config.UsageError{Key: "loss", Problem: "?"}, 2},
		{&ConfigChangedError{}, 2},
		{&learning.DataError{Err: errors.New("file")}, 3},
		{&nn.DivergedError{}, 3},
		{&infer.InfeasibleError{}, 4},
		{&bilevel.CheckError{}, 5},
		{ErrInterrupted, 130},
	} {
		err := c.err
		if err != nil {
			err = fmt.Errorf("step 3: %w", err)
		}
		assert.Equalf(t, c.want, ExitCode(err), "%T: exit code", c.err)
	}
}
