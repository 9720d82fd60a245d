//go:build long && linux

package mnistadd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/record"
)

// memory measures resident memory after step 50 and after every hundredth.
type memory struct {
	stopAfter
	sizes []int
}

func (m *memory) Step(step int, _ record.Metric) {
	if step != 50 && step%100 != 0 {
		return
	}
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	var size, pages int
	if _, err := fmt.Sscan(string(data), &size, &pages); err == nil {
		m.sizes = append(m.sizes, pages*os.Getpagesize()>>10)
	}
}

// TestNothingLeaks trains the real model 1,000 steps with the loss that keeps
// most: resident memory stays within 2 % of what it was after 50 steps, and no
// goroutine is left over.
func TestNothingLeaks(t *testing.T) {
	c := Defaults(1, "bce", "best", 40)
	c.Task = "mnist-add1"
	c.Training.Batch, c.Training.Steps, c.Training.Epochs, c.Training.ValidEvery = 4, 1000, 0, 1000
	c.Training.MoreTest, c.Neural.Views = false, 0
	c.Neural.Samples, c.Bilevel.ConstraintDraws = 2, 1
	model, err := Open(c, 1, "")
	require.NoError(t, err)
	before := runtime.NumGoroutine()
	m := new(memory)
	_, err = train.Run(context.Background(), c, model, train.Options{Dir: filepath.Join(t.TempDir(), "run"), Observer: m})
	require.NoError(t, err)
	time.Sleep(100 * time.Millisecond) // goroutines that have done their work may still be ending
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
	require.Lenf(t, m.sizes, 11, "sizes %v", m.sizes)
	for _, size := range m.sizes {
		if d := float64(size-m.sizes[0]) / float64(m.sizes[0]); d > 0.02 {
			t.Errorf("resident memory rose by %.1f %%: %v KiB", 100*d, m.sizes)
			break
		}
	}
	t.Logf("resident %v KiB", m.sizes)
}
