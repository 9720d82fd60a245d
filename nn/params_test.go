package nn

import (
	"testing"

	"pgregory.net/rapid"
)

// TestAddLive checks the union of ranges against a set of indices.
func TestAddLive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Param[float64]
		var want [40]bool
		for range rapid.IntRange(0, 5).Draw(t, "calls") {
			var more []Range
			for range rapid.IntRange(0, 4).Draw(t, "ranges") {
				from := rapid.IntRange(0, 39).Draw(t, "from")
				r := Range{Lo: from, Hi: rapid.IntRange(from, 40).Draw(t, "to")}
				more = append(more, r)
				for i := r.Lo; i < r.Hi; i++ {
					want[i] = true
				}
			}
			p.addLive(more)
		}
		var got [40]bool
		for i, r := range p.Live {
			if r.Len() <= 0 || i > 0 && r.Lo <= p.Live[i-1].Hi {
				t.Fatalf("ranges %v are empty, unsorted or touch", p.Live)
			}
			for j := r.Lo; j < r.Hi; j++ {
				got[j] = true
			}
		}
		if got != want {
			t.Fatalf("union %v, want %v", got, want)
		}
	})
}
