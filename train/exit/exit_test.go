package exit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"hinge/train/exit"
)

// Scripts rely on the numbers: they are documented and must not move.
func TestCodes(t *testing.T) {
	for i, c := range []struct{ got, want int }{
		{exit.OK, 0}, {exit.Internal, 1}, {exit.Usage, 2}, {exit.Data, 3}, {exit.Infeasible, 4}, {exit.Unsolved, 5},
		{exit.Interrupted, 128 + 2}, {exit.Terminated, 128 + 15},
	} {
		assert.Equalf(t, c.want, c.got, "code %d", i)
	}
}
