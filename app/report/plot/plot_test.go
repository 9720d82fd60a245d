package plot_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"hinge/app/report/plot"
)

// elements parses an SVG and counts its elements by name.
func elements(t *testing.T, svg string) map[string]int {
	t.Helper()
	count := map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			count[e.Name.Local]++
		}
	}
}

// TestDiagram: every curve is drawn, and one of a single point as a marker.
func TestDiagram(t *testing.T) {
	d := plot.Diagram{Title: "a < b & c", X: "step", Series: []plot.Series{
		{"train", []float64{1, 2, 3}, []float64{5, 4, math.NaN()}},
		{"test", []float64{3}, []float64{3}},
		{"nothing", []float64{1}, []float64{math.Inf(1)}},
	}}
	svg, err := d.SVG()
	require.NoError(t, err)
	count := elements(t, svg)
	markers := strings.Count(svg, `fill="`+plot.Colour(0)) + strings.Count(svg, `fill="`+plot.Colour(1))
	if count["svg"] != 1 || strings.Count(svg, `stroke="`+plot.Colour(0)) != 1 || markers != 3 || strings.Contains(svg, plot.Colour(2)) {
		t.Errorf("%d elements svg, %d markers in\n%s", count["svg"], markers, svg)
	}
	if !strings.HasPrefix(svg, `<svg role="img" aria-label="a &lt; b &amp; c" viewBox="0 0 400 210"`) {
		t.Errorf("begins with %.120s", svg)
	}
	if again, err := d.SVG(); err != nil || again != svg {
		t.Errorf("drawn twice it differs, %v", err)
	}
	for name, d := range map[string]plot.Diagram{
		"no points":  {},
		"lengths":    {Series: []plot.Series{{"s", []float64{1}, nil}}},
		"not finite": {Series: []plot.Series{{"s", []float64{1}, []float64{math.Inf(1)}}}},
	} {
		if _, err := d.SVG(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestLogarithmic: values over many decades have a logarithmic axis, so that the
// middle one of three powers is in the middle.
func TestLogarithmic(t *testing.T) {
	for _, c := range []struct {
		y     []float64
		ticks []string
	}{
		{[]float64{1, 100, 10000}, []string{">1<", ">10<", ">100<", ">1000<", ">10000<"}},
		{[]float64{1e-9, 1e-3, 10}, []string{">10⁻⁹<", ">10⁻⁷<", ">0.001<", ">0.1<", ">10<"}},
		{[]float64{0, 5000, 10000}, []string{">0<", ">4000<", ">10000<"}},
		{[]float64{7, 7, 7}, []string{">7.0<"}},
	} {
		d := plot.Diagram{Series: []plot.Series{{"s", []float64{1, 2, 3}, c.y}}}
		svg, err := d.SVG()
		require.NoError(t, err)
		for _, tick := range c.ticks {
			if !strings.Contains(svg, tick) {
				t.Errorf("%v: no tick %s in\n%s", c.y, tick, svg)
			}
		}
	}
}

// TestNumbers: an axis has round numbers of few digits however large, small or near to each
// other its values are; what all have in common is said once. Values that differ by
// rounding are level.
func TestNumbers(t *testing.T) {
	number := regexp.MustCompile(`text-anchor="(end|start)"[^>]*>([^<]*)<`)
	for _, c := range []struct {
		y    []float64
		want string
	}{
		{[]float64{3.967483157893021e-15, 1.1102230246251565e-16, 2.220446049250313e-16}, "1 2 3 ×10⁻¹⁵"},
		{[]float64{-4.5e-15, 2.5e-15, 0}, "−4 −2 0 2 ×10⁻¹⁵"},
		{[]float64{1, 1 + 4e-16, 1}, "0.90 0.95 1.00 1.05 1.10"},
		{[]float64{1, 1 + 3e-10, 1}, "0 1 2 3 ×10⁻¹⁰ + 1"},
		{[]float64{-2, -2 - 3e-10, -2}, "0 1 2 3 ×10⁻¹⁰ − 2.0000000003"},
		{[]float64{0, 0, 0}, "−0.4 −0.2 0.0 0.2 0.4"},
		{[]float64{0, 250, 1000}, "0 200 400 600 800 1000"},
		{[]float64{0, 2.5e7, 1e8}, "0.0 0.2 0.4 0.6 0.8 1.0 ×10⁸"},
		{[]float64{.00012, .0004, .0007}, "2 4 6 ×10⁻⁴"},
		{[]float64{.95, .975, .9812}, "0.95 0.96 0.97 0.98"},
		{[]float64{-5e299, 5e299, 1.7e308}, "−4 −2 0 2 4 ×10²⁹⁹"},
		{[]float64{0, 5e-324, 0}, "−0.4 −0.2 0.0 0.2 0.4"},
	} {
		d := plot.Diagram{Series: []plot.Series{{"s", []float64{0, 1, 2}, c.y}}}
		svg, err := d.SVG()
		require.NoError(t, err)
		var labels []string
		for _, m := range number.FindAllStringSubmatch(svg, -1) {
			labels = append(labels, m[2])
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%v: ticks %s, want %s", c.y, got, c.want)
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%v: a coordinate is no number", c.y)
		}
	}
}

// TestInside: whatever is drawn lies inside the view box, whatever the values.
func TestInside(t *testing.T) {
	coordinate := regexp.MustCompile(`c([xy])="([^"]*)"`)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "points")
		s := plot.Series{X: make([]float64, n), Y: make([]float64, n)}
		for i := range n {
			s.X[i] = float64(rapid.IntRange(0, 1e6).Draw(t, "x"))
			s.Y[i] = rapid.Float64Range(-1e300, 1e300).Draw(t, "y")
		}
		svg, err := (&plot.Diagram{X: "x", Y: "y", Series: []plot.Series{s}}).SVG()
		require.NoError(t, err)
		for _, m := range coordinate.FindAllStringSubmatch(svg, -1) {
			v, err := strconv.ParseFloat(m[2], 64)
			if end := map[string]float64{"x": 400, "y": 210}[m[1]]; err != nil || v < 0 || v > end {
				t.Fatalf("%v %v: %s\n%s", s.X, s.Y, m[0], svg)
			}
		}
	})
}

// TestLevel: a curve that only rounding moves is level, one of a single point is not.
func TestLevel(t *testing.T) {
	for _, c := range []struct {
		y    []float64
		want bool
	}{
		{[]float64{1, 1 + 4e-16, 1}, true},
		{[]float64{0, math.NaN(), 0}, true},
		{[]float64{1, 1 + 3e-10, 1}, false},
		{[]float64{1}, false},
		{nil, false},
	} {
		if s := (&plot.Series{Y: c.y}); s.Level() != c.want {
			t.Errorf("%v: level %v", c.y, !c.want)
		}
	}
}

// A run that was tested once has a point in place of a curve.
func ExampleDiagram_SVG() {
	d := plot.Diagram{Title: "accuracy", X: "gradient step", Series: []plot.Series{
		{Name: "valid", X: []float64{10, 20}, Y: []float64{.5, .7}},
		{Name: "test", X: []float64{20}, Y: []float64{.6}},
	}}
	svg, err := d.SVG()
	fmt.Println(strings.Contains(svg, plot.Colour(1)), err)
	// Output: true <nil>
}
