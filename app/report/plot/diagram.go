package plot

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Series is one curve: Y[i] over X[i]. Points that are not finite, or beyond 1e300, are left out.
type Series struct {
	Name string
	X, Y []float64
}

// Level reports whether a curve has more than one point and its finite values differ by rounding alone.
func (s *Series) Level() bool {
	least, most, n := math.Inf(1), math.Inf(-1), 0
	for _, y := range s.Y {
		if math.Abs(y) <= huge {
			least, most, n = min(least, y), max(most, y), n+1
		}
	}
	return n > 1 && most-least <= max(level*max(-least, most), tiny)
}

// Diagram is a set of curves over common axes.
type Diagram struct {
	// Title is what a reader hears who does not see the picture.
	Title string
	// X and Y name the axes.
	X, Y   string
	Series []Series
	// Diagonal draws both axes from 0 to 1, and the line where they are equal.
	Diagonal bool
}

// Measures of a diagram, in the units of its view box: font sizes, and the room around
// the curves.
const (
	width, height = 400.0, 210.0
	small, medium = 9.0, 10.0
	mark, margin  = 4.0, 8.0
	// wide is about how wide a character is in a sans-serif, as a share of the font's size.
	wide = .58
	// marked is up to how many points each of a curve has a marker: a curve of one
	// point is nothing else.
	marked = 30
)

// palette are line colours that stay apart in print and for the colour-blind.
var palette = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555", "#8C564B"}

// Colours is the number of series that have a colour of their own; the lines of further series
// are dashed.
var Colours = len(palette)

// Colour is the colour of series i as CSS has it.
func Colour(i int) string { return palette[i%len(palette)] }

// Dashed reports whether the line of series i is dashed.
func Dashed(i int) bool { return i/len(palette)%2 == 1 }

// point is one in the data or, behind frame.at, in the picture.
type point struct{ x, y float64 }

// SVG returns the diagram as one SVG element for an HTML page. It has no legend, which the
// page shows beside the curves. Text has the font and the colour of the page. A diagram
// without a finite point is an error.
func (d *Diagram) SVG() (string, error) {
	curves := make([][]point, len(d.Series))
	least, most := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for i, s := range d.Series {
		if len(s.X) != len(s.Y) {
			return "", fmt.Errorf("plot: curve %q has %d places and %d values", s.Name, len(s.X), len(s.Y))
		}
		curves[i] = finite(s)
		for _, p := range curves[i] {
			least = point{min(least.x, p.x), min(least.y, p.y)}
			most = point{max(most.x, p.x), max(most.y, p.y)}
		}
	}
	if least.x > most.x {
		return "", fmt.Errorf("plot: %q has no points to draw", d.Title)
	}
	if d.Diagonal {
		least = point{min(least.x, 0), min(least.y, 0)}
		most = point{max(most.x, 1), max(most.y, 1)}
	}
	log := least.y > 0 && !d.Diagonal && math.Log10(most.y/least.y) > decades
	f := newFrame(newAxis(least.x, most.x, false), newAxis(least.y, most.y, log), d)
	var out strings.Builder
	fmt.Fprintf(&out, `<svg role="img" aria-label="%s" viewBox="0 0 %g %g" fill="none" font-size="%g" xmlns="http://www.w3.org/2000/svg">`+"\n",
		html.EscapeString(d.Title), width, height, small)
	f.draw(&out)
	if d.Diagonal {
		out.WriteString(`<path stroke="#999999" stroke-width=".7" d="` + f.path([]point{{0, 0}, {1, 1}}) + "\"/>\n")
	}
	// The first curve is on top, and its points are the smallest: where points meet,
	// the others are seen around it.
	for i, curve := range slices.Backward(curves) {
		f.curve(&out, i, curve)
	}
	out.WriteString("</svg>\n")
	return out.String(), nil
}

// finite are the points that can be drawn.
func finite(s Series) []point {
	var all []point
	for i, x := range s.X {
		if y := s.Y[i]; math.Abs(x) <= huge && math.Abs(y) <= huge {
			all = append(all, point{x, y})
		}
	}
	return all
}

// frame is where the axes lie in the picture.
type frame struct {
	x, y                     *axis
	nameX, nameY             string
	left, right, top, bottom float64
}

