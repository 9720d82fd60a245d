package plot

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
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

func TestCurves(t *testing.T) {
	var out strings.Builder
	err := Curves(&out, "a < b & c", "step", []Panel{
		{"loss", []Series{{"train", []float64{1, 2, 3}, []float64{5, 4, 4.5}}}},
		{"accuracy", []Series{{"valid", []float64{2, 3}, []float64{.5, .7}}, {"test", []float64{3}, []float64{.6}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := elements(t, out.String())["polyline"]; got != 3 {
		t.Errorf("%d curves, want 3", got)
	}
	// The first curve starts at the top left and its minimum is at the bottom.
	if want := `points="60.0,30.0 340.0,220.0 620.0,125.0 "`; !strings.Contains(out.String(), want) {
		t.Errorf("no curve with %s in\n%s", want, out.String())
	}
	for name, panels := range map[string][]Panel{
		"no points":  nil,
		"lengths":    {{"p", []Series{{"s", []float64{1}, nil}}}},
		"not finite": {{"p", []Series{{"s", []float64{1, 2}, []float64{1, math.Inf(1)}}}}},
	} {
		if err := Curves(io.Discard, "", "", panels); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   []float64
	}{
		{0, 1, []float64{0, .2, .4, .6, .8, 1}},
		{0, 600, []float64{0, 100, 200, 300, 400, 500, 600}},
		{-3, 17, []float64{0, 5, 10, 15}},
	} {
		got := ticks(c.lo, c.hi)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%v to %v: %v, want %v", c.lo, c.hi, got, c.want)
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
