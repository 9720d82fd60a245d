package peaktest

import (
	"testing"
	"time"
)

// Where there is a loop to measure, it is measured on any number of threads; elsewhere the peak is 0.
func TestGFlops(t *testing.T) {
	for _, threads := range []int{1, 3} {
		if got := GFlops(threads, 20*time.Millisecond); got > 0 != (run(1) > 0) {
			t.Errorf("%v GFLOP/s on %d threads, with %d operations a round", got, threads, run(1))
		}
	}
}

// The number of operations is proportional to the rounds.
func TestRunCountsOperations(t *testing.T) {
	if one, ten := run(1), run(10); ten != 10*one {
		t.Errorf("10 rounds count %d operations, one %d", ten, one)
	}
}
