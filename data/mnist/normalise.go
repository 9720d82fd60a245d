package mnist

import (
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
)

// Layout describes what Normalise found and did.
type Layout struct {
	// DarkInk reports whether the digit was darker than its background, as on paper.
	DarkInk bool
	// AsIs reports whether the image was laid out as MNIST's are, and was kept.
	AsIs bool
}

const (
	// box is the side of the square that a digit of MNIST fills.
	box = 20
	// leastContrast is the difference between ink and background, of 255, below
	// which nothing can be read.
	leastContrast = 32
)

// Normalise writes an image of one digit to dst[:Pixels] in the way MNIST's images were made:
// the digit's bounding box is scaled to 20 pixels on its longer side, with its aspect ratio,
// and placed in 28×28 with its centre of mass in the middle, to the whole pixel and without
// cutting it; ink is 255 at most, background 0.
//
// The image may have any size and be grey or coloured; only lightness counts, and transparent
// pixels count as white. The background is the median of the pixels on the edge. Ink is darker
// than the background, or lighter if more contrast lies on that side. Differences as small as
// those along the edge (its 95th percentile, a quarter of the full contrast at most) are
// background too, and the box begins where ink has a quarter of the full contrast. Shadows and
// other things in the image are taken for ink; a photograph's orientation tag is ignored.
//
// An image of 28×28, light on dark, whose digit is within a pixel of its place in MNIST is
// copied.
//
// Normalise returns an error if the image has no pixels or no contrast.
func Normalise(dst []uint8, img image.Image) (Layout, error) {
	light, w, h := AppendPixels(nil, img, 1), img.Bounds().Dx(), img.Bounds().Dy()
	if len(light) == 0 {
		return Layout{}, errors.New("the image has no pixels")
	}
	edge := make([]uint8, 0, 2*(w+h))
	for i, v := range light {
		if x, y := i%w, i/w; x == 0 || y == 0 || x == w-1 || y == h-1 {
			edge = append(edge, v)
		}
	}
	ground := percentile(edge, 50)
	up, down := int(slices.Max(light))-int(ground), int(ground)-int(slices.Min(light))
	l := Layout{DarkInk: down > up}
	contrast, sign := max(up, down), 1
	if l.DarkInk {
		sign = -1
	}
	if contrast < leastContrast {
		return Layout{}, fmt.Errorf("no digit stands out: ink and background differ by %d of 255 grey levels, want %d or more", contrast, leastContrast)
	}
	if l.AsIs = !l.DarkInk && ground == 0 && w == Side && h == Side && laidOut(light); l.AsIs {
		copy(dst[:Pixels], light)
		return l, nil
	}
	for i, v := range edge {
		edge[i] = uint8(max(0, sign*(int(v)-int(ground))))
	}
	noise := min(int(percentile(edge, 95)), contrast/4)
	ink := make([]float64, len(light))
	for i, v := range light {
		if d := sign * (int(v) - int(ground)); d > noise {
			ink[i] = float64(d)
		}
	}
	place(dst[:Pixels], scale(ink, w, bounds(ink, w, float64(contrast)/4)))
	return l, nil
}

// percentile is the smallest value that p per cent of x do not exceed.
func percentile(x []uint8, p int) uint8 {
	sorted := slices.Sorted(slices.Values(x))
	return sorted[(len(sorted)-1)*p/100]
}

// bounds is the smallest rectangle around all ink above a level.
func bounds(ink []float64, w int, level float64) image.Rectangle {
	var r image.Rectangle
	for i, v := range ink {
		if v > level {
			r = r.Union(image.Rect(i%w, i/w, i%w+1, i/w+1))
		}
	}
	return r
}

// laidOut reports whether the ink of a 28×28 image fills a square of 20 pixels and
// has its centre of mass in the middle, each to a pixel.
func laidOut(pixels []uint8) bool {
	ink := make([]float64, len(pixels))
	for i, v := range pixels {
		ink[i] = float64(v)
	}
	b := bounds(ink, Side, 0)
	longer := max(b.Dx(), b.Dy())
	x, y := centre(ink, Side)
	at := func(c float64) bool { return math.Abs(c-middle) <= 1 }
	return longer >= box-1 && longer <= box && at(x) && at(y)
}

// middle is the coordinate of the centre of mass, a pixel's own centre counting as
// its index: MNIST's means over all images lie there.
const middle = Side / 2

// centre is the centre of mass.
func centre(ink []float64, w int) (x, y float64) {
	total := 0.0
	for i, v := range ink {
		total += v
		x += v * float64(i%w)
		y += v * float64(i/w)
	}
	return x / total, y / total
}

// drawing is ink within its bounding box.
type drawing struct {
	ink  []float64
	w, h int
}

// scale fits a rectangle of the image into a square of 20 pixels. Every pixel is
// the mean of the area that it covers.
func scale(ink []float64, w int, from image.Rectangle) drawing {
	longer := float64(max(from.Dx(), from.Dy()))
	side := func(n int) int { return max(1, int(math.Round(box*float64(n)/longer))) }
	d := drawing{w: side(from.Dx()), h: side(from.Dy())}
	columns, rows := overlaps(from.Min.X, from.Dx(), d.w), overlaps(from.Min.Y, from.Dy(), d.h)
	for _, row := range rows {
		for _, column := range columns {
			sum := 0.0
			for _, r := range row {
				for _, c := range column {
					sum += r.share * c.share * ink[r.at*w+c.at]
				}
			}
			d.ink = append(d.ink, sum)
		}
	}
	return d
}

// part is the share that a pixel has in a scaled one, along one axis.
type part struct {
	at    int
	share float64
}

// overlaps divides n pixels from lo on among m.
func overlaps(lo, n, m int) [][]part {
	out := make([][]part, m)
	width := float64(n) / float64(m)
	for i := range out {
		from, to := float64(i)*width, float64(i+1)*width
		for k := int(from); k < n && float64(k) < to; k++ {
			if share := (min(to, float64(k+1)) - max(from, float64(k))) / width; share > 0 {
				out[i] = append(out[i], part{lo + k, share})
			}
		}
	}
	return out
}

// place centres a drawing and stretches its ink to 255.
func place(dst []uint8, d drawing) {
	clear(dst)
	x, y := centre(d.ink, d.w)
	left := min(max(0, int(math.Round(middle-x))), Side-d.w)
	top := min(max(0, int(math.Round(middle-y))), Side-d.h)
	full := 255 / slices.Max(d.ink)
	for i, v := range d.ink {
		dst[(top+i/d.w)*Side+left+i%d.w] = uint8(math.Round(full * v))
	}
}