func newFrame(x, y *axis, d *Diagram) *frame {
	f := &frame{x: x, y: y, nameX: d.X, nameY: d.Y, right: width - margin, top: margin, bottom: height - mark - small - margin}
	if d.X != "" || x.common != "" {
		f.bottom -= medium + 3
	}
	if y.common != "" {
		f.top += small + 2
	}
	longest := 0
	for _, t := range y.ticks {
		longest = max(longest, utf8.RuneCountInString(t.label))
	}
	f.left = mark + 4 + wide*small*float64(longest)
	if d.Y != "" {
		f.left += medium + 5
	}
	return f
}

// at is where a point of the data is in the picture.
func (f *frame) at(p point) point {
	return point{f.left + f.x.place(p.x)*(f.right-f.left), f.bottom - f.y.place(p.y)*(f.bottom-f.top)}
}

// draw writes the grid, the axes and their texts.
func (f *frame) draw(out *strings.Builder) {
	var grid, marks strings.Builder
	text := func(p point, anchor, what string) {
		fmt.Fprintf(out, `<text fill="currentColor" text-anchor="%s" x="%s" y="%s">%s</text>`+"\n", anchor, short(p.x), short(p.y), html.EscapeString(what))
	}
	for _, t := range f.x.ticks {
		x := f.at(point{t.value, f.y.least}).x
		fmt.Fprintf(&marks, "M%s %sv%s", short(x), short(f.bottom), short(mark))
		fmt.Fprintf(&grid, "M%s %sV%s", short(x), short(f.bottom), short(f.top))
		text(point{x, f.bottom + mark + small}, "middle", t.label)
	}
	for _, t := range f.y.ticks {
		y, size := f.at(point{f.x.least, t.value}).y, mark
		if t.label == "" {
			size /= 2
		} else {
			fmt.Fprintf(&grid, "M%s %sH%s", short(f.left), short(y), short(f.right))
			text(point{f.left - mark - 2, y + small/3}, "end", t.label)
		}
		fmt.Fprintf(&marks, "M%s %sh%s", short(f.left), short(y), short(-size))
	}
	fmt.Fprintf(out, `<path stroke="#888888" stroke-opacity=".3" stroke-width=".5" d="%s"/>`+"\n", &grid)
	fmt.Fprintf(out, `<path stroke="currentColor" stroke-width=".5" d="M%s %sV%sH%s%s"/>`+"\n",
		short(f.left), short(f.top), short(f.bottom), short(f.right), &marks)
	if f.y.common != "" {
		text(point{0, small}, "start", f.y.common)
	}
	if f.x.common != "" {
		text(point{f.right, height - 4}, "end", f.x.common)
	}
	if f.nameX != "" {
		text(point{(f.left + f.right) / 2, height - 4}, "middle", f.nameX)
	}
	if f.nameY != "" {
		fmt.Fprintf(out, `<text fill="currentColor" text-anchor="middle" transform="translate(%s %s) rotate(-90)">%s</text>`+"\n",
			short(medium), short((f.top+f.bottom)/2), html.EscapeString(f.nameY))
	}
}

// curve writes series i.
func (f *frame) curve(out *strings.Builder, i int, curve []point) {
	if len(curve) == 0 {
		return
	}
	if len(curve) > 1 {
		dashes := ""
		if Dashed(i) {
			dashes = ` stroke-dasharray="4 2"`
		}
		fmt.Fprintf(out, `<path stroke="%s" stroke-width="1.4" stroke-linejoin="round"%s d="%s"/>`+"\n", Colour(i), dashes, f.path(curve))
	}
	if len(curve) > marked {
		return
	}
	for _, p := range curve {
		c := f.at(p)
		fmt.Fprintf(out, `<circle fill="%s" cx="%s" cy="%s" r="%s"/>`+"\n", Colour(i), short(c.x), short(c.y), short(2.2+float64(i%4)))
	}
}

// path joins points of the data by a line.
func (f *frame) path(points []point) string {
	var out strings.Builder
	for i, p := range points {
		c := f.at(p)
		out.WriteString(string("ML"[min(i, 1)]) + short(c.x) + " " + short(c.y))
	}
	return out.String()
}

// short writes a coordinate to a hundredth of a unit, which no screen shows.
func short(v float64) string { return strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64) }
