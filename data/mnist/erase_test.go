package mnist

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStroke(t *testing.T) {
	raw := make([]uint8, Pixels)
	for y := 10; y < 13; y++ {
		for x := 10; x < 13; x++ {
			raw[y*Side+x] = 255
		}
	}
	raw[0] = 255 // a corner: its outside neighbours are background
	count := func(share float32) (full, partial int) {
		var p paddedImage
		p.fill(scaled(raw))
		p.stroke(share)
		for y := range Side {
			for x := range Side {
				switch p.at(float32(x), float32(y)) {
				case 0:
				case 1:
					full++
				default:
					partial++
				}
			}
		}
		return full, partial
	}
	for _, c := range []struct {
		share         float32
		full, partial int
	}{{1, 9 + 12 + 3, 0}, {.5, 10, 14}, {-1, 1, 0}, {-.5, 1, 9}} {
		if full, partial := count(c.share); full != c.full || partial != c.partial {
			t.Errorf("share %v: %d full and %d partial pixels, want %d and %d", c.share, full, partial, c.full, c.partial)
		}
	}
}

func TestErase(t *testing.T) {
	const views = 4000
	white := slices.Repeat([]uint8{255}, Pixels)
	a := augmenter(t, Settings{Erase: Erase{Probability: .5, MinArea: .02, MaxArea: .33, MinRatio: .3, MaxRatio: 3.3}})
	x := make([]float32, Pixels)
	erased := 0
	var areas spread
	touched := make([]bool, Pixels)
	for i := range uint64(views) {
		a.Apply(x, white, i, 0)
		blank, top, bottom, left, right := 0, Side, -1, Side, -1
		for k, v := range x {
			if v == 0 {
				blank++
				touched[k] = true
				top, bottom = min(top, k/Side), max(bottom, k/Side)
				left, right = min(left, k%Side), max(right, k%Side)
			}
		}
		if blank == 0 {
			continue
		}
		erased++
		areas.add(float64(blank) / Pixels)
		require.Equalf(t, (bottom-top+1)*(right-left+1), blank, "view %d", i)
	}
	if erased < views/2-160 || erased > views/2+160 { // 5 standard deviations
		t.Errorf("%d of %d images erased, want half", erased, views)
	}
	if areas.lo < .01 || areas.hi > .35 || areas.lo > .03 || areas.hi < .31 {
		t.Errorf("areas %v to %v, want .02 to .33", areas.lo, areas.hi)
	}
	if slices.Contains(touched, false) {
		t.Error("some pixel was never erased")
	}
}
