package kernel

import "testing"

// The drivers must hold at the panel width of a path this machine may not have.
func TestWidePanels(t *testing.T) {
	defer current.Store(current.Load())
	current.Store(&path{name: "wide", nr: 32})
	rng := newRand(62)
	for i := range 60 {
		randomGemm(rng).run(t, uint64(i))
		runConv[float32](t, randomConv(rng), uint64(i), 1e-5)
	}
	for i, s := range append(resnetShapes, oddShapes...) {
		runConv[float32](t, s, uint64(i), 1e-5)
	}
}
