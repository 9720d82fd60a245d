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
