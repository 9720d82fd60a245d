package mnist

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// grey wraps an image of MNIST's.
func grey(raw []uint8) *image.Gray {
	return &image.Gray{Pix: raw, Stride: Side, Rect: image.Rect(0, 0, Side, Side)}
}

// drawn is an image of MNIST's drawn on a larger sheet of another size, zoom times
// as large, with its corner at (x, y), in colours of a background and an ink.
func drawn(raw []uint8, zoom, x, y, w, h int, ground, ink color.RGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(3, 5, 3+w, 5+h)) // bounds need not start at 0
	mix := func(a, b, v uint8) uint8 { return uint8((int(a)*(255-int(v)) + int(b)*int(v)) / 255) }
	for py := range h {
		for px := range w {
			v := uint8(0)
			if i, k := (px-x)/zoom, (py-y)/zoom; px >= x && py >= y && i < Side && k < Side {
				v = raw[k*Side+i]
			}
			img.Set(3+px, 5+py, color.RGBA{mix(ground.R, ink.R, v), mix(ground.G, ink.G, v), mix(ground.B, ink.B, v), 255})
		}
	}
	return img
}

// far is the mean difference of two images in grey levels.
func far(a, b []uint8) float64 {
	sum := 0.0
	for i, v := range a {
		sum += math.Abs(float64(v) - float64(b[i]))
	}
	return sum / float64(len(a))
}

var (
	black = color.RGBA{0, 0, 0, 255}
	white = color.RGBA{255, 255, 255, 255}
)

// MNIST's own images are copied, to the byte.
func TestNormaliseKeepsMNIST(t *testing.T) {
	set, err := Load("")
	require.NoError(t, err)
	var got [Pixels]uint8
	for i := range 1000 {
		l, err := Normalise(got[:], grey(set.Test.Raw(i)))
		if err != nil || l != (Layout{AsIs: true}) || !bytes.Equal(got[:], set.Test.Raw(i)) {
			t.Fatalf("image %d: %+v, %v", i, l, err)
		}
	}
}

// Images of MNIST, enlarged, moved, coloured, inverted, made noisy and compressed,
// come back as they were.
func TestNormaliseUndoes(t *testing.T) {
	set, err := Load("")
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(5, 0))
	noisy := func(img *image.NRGBA) *image.NRGBA {
		for i := range img.Pix {
			if i%4 != 3 {
				img.Pix[i] = uint8(min(255, max(0, int(img.Pix[i])+rng.IntN(17)-8)))
			}
		}
		return img
	}
	for name, c := range map[string]struct {
		make func(raw []uint8) image.Image
		want Layout
		far  float64 // grey levels, on the mean
	}{
		"enlarged": {func(raw []uint8) image.Image { return drawn(raw, 4, 20, 90, 200, 300, black, white) }, Layout{}, 1},
		"on paper": {func(raw []uint8) image.Image { return drawn(raw, 3, 40, 0, 130, 90, white, black) }, Layout{DarkInk: true}, 1},
		"blue on yellow": {func(raw []uint8) image.Image {
			return drawn(raw, 3, 10, 20, 120, 120, color.RGBA{250, 240, 150, 255}, color.RGBA{20, 20, 160, 255})
		}, Layout{DarkInk: true}, 1.5},
		"pale": {func(raw []uint8) image.Image {
			return drawn(raw, 3, 10, 20, 120, 120, color.RGBA{90, 90, 90, 255}, color.RGBA{150, 150, 150, 255})
		}, Layout{}, 2},
		"moved": {func(raw []uint8) image.Image { return drawn(raw, 1, 2, 1, 30, 33, black, white) }, Layout{}, 0.5},
		"noisy": {func(raw []uint8) image.Image { return noisy(drawn(raw, 4, 20, 90, 200, 300, white, black)) }, Layout{DarkInk: true}, 3},
		"JPEG": {func(raw []uint8) image.Image {
			var file bytes.Buffer
			require.NoError(t, jpeg.Encode(&file, drawn(raw, 5, 30, 12, 220, 180, white, black), &jpeg.Options{Quality: 60}))
			img, _, err := image.Decode(&file)
			require.NoError(t, err)
			return img
		}, Layout{DarkInk: true}, 3},
	} {
		var got [Pixels]uint8
		total, moved := 0.0, 0
		const n = 30
		for i := range n {
			raw := set.Test.Raw(i)
			l, err := Normalise(got[:], c.make(raw))
			if err != nil || l != c.want {
				t.Fatalf("%s, image %d: %+v, %v, want %+v", name, i, l, err, c.want)
			}
			d := far(got[:], raw)
			total += d / n
			if d > 10 {
				moved++
			}
		}
		t.Logf("%s: %.2f grey levels from MNIST's, %d of %d by more than 10", name, total, moved, n)
		if total > c.far || moved > n/20 {
			t.Errorf("%s: %.2f grey levels from MNIST's on the mean, want %.1f at most; %d of %d far off", name, total, c.far, moved, n)
		}
	}
}

// A digit is neither cut nor squeezed, wherever its ink is heavy.
func TestNormaliseGeometry(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 400, 400))
	for y := 100; y < 300; y++ {
		for x := 190; x < 210; x++ { // a stroke of 20×200 …
			img.SetGray(x, y, color.Gray{255})
		}
	}
	for y := 100; y < 120; y++ {
		for x := 150; x < 250; x++ { // … under a bar of 100×20
			img.SetGray(x, y, color.Gray{255})
		}
	}
	var got [Pixels]uint8
	_, err := Normalise(got[:], img)
	require.NoError(t, err)
	ink := make([]float64, Pixels)
	for i, v := range got {
		ink[i] = float64(v)
	}
	b := bounds(ink, Side, 0)
	if b.Dx() != 10 || b.Dy() != 20 || slices.Max(got[:]) != 255 {
		t.Errorf("the T fills %v, its ink is %d", b, slices.Max(got[:]))
	}
	if x, y := centre(ink, Side); math.Abs(x-14) > 0.5 || math.Abs(y-14) > 0.5 {
		t.Errorf("its centre of mass lies at %.2f, %.2f", x, y)
	}
}

// A digit drawn in black on nothing stands on white.
func TestNormaliseTransparent(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 40, 40))
	for y := 5; y < 30; y++ {
		img.Set(20, y, color.Black)
	}
	var got [Pixels]uint8
	if l, err := Normalise(got[:], img); err != nil || !l.DarkInk || got[14*Side+14] != 255 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestNormaliseRefuses(t *testing.T) {
	var got [Pixels]uint8
	plain := image.NewGray(image.Rect(0, 0, 50, 50))
	plain.SetGray(20, 20, color.Gray{31})
	for want, img := range map[string]image.Image{
		"differ by 31 of 255 grey levels": plain,
		"no pixels":                       image.NewGray(image.Rect(0, 0, 0, 9)),
	} {
		if _, err := Normalise(got[:], img); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
