package mnist

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func augmenter(t testing.TB, s Settings) *Augmenter {
	t.Helper()
	a, err := NewAugmenter(s, 42)
	require.NoError(t, err)
	return a
}

// blob is a soft disc of radius 6 with a brighter quarter, inside the image
// under every distortion used here.
func blob() []uint8 {
	raw := make([]uint8, Pixels)
	for y := range Side {
		for x := range Side {
			dx, dy := float64(x)-center, float64(y)-center
			v := 120 * math.Max(0, math.Min(1, 6-math.Hypot(dx, dy)))
			if dx > 0 && dy > 0 {
				v *= 2
			}
			raw[y*Side+x] = uint8(v)
		}
	}
	return raw
}

func TestNoSettingsNoChange(t *testing.T) {
	p, err := NewPart(blob(), []uint8{0})
	require.NoError(t, err)
	want, got := make([]float32, Pixels), make([]float32, Pixels)
	p.Image(want, 0)
	augmenter(t, Settings{}).Apply(got, p.Raw(0), 5, 6)
	for i := range want {
		if math.Abs(float64(got[i]-want[i])) > 1e-5 {
			t.Fatalf("pixel %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// all has every kind of distortion.
func all() Settings {
	s := Strong()
	s.Erase = SimCLR().Erase
	s.Erase.Probability = .5
	s.Noise = Noise{Alpha: 80, Sigma: 4}
	return s
}

func TestAugmentIsAFunctionOfItsCounters(t *testing.T) {
	const views = 64
	raw := blob()
	a := augmenter(t, all())
	one := make([][]float32, views)
	for i := range one {
		one[i] = make([]float32, Pixels)
		a.Apply(one[i], raw, 9, uint64(i))
	}
	// Again, backwards, on a second Augmenter, by many goroutines, over old
	// contents.
	b := augmenter(t, all())
	var wg sync.WaitGroup
	for i := views - 1; i >= 0; i-- {
		wg.Go(func() {
			got := slices.Repeat([]float32{7}, Pixels)
			b.Apply(got, raw, 9, uint64(i))
			assert.Equalf(t, one[i], got, "view %d differs", i)
		})
	}
	wg.Wait()
}

func TestAugmentDependsOnEveryCounter(t *testing.T) {
	raw := blob()
	seen := map[[Pixels]float32]bool{}
	n := 0
	for _, seed := range []uint64{0, 1, 1 << 63} {
		a, err := NewAugmenter(Light(), seed)
		require.NoError(t, err)
		for step := range uint64(20) {
			for position := range uint64(20) {
				var x [Pixels]float32
				a.Apply(x[:], raw, step, position)
				seen[x] = true
				n++
			}
		}
	}
	assert.Equal(t, n, len(seen))
}

// moments returns the mass, the centre and the second central moments.
func moments(x []float32) (mass, cx, cy, sxx, sxy, syy float64) {
	for i, v := range x {
		mass += float64(v)
		cx += float64(v) * float64(i%Side)
		cy += float64(v) * float64(i/Side)
	}
	cx, cy = cx/mass, cy/mass
	for i, v := range x {
		dx, dy := float64(i%Side)-cx, float64(i/Side)-cy
		sxx += float64(v) * dx * dx / mass
		sxy += float64(v) * dx * dy / mass
		syy += float64(v) * dy * dy / mass
	}
	return mass, cx, cy, sxx, sxy, syy
}

// spread collects the least, the largest and the mean square of a quantity.
type spread struct {
	lo, hi, squares float64
	n               int
}

func (s *spread) add(v float64) {
	if s.n == 0 {
		s.lo, s.hi = v, v
	}
	s.lo, s.hi = min(s.lo, v), max(s.hi, v)
	s.squares += v * v
	s.n++
}

// uniform fails unless the values look uniform on [lo, hi].
func (s *spread) uniform(t *testing.T, what string, lo, hi float64) {
	t.Helper()
	width := hi - lo
	square := (hi*hi*hi - lo*lo*lo) / (3 * width)
	if math.Abs(s.lo-lo) > .05*width || math.Abs(s.hi-hi) > .05*width || math.Abs(s.squares/float64(s.n)/square-1) > .06 {
		t.Errorf("%s in [%v, %v] with mean square %v, want [%v, %v] and %v",
			what, s.lo, s.hi, s.squares/float64(s.n), lo, hi, square)
	}
}

// Each setting alone does what it says, over its whole range, and nothing else.
func TestEachAffineSetting(t *testing.T) {
	const views = 3000
	disc, bar := make([]uint8, Pixels), make([]uint8, Pixels)
	for y := range Side {
		for x := range Side {
			dx, dy := float64(x)-center, float64(y)-center
			disc[y*Side+x] = uint8(255 * math.Exp(-(dx*dx+dy*dy)/18))
			bar[y*Side+x] = uint8(255 * math.Exp(-dx*dx/18-dy*dy/4))
		}
	}
	identity := make([]float32, Pixels)
	each := func(s Settings, raw []uint8, f func(x []float32)) {
		a := augmenter(t, s)
		x := make([]float32, Pixels)
		for i := range uint64(views) {
			a.Apply(x, raw, 1, i)
			f(x)
		}
	}
	augmenter(t, Settings{}).Apply(identity, disc, 0, 0)
	_, _, _, sxx, _, syy := moments(identity)

	var dx, dy, angle, turned, scale, stretch, shear spread
	each(Settings{Shift: 2}, disc, func(x []float32) {
		_, cx, cy, _, _, _ := moments(x)
		dx.add(cx - center)
		dy.add(cy - center)
	})
	dx.uniform(t, "horizontal shift", -2, 2)
	dy.uniform(t, "vertical shift", -2, 2)

	direction := func(x []float32) float64 {
		_, _, _, xx, xy, yy := moments(x)
		return math.Atan2(2*xy, xx-yy) / 2 * 180 / math.Pi
	}
	each(Settings{Rotation: 15}, bar, func(x []float32) { angle.add(direction(x)) })
	angle.uniform(t, "rotation", -15, 15)
	each(Settings{Rotation: 20, Turn: 30}, bar, func(x []float32) { turned.add(direction(x)) })
	turned.uniform(t, "rotation about a mean of 30", 10, 50)

	each(Settings{Scale: .15}, disc, func(x []float32) {
		_, _, _, xx, _, yy := moments(x)
		scale.add(math.Sqrt(xx/sxx) - 1)
		if math.Abs(xx/yy-1) > .02 {
			t.Fatalf("scale changes the aspect: %v, %v", xx, yy)
		}
	})
	scale.uniform(t, "scale", -.15, .15)
	each(Settings{Stretch: .1}, disc, func(x []float32) {
		_, _, _, xx, _, yy := moments(x)
		stretch.add(math.Sqrt(xx/sxx) - 1)
		if math.Abs(yy/syy-1) > .02 {
			t.Fatalf("stretch changes the height: %v, %v", yy, syy)
		}
	})
	stretch.uniform(t, "stretch", -.1, .1)
	each(Settings{Shear: .15}, disc, func(x []float32) {
		_, _, _, _, xy, yy := moments(x)
		shear.add(xy / yy)
	})
	shear.uniform(t, "shear", -.15, .15)
}

func TestElasticFieldStrengthAndSmoothness(t *testing.T) {
	const fields, rms = 4000, 0.7
	var u, v, step float64
	for k := range uint64(fields) {
		g := newGenerator(3, k, 0)
		var f elasticField
		f.draw(&g, rms)
		for y := range Side {
			var r row
			f.displace(&r, y)
			lastU := float32(0)
			for x := range Side {
				du, dv := r.u[x], r.v[x]
				u += float64(du) * float64(du)
				v += float64(dv) * float64(dv)
				if x > 0 {
					step = max(step, math.Abs(float64(du-lastU)))
				}
				lastU = du
			}
		}
	}
	n := float64(fields * Pixels)
	if a, b := math.Sqrt(u/n), math.Sqrt(v/n); math.Abs(a/rms-1) > .01 || math.Abs(b/rms-1) > .01 {
		t.Errorf("root mean square displacement %.4f, %.4f, want %v", a, b, rms)
	}
	// The slope of a cubic B-spline is at most the largest difference of
	// neighbouring control values over their distance: below 8 deviations here.
	if limit := 8 * rms * controlGain / knot; step > limit {
		t.Errorf("neighbouring pixels are moved %v pixels apart, want at most %v", step, limit)
	}
}

// at is the interpolation of the image at one place.
func (p *paddedImage) at(u, v float32) float32 {
	var r row
	var out [Side]float32
	r.u[5], r.v[5] = u, v
	p.sample(out[:], &r)
	return out[5]
}

// sample agrees with bilinear interpolation written out.
func TestBilinearSampling(t *testing.T) {
	raw := blob()
	var p paddedImage
	p.fill(scaled(raw))
	pixel := func(x, y int) float64 {
		if x < 0 || y < 0 || x >= Side || y >= Side {
			return 0
		}
		return float64(intensity[raw[y*Side+x]])
	}
	g := newGenerator(1, 2, 3)
	for range 20000 {
		u, v := float32(g.symmetric(25)+center), float32(g.symmetric(25)+center)
		x, y := math.Floor(float64(u)), math.Floor(float64(v))
		fx, fy := float64(u)-x, float64(v)-y
		i, j := int(x), int(y)
		want := (1-fy)*((1-fx)*pixel(i, j)+fx*pixel(i+1, j)) + fy*((1-fx)*pixel(i, j+1)+fx*pixel(i+1, j+1))
		if got := p.at(u, v); math.Abs(float64(got)-want) > 1e-5 {
			t.Fatalf("at (%v, %v): %v, want %v", u, v, got, want)
		}
	}
	if got := p.at(float32(math.NaN()), float32(math.Inf(1))); got != 0 {
		t.Errorf("nowhere is %v, want background", got)
	}
}

func TestScaled(t *testing.T) {
	half := all().Scaled(.5)
	if want := (Settings{Rotation: 10, Shift: 1, Scale: .1, Stretch: .05, Shear: .1, Elastic: .3, Noise: Noise{Alpha: 40, Sigma: 4}, Stroke: .4,
		Erase: Erase{Probability: .25, MinArea: .02, MaxArea: .33, MinRatio: .3, MaxRatio: 3.3}}); half != want {
		t.Errorf("half of it is %+v, want %+v", half, want)
	}
	if got := Light().Scaled(0); got != (Settings{}) {
		t.Errorf("nothing of it is %+v", got)
	}
}

func TestNewAugmenterNamesTheSetting(t *testing.T) {
	for name, s := range map[string]Settings{
		"Rotation": {Rotation: 181}, "Turn": {Turn: math.NaN()}, "Shift": {Shift: -1}, "Scale": {Scale: 1},
		"Stretch": {Stretch: 1}, "Shear": {Shear: math.Inf(1)}, "Elastic": {Elastic: -.1}, "Stroke": {Stroke: 1.1},
		"Alpha": {Noise: Noise{Alpha: -1, Sigma: 5}}, "Sigma": {Noise: Noise{Alpha: 1, Sigma: 7}},
		"Probability": {Erase: Erase{Probability: 2}}, "MinArea": {Erase: Erase{Probability: 1, MinArea: .5, MaxArea: .4}},
		"MinRatio": {Erase: Erase{Probability: 1, MaxRatio: 1}},
	} {
		if _, err := NewAugmenter(s, 0); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%+v: error %v does not name %s", s, err, name)
		}
	}
}

func TestAugmentAllocatesNothing(t *testing.T) {
	raw, x := blob(), make([]float32, Pixels)
	a := augmenter(t, all())
	if n := testing.AllocsPerRun(100, func() { a.Apply(x, raw, 1, 2) }); n != 0 {
		t.Errorf("%v allocations an image", n)
	}
}

func BenchmarkAugment(b *testing.B) {
	raw, dst := blob(), make([]float32, Pixels)
	for name, s := range map[string]Settings{"light": Light(), "strong": Strong(), "simclr": SimCLR()} {
		b.Run(name, func(b *testing.B) {
			a := augmenter(b, s)
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i++ {
				a.Apply(dst, raw, 3, i)
			}
		})
	}
}

// TestRamped: the distortion grows with the run up to its full strength.
func TestRamped(t *testing.T) {
	aug, err := NewAugmenter(Named("light"), 1)
	require.NoError(t, err)
	for _, c := range []struct{ ramp, progress, want float64 }{
		{0, 0, 15}, {.5, 0, 0}, {.5, .25, 7.5}, {.5, .5, 15}, {.5, 1, 15},
	} {
		got, err := aug.Ramped(c.progress, c.ramp)
		if err != nil || got.settings.Rotation != c.want || got.seed != aug.seed {
			t.Errorf("%+v: %+v (%v)", c, got, err)
		}
	}
	viewer, err := NewViewer(Light(), 1, 7)
	require.NoError(t, err)
	viewer, err = viewer.Ramped(.5, 1)
	require.NoError(t, err)
	var views [2][Pixels]float32
	for position := range views {
		viewer.Apply(views[position][:], blob(), 3, uint64(position))
	}
	assert.Equal(t, views[0], views[1], "a viewer's view does not depend on positions")
	if got, err := (*Augmenter)(nil).Ramped(0, .5); got != nil || err != nil {
		t.Errorf("without augmentation: %v, %v", got, err)
	}
}

// scaled are the pixels of a raw image.
func scaled(raw []uint8) []float32 {
	image := make([]float32, len(raw))
	for i, v := range raw {
		image[i] = intensity[v]
	}
	return image
}

// TestDistortGrey: affine and elastic distortions are linear in the pixels, which need not be
// whole bytes.
func TestDistortGrey(t *testing.T) {
	a := augmenter(t, Settings{Rotation: 12, Shear: .1, Elastic: .7})
	full := scaled(blob())
	faint := make([]float32, len(full))
	for i, v := range full {
		faint[i] = v / 700 // far below a byte's step
	}
	a.Distort(full, 3, 4)
	a.Distort(faint, 3, 4)
	for i, v := range full {
		require.InDelta(t, float64(v)/700, float64(faint[i]), 1e-8)
	}
}

// TestViewsFollowTheImage: a view of an image is the same at every position, and another than that of another image or
// number; distortions of training depend on the position.
func TestViewsFollowTheImage(t *testing.T) {
	viewer, err := NewViewer(Strong(), 1, 1)
	require.NoError(t, err)
	learned, err := NewAugmenter(Strong(), 1)
	require.NoError(t, err)
	raw := make([]uint8, Pixels)
	for i := range raw {
		raw[i] = uint8(i % 251)
	}
	of := func(a *Augmenter, step, position uint64) []float32 {
		dst := make([]float32, Pixels)
		a.Apply(dst, raw, step, position)
		return dst
	}
	first := of(viewer, 0, 0)
	assert.Equal(t, first, of(viewer, 0, 7))
	assert.NotEqual(t, first, of(viewer, 1, 0))
	assert.NotEqual(t, of(learned, 0, 0), of(learned, 0, 7))
	raw[400] ^= 128
	other := of(viewer, 0, 0)
	differ := 0
	for i := range other {
		if other[i] != first[i] {
			differ++
		}
	}
	assert.Greater(t, differ, Pixels/4, "another image has draws of its own")
}
