//go:build long && linux

package traintest

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/config"
)

// resident returns the resident memory of the process in KiB, after giving back
// what the garbage collector holds.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var size, pages int
	_, err = fmt.Sscan(string(data), &size, &pages)
	require.NoError(t, err)
	return pages * os.Getpagesize() >> 10
}

// TestNothingLeaks trains 1,000 steps with each loss: resident memory stays
// within 2 % of what it was after 50 steps, and no goroutine is left over.
func TestNothingLeaks(t *testing.T) {
	// Pages of the program file, read in as code first runs, are not a leak, but
	// count in a process this small: run everything once.
	for _, loss := range config.CommonLosses() {
		c := Config(loss, 300)
		m, err := New(c)
		require.NoError(t, err)
		Run(t, c, m, train.Options{Dir: t.TempDir()})
	}
	for _, loss := range config.CommonLosses() {
		c := Config(loss, 1000)
		c.Training.ValidEvery, c.Training.CheckpointEvery = 50, 200
		m, err := New(c)
		require.NoError(t, err)
		before := runtime.NumGoroutine()
		var sizes []int
		Run(t, c, m, train.Options{Dir: t.TempDir(), Observer: Observer{OnStep: func(step int) {
			if step == 50 || step%100 == 0 {
				sizes = append(sizes, resident(t))
			}
		}}})
		time.Sleep(50 * time.Millisecond) // goroutines that have done their work may still be ending
		if after := runtime.NumGoroutine(); after > before {
			buf := make([]byte, 1<<16)
			t.Errorf("%s: %d goroutines before, %d after:\n%s", loss, before, after, buf[:runtime.Stack(buf, true)])
		}
		for _, size := range sizes {
			if d := float64(size-sizes[0]) / float64(sizes[0]); d > 0.02 {
				t.Errorf("%s: resident memory rose by %.1f %%: %v", loss, 100*d, sizes)
				break
			}
		}
		t.Logf("%s: resident %d KiB after 50 steps, %d after 1,000", loss, sizes[0], sizes[len(sizes)-1])
	}
}
