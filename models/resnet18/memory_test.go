package resnet18

import (
	"runtime"
	"testing"
)

// TestStepMemory bounds what a training step at batch 64 allocates once it has
// run, and what the network, its optimiser and the graph hold. The maps of the
// forward pass alone, two for each convolution, are 22 MB.
func TestStepMemory(t *testing.T) {
	const steps = 3
	var empty, before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&empty)
	s := newTrainer(t, 64)
	s.step(t)
	s.step(t)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range steps {
		s.step(t)
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / steps; got > 100_000 {
		t.Errorf("a step allocates %d bytes", got)
	}
	// Weights, gradients and two moments are 180 MB.
	t.Logf("%d MB held, %d bytes a step", (before.HeapAlloc-empty.HeapAlloc)/1e6, (after.TotalAlloc-before.TotalAlloc)/steps)
	if got := (before.HeapAlloc - empty.HeapAlloc) / 1e6; got > 240 {
		t.Errorf("a trainer holds %d MB", got)
	}
	runtime.KeepAlive(s)
}
