package resnet18

import (
	"math"
	"runtime"
	"testing"
)

// TestStepMemory bounds what a training step at batch 64 allocates once it has
// run, and what the network, its optimiser and the graph hold. The maps of the
// forward pass alone, two for each convolution, are 22 MB.
func TestStepMemory(t *testing.T) {
	const steps, most = 3, 100_000
	var empty, before, start, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&empty)
	s := newTrainer(t, 64)
	s.step(t)
	s.step(t)
	runtime.GC()
	runtime.ReadMemStats(&before)
	// The least of a few stretches: on a busy machine more goroutines meet, and their
	// stacks and pools count too.
	least := uint64(math.MaxUint64)
	for try := 0; try < 5 && least > most; try++ {
		runtime.ReadMemStats(&start)
		for range steps {
			s.step(t)
		}
		runtime.ReadMemStats(&after)
		least = min(least, (after.TotalAlloc-start.TotalAlloc)/steps)
	}
	if least > most {
		t.Errorf("a step allocates %d bytes", least)
	}
	// Weights, gradients and two moments are 180 MB.
	t.Logf("%d MB held, %d bytes a step", (before.HeapAlloc-empty.HeapAlloc)/1e6, least)
	if got := (before.HeapAlloc - empty.HeapAlloc) / 1e6; got > 240 {
		t.Errorf("a trainer holds %d MB", got)
	}
	runtime.KeepAlive(s)
}
