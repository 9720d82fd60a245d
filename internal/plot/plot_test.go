package plot

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
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
	d := Diagram{Title: "a < b & c", X: "step", Series: []Series{
		{"train", []float64{1, 2, 3}, []float64{5, 4, math.NaN()}},
		{"test", []float64{3}, []float64{3}},
		{"nothing", []float64{1}, []float64{math.Inf(1)}},
	}}
	svg, err := d.SVG()
	if err != nil {
		t.Fatal(err)
	}
	count := elements(t, svg)
	markers := strings.Count(svg, "fill:"+Colour(0)) + strings.Count(svg, "fill:"+Colour(1))
	if count["svg"] != 1 || strings.Count(svg, "stroke:"+Colour(0)) != 1 || markers != 3 || strings.Contains(svg, Colour(2)) {
		t.Errorf("%d elements svg, %d markers in\n%s", count["svg"], markers, svg)
	}
	if !strings.HasPrefix(svg, `<svg role="img" aria-label="a &lt; b &amp; c" viewBox="0 0 400 210"`) {
		t.Errorf("begins with %.120s", svg)
	}
	if again, err := d.SVG(); err != nil || again != svg {
		t.Errorf("drawn twice it differs, %v", err)
	}
	for name, d := range map[string]Diagram{
		"no points":  {},
		"lengths":    {Series: []Series{{"s", []float64{1}, nil}}},
		"not finite": {Series: []Series{{"s", []float64{1}, []float64{math.Inf(1)}}}},
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
		d := Diagram{Series: []Series{{"s", []float64{1, 2, 3}, c.y}}}
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

func TestMatrix(t *testing.T) {
	var out strings.Builder
	if err := Matrix(&out, "confusion", "is", "read as", [][]int{{5, 1}, {0, 7}}); err != nil {
		t.Fatal(err)
	}
	count := elements(t, out.String())
	// The background and four cells; title, two axes, four labels, three counts.
	if count["rect"] != 5 || count["text"] != 10 {
		t.Errorf("elements %v", count)
	}
	if err := Matrix(io.Discard, "", "", "", [][]int{{1, 2}}); err == nil {
		t.Error("a matrix that is not square gave no error")
	}
}

func TestSheet(t *testing.T) {
	strips := make([]Strip, 13)
	for i := range strips {
		strips[i] = Strip{[][]uint8{make([]uint8, 16), make([]uint8, 16)}, fmt.Sprint("row ", i)}
	}
	var out strings.Builder
	if err := Sheet(&out, "worst", 4, strips); err != nil {
		t.Fatal(err)
	}
	if got := elements(t, out.String()); got["image"] != 26 || got["text"] != 14 {
		t.Errorf("elements %v", got)
	}
	strips[3].Images[0] = make([]uint8, 15)
	if err := Sheet(io.Discard, "worst", 4, strips); err == nil {
		t.Error("an image of another size gave no error")
	}
}

// The digits 0 and 1 were each read once as the other.
func ExampleMatrix() {
	if err := Matrix(io.Discard, "digits", "is", "read as", [][]int{{8, 1}, {1, 9}}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	fmt.Println("drawn")
	// Output: drawn
}
