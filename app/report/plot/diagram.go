package plot

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Series is one curve: Y[i] over X[i]. Points that are not finite are left out.
type Series struct {
	Name string
	X, Y []float64
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

// Measures of a diagram in points.
const (
	width, height = 400 * vg.Length(1), 210 * vg.Length(1)
	// marked is up to how many points each of a curve has a marker: a curve of one
	// point is nothing else.
	marked = 30
	// decades is how far values, all positive, spread where their axis is logarithmic.
	decades = 2.5
)

// palette are line colours that stay apart in print and for the colour-blind.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 255}, {0xd5, 0x5e, 0x00, 255}, {0x00, 0x9e, 0x73, 255}, {0xcc, 0x79, 0xa7, 255},
	{0xe6, 0x9f, 0x00, 255}, {0x56, 0xb4, 0xe9, 255}, {0x55, 0x55, 0x55, 255}, {0x8c, 0x56, 0x4b, 255},
}

// Colours is how many series have a colour of their own; more are dashed.
var Colours = len(palette)

// Colour is the colour of series i as CSS has it.
func Colour(i int) string {
	c := palette[i%len(palette)]
	return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B)
}

// Dashed tells whether the line of series i is dashed.
func Dashed(i int) bool { return i/len(palette)%2 == 1 }

// SVG returns the diagram as one element for an HTML page, without a legend: a page has
// room for it beside the curves. Text is in the font of the page, which should be a
// sans-serif. Without a finite point it is an error.
func (d *Diagram) SVG() (string, error) {
	p := gonum.New()
	p.BackgroundColor = nil
	p.X.Label.Text, p.Y.Label.Text = d.X, d.Y
	for _, a := range []*gonum.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Variant, a.Tick.Label.Font.Variant = "Sans", "Sans"
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = 10, 9
		a.LineStyle.Width, a.Tick.LineStyle.Width = .5, .5
		a.Tick.Marker = ticks{}
	}
	grid := plotter.NewGrid()
	faint := draw.LineStyle{Color: color.Gray{0xdd}, Width: .5}
	grid.Vertical, grid.Horizontal = faint, faint
	p.Add(grid)
	if d.Diagonal {
		if err := diagonal(p); err != nil {
			return "", err
		}
	}
	least, most, points := math.Inf(1), math.Inf(-1), 0
	// The first curve is on top, and its points are the smallest: where points meet,
	// the others are seen around it.
	for i, s := range slices.Backward(d.Series) {
		if len(s.X) != len(s.Y) {
			return "", fmt.Errorf("plot: curve %q has %d places and %d values", s.Name, len(s.X), len(s.Y))
		}
		xy := finite(s)
		for _, v := range xy {
			least, most = min(least, v.Y), max(most, v.Y)
		}
		points += len(xy)
		if err := add(p, i, xy); err != nil {
			return "", err
		}
	}
	if points == 0 {
		return "", fmt.Errorf("plot: %q has no points to draw", d.Title)
	}
	if least > 0 && !d.Diagonal && math.Log10(most/least) > decades {
		p.Y.Scale, p.Y.Tick.Marker = gonum.LogScale{}, gonum.LogTicks{Prec: 5}
	}
	widen(&p.X)
	widen(&p.Y)
	return d.draw(p)
}

// finite are the points that can be drawn.
func finite(s Series) plotter.XYs {
	var xy plotter.XYs
	for i, x := range s.X {
		if y := s.Y[i]; !math.IsNaN(x+y) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
			xy = append(xy, plotter.XY{X: x, Y: y})
		}
	}
	return xy
}

// add draws series i.
func add(p *gonum.Plot, i int, xy plotter.XYs) error {
	if len(xy) == 0 {
		return nil
	}
	line, err := plotter.NewLine(xy)
	if err != nil {
		return err
	}
	line.Color, line.Width = palette[i%len(palette)], 1.4
	if Dashed(i) {
		line.Dashes = []vg.Length{4, 2}
	}
	p.Add(line)
	if len(xy) > marked {
		return nil
	}
	points, err := plotter.NewScatter(xy)
	if err != nil {
		return err
	}
	points.GlyphStyle = draw.GlyphStyle{Color: line.Color, Radius: 2.2 + vg.Length(i%4), Shape: draw.CircleGlyph{}}
	p.Add(points)
	return nil
}

// diagonal draws where both axes are equal.
func diagonal(p *gonum.Plot) error {
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		return err
	}
	line.Color, line.Width = color.Gray{0x99}, .7
	p.Add(line)
	return nil
}

// ticks are those of the library, which knows no round numbers where values are all but
// equal to 1e-14: there they are those of the values as multiples of a small power of ten.
type ticks struct{}

func (ticks) Ticks(least, most float64) []gonum.Tick {
	size := most - least
	if size > 1e-9 {
		return gonum.DefaultTicks{}.Ticks(least, most)
	}
	unit := math.Pow10(int(math.Floor(math.Log10(size))))
	digits := 3 + int(math.Log10(max(-least, most)/size))
	all := gonum.DefaultTicks{}.Ticks(least/unit, most/unit)
	for i := range all {
		t := &all[i]
		if t.Value *= unit; t.Label != "" {
			t.Label = strconv.FormatFloat(t.Value, 'g', max(digits, 3), 64)
		}
	}
	return all
}

// widen gives an axis whose values are all equal, but for rounding, a range to be drawn in.
func widen(a *gonum.Axis) {
	if a.Max-a.Min <= 1e-12*max(-a.Min, a.Max) {
		room := cmp.Or(math.Abs(a.Min)/10, .5)
		a.Min, a.Max = a.Min-room, a.Max+room
	}
}

// ownFont is the font that the drawing library measures with; the page's is as wide.
const ownFont = "font-family:Liberation Sans;font-variant:normal;font-weight:normal;font-style:normal;"

// draw returns the SVG element of a plot.
func (d *Diagram) draw(p *gonum.Plot) (string, error) {
	canvas := vgsvg.New(width, height)
	p.Draw(draw.New(canvas))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return "", err
	}
	// An element of a page has neither a prologue nor a size in points.
	_, rest, found := strings.Cut(out.String(), "viewBox")
	if !found {
		return "", fmt.Errorf("plot: the SVG of %q has no view box", d.Title)
	}
	rest = strings.ReplaceAll(rest, ownFont, "")
	return fmt.Sprintf(`<svg role="img" aria-label="%s" viewBox%s`, html.EscapeString(d.Title), rest), nil
}
