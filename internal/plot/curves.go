package plot

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// Series is one curve.
type Series struct {
	Name string
	X, Y []float64
}

// Panel is a diagram of curves with one vertical axis.
type Panel struct {
	Label  string
	Series []Series
}

// Measures of a panel in pixels.
const (
	panelWidth, panelHeight = 560, 190
	marginLeft, marginTop   = 60, 30
	panelGap                = 40
)

// Curves draws panels below each other over a common horizontal axis.
func Curves(w io.Writer, title, horizontal string, panels []Panel) error {
	x0, x1 := math.Inf(1), math.Inf(-1)
	for _, p := range panels {
		for _, s := range p.Series {
			if len(s.X) != len(s.Y) {
				return fmt.Errorf("plot: curve %q has %d places and %d values", s.Name, len(s.X), len(s.Y))
			}
			for _, x := range s.X {
				x0, x1 = min(x0, x), max(x1, x)
			}
		}
	}
	if !(x0 <= x1) || math.IsInf(x1-x0, 0) {
		return errors.New("plot: no points to draw")
	}
	if x0 == x1 {
		x1 = x0 + 1
	}
	height := float64(marginTop + len(panels)*(panelHeight+panelGap))
	d := newDocument(marginLeft+panelWidth+30, height, title)
	for i, p := range panels {
		top := float64(marginTop + i*(panelHeight+panelGap))
		if err := d.panel(p, top, x0, x1); err != nil {
			return err
		}
	}
	d.text(marginLeft+panelWidth/2, height-8, "middle", horizontal)
	return d.finish(w)
}

func (d *document) panel(p Panel, top, x0, x1 float64) error {
	y0, y1 := math.Inf(1), math.Inf(-1)
	for _, s := range p.Series {
		for _, y := range s.Y {
			y0, y1 = min(y0, y), max(y1, y)
		}
	}
	if math.IsNaN(y1-y0) || math.IsInf(y0, 0) || math.IsInf(y1, 0) {
		return fmt.Errorf("plot: panel %q has no finite range", p.Label)
	}
	if y0 == y1 {
		y0, y1 = y0-.5, y1+.5
	}
	px := func(x float64) float64 { return marginLeft + panelWidth*(x-x0)/(x1-x0) }
	py := func(y float64) float64 { return top + panelHeight*(y1-y)/(y1-y0) }
	for _, y := range ticks(y0, y1) {
		d.line(marginLeft, py(y), marginLeft+panelWidth, py(y), "#dddddd")
		d.text(marginLeft-5, py(y)+4, "end", fmt.Sprintf("%.4g", y))
	}
	for _, x := range ticks(x0, x1) {
		d.line(px(x), top, px(x), top+panelHeight, "#dddddd")
		d.text(px(x), top+panelHeight+14, "middle", fmt.Sprintf("%.6g", x))
	}
	for i, s := range p.Series {
		colour := palette[i%len(palette)]
		fmt.Fprintf(d, `<polyline fill="none" stroke="%s" stroke-width="1.5" points="`, colour)
		for k := range s.X {
			fmt.Fprintf(d, "%.1f,%.1f ", px(s.X[k]), py(s.Y[k]))
		}
		d.WriteString("\"/>\n")
		x := marginLeft + 10 + 150*float64(i)
		d.line(x, top+10, x+18, top+10, colour)
		d.text(x+22, top+14, "start", s.Name)
	}
	d.text(marginLeft, top-6, "start", p.Label)
	return nil
}

// ticks are four to ten round numbers within [lo, hi].
func ticks(lo, hi float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/4)))
	for _, f := range []float64{5, 2} {
		if (hi-lo)/(f*step) >= 4 {
			step *= f
			break
		}
	}
	var out []float64
	for k := math.Ceil(lo / step); k*step <= hi+1e-9*step; k++ {
		out = append(out, k*step)
	}
	return out
}
