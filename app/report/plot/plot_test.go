package plot_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

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
	if err != nil {
		t.Fatal(err)
	}
	count := elements(t, svg)
	markers := strings.Count(svg, "fill:"+plot.Colour(0)) + strings.Count(svg, "fill:"+plot.Colour(1))
	if count["svg"] != 1 || strings.Count(svg, "stroke:"+plot.Colour(0)) != 1 || markers != 3 || strings.Contains(svg, plot.Colour(2)) {
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
		{[]float64{0, 5000, 10000}, []string{">0<", ">5000<", ">10000<"}},
		{[]float64{7, 7, 7}, []string{">7.0<"}},
	} {
		d := plot.Diagram{Series: []plot.Series{{"s", []float64{1, 2, 3}, c.y}}}
		svg, err := d.SVG()
		if err != nil {
			t.Fatal(err)
		}
		for _, tick := range c.ticks {
			if !strings.Contains(svg, tick) {
				t.Errorf("%v: no tick %s in\n%s", c.y, tick, svg)
			}
		}
	}
}

// TestSmallNumbers: an axis has round numbers of few digits however near its values are to
// each other, such as violations that are rounding errors.
func TestSmallNumbers(t *testing.T) {
	number := regexp.MustCompile(`>(-?[0-9.]+(e[-+][0-9]+)?)<`)
	for _, c := range []struct {
		y    []float64
		want string
	}{
		{[]float64{3.967483157893021e-15, 1.1102230246251565e-16, 2.220446049250313e-16}, "5e-16 2e-15 3.5e-15"},
		{[]float64{-4.5e-15, 2.5e-15, 0}, "-4e-15 -2e-15 0 2e-15"},
		{[]float64{1, 1 + 4e-16, 1}, "0.9 1.0 1.1"},
		{[]float64{1, 1 + 3e-10, 1}, "1 1.0000000001 1.0000000002 1.0000000003"},
	} {
		d := plot.Diagram{Series: []plot.Series{{"s", []float64{0, 1, 2}, c.y}}}
		svg, err := d.SVG()
		if err != nil {
			t.Fatal(err)
		}
		var labels []string
		for _, m := range number.FindAllStringSubmatch(svg, -1) {
			labels = append(labels, m[1])
		}
		if got := strings.Join(labels[3:], " "); got != c.want { // behind those of the steps
			t.Errorf("%v: ticks %s, want %s", c.y, got, c.want)
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
