package evaluate

import (
	"math"
	"slices"
	"testing"
)

func TestCalibrate(t *testing.T) {
	c := Calibrate("x", []float64{.15, .18, 1, 2, .99, 0, math.NaN()}, []bool{true, false, true, true, false, false, false})
	want := []Bin{{2, 0, 0}, {2, .165, .5}, {3, 2.99 / 3, 2. / 3}}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if !slices.EqualFunc(c.Bins, want, func(a, b Bin) bool {
		return a.Count == b.Count && near(a.Belief, b.Belief) && near(a.Right, b.Right)
	}) {
		t.Errorf("bins %v, want %v", c.Bins, want)
	}
	if e := (2*(.5-.165) + 2.99 - 2) / 7; !near(c.Error, e) {
		t.Errorf("error %v, want %v", c.Error, e)
	}
}

// Of four beliefs of 0.4, the edge of two bins, half are right: the error is 0.1, whichever way 0.4 is rounded.
func TestCalibrateOnAnEdge(t *testing.T) {
	a, b := 0.7, 0.4
	a += a - 1
	c := Calibrate("", []float64{a, b, b, a}, []bool{true, false, false, true})
	if a >= b || len(c.Bins) != 1 || math.Abs(c.Error-.1) > 1e-12 {
		t.Errorf("beliefs of %v and %v have the bins %v and the error %v", a, b, c.Bins, c.Error)
	}
}
