//go:build long

package traintest

import (
	"testing"

	"hinge/train/config"
)

// TestKilledRunsLong kills 52 runs, 13 of each loss.
func TestKilledRunsLong(t *testing.T) {
	for n, loss := range config.CommonLosses() {
		killRuns(t, loss, 13, uint64(100+n))
	}
}
