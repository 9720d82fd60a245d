package mnist

import (
	"math"
	"testing"
)

// The field is the smoothed noise written out: the noise in a mirrored frame, summed
// under a two-dimensional Gaussian of 8σ + 1 taps an axis.
func TestNoiseIsSmoothed(t *testing.T) {
	for _, n := range []Noise{{Alpha: 125, Sigma: 5}, {Alpha: 30, Sigma: .5}, {Alpha: 60, Sigma: 6.5}} {
		g := newGenerator(1, 2, 3)
		var got square
		n.smoothing().draw(&g, &got)

		g = newGenerator(1, 2, 3)
		var noise [Side][Side]float64
		for y := range noise {
			for x := range noise[y] {
				noise[y][x] = float64(int32(g.Uint64()>>32)) / (1 << 31)
			}
		}
		mirror := func(i int) int {
			period := 2 * (Side - 1)
			i = (i%period + period) % period
			return min(i, period-i)
		}
		taps := int(8*n.Sigma + 1)
		if taps%2 == 0 {
			taps++
		}
		for _, at := range [][2]int{{0, 0}, {27, 3}, {13, 14}, {5, 26}} {
			sum, total := 0.0, 0.0
			for i := -(taps / 2); i <= taps/2; i++ {
				for j := -(taps / 2); j <= taps/2; j++ {
					w := math.Exp(-float64(i*i+j*j) / (2 * n.Sigma * n.Sigma))
					sum += w * noise[mirror(at[0]+i)][mirror(at[1]+j)]
					total += w
				}
			}
			want := n.Alpha / 2 * sum / total
			if d := math.Abs(float64(got[at[0]][at[1]]) - want); d > 1e-4 {
				t.Errorf("%+v at %v: %v, want %v", n, at, got[at[0]][at[1]], want)
			}
		}
	}
}

// The displacement in the middle of the image is as long as documented, on both axes,
// which are independent.
func TestNoiseStrength(t *testing.T) {
	n := Noise{Alpha: 125, Sigma: 5}
	s := n.smoothing()
	const fields = 3000
	var uu, vv, uv float64
	for k := range uint64(fields) {
		g := newGenerator(5, k, 0)
		var f noiseField
		f.draw(&g, s)
		u, v := float64(f.u[14][14]), float64(f.v[14][14])
		uu, vv, uv = uu+u*u, vv+v*v, uv+u*v
	}
	want := n.Alpha / (4 * n.Sigma * math.Sqrt(3*math.Pi))
	for _, got := range []float64{math.Sqrt(uu / fields), math.Sqrt(vv / fields)} {
		if math.Abs(got/want-1) > .06 { // its standard error is 1.3 %
			t.Errorf("%.3f pixels in the middle, want about %.3f", got, want)
		}
	}
	if c := uv / math.Sqrt(uu*vv); math.Abs(c) > .08 {
		t.Errorf("the axes are correlated by %.3f", c)
	}
}
