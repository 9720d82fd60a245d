package peaktest

import (
	"testing"
	"time"
)

func TestGFlopsIsPlausible(t *testing.T) {
	got := GFlops(1, 20*time.Millisecond)
	if run(1) == 0 {
		if got != 0 {
			t.Errorf("%v GFLOP/s without a loop to measure", got)
		}
		t.Skip("no measuring loop for this processor")
	}
	if all := GFlops(3, 20*time.Millisecond); all < got/2 || all > 12*got {
		t.Errorf("%v GFLOP/s on one thread and %v on three", got, all)
	}
	// From one 8-wide multiply-add a cycle at 1 GHz to two 16-wide at 8 GHz,
	// leaving room for a loaded machine below, or for an emulated one.
	if got < 0.01 || got > 512 {
		t.Errorf("%v GFLOP/s", got)
	}
}

// The number of operations is proportional to the rounds.
func TestRunCountsOperations(t *testing.T) {
	if one, ten := run(1), run(10); ten != 10*one {
		t.Errorf("10 rounds count %d operations, one %d", ten, one)
	}
}
