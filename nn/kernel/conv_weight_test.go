package kernel

import "testing"

// Dead taps are left as they were, live ones overwritten whatever they held.
func TestBackwardWeightLeavesDeadTaps(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, s := range []ConvShape{
			{N: 5, H: 1, W: 1, InC: 20, OutC: 19, K: 3, Stride: 1, Pad: 1},
			{N: 5, H: 2, W: 2, InC: 16, OutC: 32, K: 3, Stride: 2, Pad: 1},
			{N: 2, H: 1, W: 3, InC: 7, OutC: 9, K: 5, Stride: 1, Pad: 2},
		} {
			rng := newRand(91)
			x, dy := normals[float32](rng, s.InLen()), normals[float32](rng, s.OutLen())
			dw := make([]float32, s.WeightLen())
			for i := range dw {
				dw[i] = canary
			}
			NewConv[float32](s).BackwardWeight(x, dy, dw)
			_, _, want := refConv{s}.all(to64(x), make([]float64, len(dw)), to64(dy))
			at := 0
			for _, r := range append(s.LiveRanges(), Range{len(dw), len(dw)}) {
				for ; at < r.Lo; at++ {
					if dw[at] != canary {
						t.Fatalf("%+v: dead weight %d overwritten with %v", s, at, dw[at])
					}
				}
				near(t, label("%+v", s), dw[r.Lo:r.Hi], want[r.Lo:r.Hi], 1e-5)
				at = r.Hi
			}
		}
	})
}

func TestSliceCutsByOutputRow(t *testing.T) {
	ents := []entry{{7, 0}, {1, 4}, {3, 8}, {2, 20}}
	for _, c := range []struct{ from, to, first, n int }{
		{0, 4, 0, 1}, {0, 5, 0, 2}, {4, 8, 1, 1}, {8, 100, 2, 2}, {9, 20, 3, 0}, {21, 40, 4, 0},
	} {
		got := slice(ents, c.from, c.to)
		if len(got) != c.n || c.n > 0 && got[0] != ents[c.first] {
			t.Errorf("rows [%d, %d): %v", c.from, c.to, got)
		}
	}
}

// Slices taken in steps cover every entry once, also when the batch is larger
// than a slice should be.
func TestGradStepsCoverAllRows(t *testing.T) {
	for _, n := range []int{1, 3, 64, 1000, gradRows, gradRows + 1, 5000} {
		c := NewConv[float32](ConvShape{N: n, H: 3, W: 3, InC: 5, OutC: 1, K: 3, Stride: 1, Pad: 1})
		if c.gradStep()%n != 0 || c.gradStep() > max(n, gradRows) {
			t.Errorf("batch %d: steps of %d rows", n, c.gradStep())
		}
		for tap, ents := range c.grad {
			total := 0
			for from := 0; from < 9*n; from += c.gradStep() {
				total += len(slice(ents, from, from+c.gradStep()))
			}
			if total != len(ents) {
				t.Errorf("batch %d, tap %d: %d of %d entries", n, tap, total, len(ents))
			}
		}
	}
}
