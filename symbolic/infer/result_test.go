package infer

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// Totals are those of the components; what an infeasible one has no gap adds none.
func TestResultSum(t *testing.T) {
	r := Result{Components: []ComponentResult{
		{Status: Solved, Primal: 2, Dual: 1.75, Violation: 1e-3, Energy: 1, Stats: Stats{Checks: 2}},
		{Status: TimeLimit, Primal: 1, Dual: 1.5, Violation: 1e-2, Energy: 0.5, Stats: Stats{Checks: 5}},
		{Status: AlmostSolved, Primal: 4, Dual: 4, Violation: 1e-4, Energy: 2, Stats: Stats{Checks: 1}},
	}}
	r.sum()
	if r.Status != TimeLimit || r.PrimalValue != 7 || r.DualValue != 7.25 || r.Energy != 3.5 || r.TotalGap != 0.75 ||
		r.MaxComponentGap != 0.5 || r.MaxViolation != 1e-2 || r.Stats.Checks != 8 {
		t.Errorf("%+v", r)
	}
	r.Components = append(r.Components, ComponentResult{Status: Infeasible, Primal: math.Inf(1), Dual: math.Inf(1), Violation: math.Inf(1)})
	r.sum()
	if r.TotalGap != 0.75 || r.MaxComponentGap != 0.5 || !math.IsInf(r.MaxViolation, 1) {
		t.Errorf("with an infeasible component: %+v", r)
	}
	r.Components[0].Primal = math.NaN()
	r.sum()
	if !math.IsNaN(r.MaxComponentGap) || !math.IsNaN(r.TotalGap) {
		t.Errorf("NaN is lost: %+v", r)
	}
}

// An error says what is the matter, and there is none where the solution is good.
func TestResultErr(t *testing.T) {
	for s := NotRun; s <= TooLarge; s++ {
		r := Result{Status: s, MaxComponentGap: 0.125, MaxViolation: 0.5}
		err := r.Err()
		if s.OK() {
			assert.NoErrorf(t, err, "%v", s)
			continue
		}
		if err == nil || !strings.Contains(err.Error(), s.String()) || !strings.Contains(err.Error(), "gap 0.125, violation 0.5") {
			t.Errorf("%v: %v", s, err)
		}
	}
}

// An infeasibility is told with the rows that contradict each other, which prove it and are
// each needed for it, by their numbers and the places of their rules; of many, with five.
func TestInfeasibleError(t *testing.T) {
	in := infertest.New(2).LE(-0.9, 1, 1).LE(0.6, -1, 0).LE(-0.4, 1, 0).Square(1, -0.5, 1, 0).Instance(t, 0.1)
	res := solve(t, in, nil, Settings{})
	var bad *InfeasibleError
	if !errors.As(res.Err(), &bad) {
		t.Fatalf("%v", res.Err())
	}
	if rows := slices.Sorted(slices.Values(bad.Certificate.Rows)); !slices.Equal(rows, []int32{1, 2}) || !(bad.Certificate.Margin(in) > 0) {
		t.Errorf("rows %v with margin %v, want rows 1 and 2", rows, bad.Certificate.Margin(in))
	}
	named := func() (rows []string) { return regexp.MustCompile(`row \d+`).FindAllString(bad.Error(), -1) }
	if rows := named(); !slices.Equal(slices.Sorted(slices.Values(rows)), []string{"row 1", "row 2"}) || strings.Count(bad.Error(), in.Program().HardRules[0].Source) != 2 {
		t.Errorf("%v", bad)
	}
	// Six values of at most a half have no sum of 3.5, and those without any one of the bounds have.
	build := infertest.New(6)
	for i := range 6 {
		a := make([]float64, 6)
		a[i] = 1
		build.LE(-0.5, a...)
	}
	in = build.EQ(-3.5, 1, 1, 1, 1, 1, 1).Instance(t, 0.1)
	in.Program().HardRules[0] = hlmrf.Rule{} // made in code, without a place
	bad = &InfeasibleError{Certificate: solve(t, in, nil, Settings{}).Certificate, instance: in}
	if rows := named(); !slices.Equal(rows, []string{"row 0", "row 1", "row 2", "row 3", "row 4"}) || !strings.Contains(bad.Error(), " and 2 more; ") || strings.Contains(bad.Error(), "of ") {
		t.Errorf("%v", bad)
	}
	// The row of another rule is not lost behind many of one.
	in.Program().HardRules = append(in.Program().HardRules, hlmrf.Rule{Text: "the other one"})
	in.Program().ConstraintRule[6] = 1
	if rows := named(); !slices.Equal(rows, []string{"row 0", "row 6", "row 1", "row 2", "row 3"}) || !strings.Contains(bad.Error(), "row 6 (the other one)") {
		t.Errorf("%v", bad)
	}
}

// TestIrreducible: of the rows of a proof those are named that contradict each other, and none that these
// contradict each other without. The sets follow from arithmetic.
func TestIrreducible(t *testing.T) {
	zeros := func() *infertest.Build { // a to d are 0, and all six add up to 1
		return infertest.New(6).EQ(0, 1, 0, 0, 0, 0, 0).EQ(0, 0, 1, 0, 0, 0, 0).EQ(0, 0, 0, 1, 0, 0, 0).EQ(0, 0, 0, 0, 1, 0, 0).EQ(-1, 1, 1, 1, 1, 1, 1)
	}
	for name, c := range map[string]struct {
		in    *lcqp.Instance
		proof []int32
		want  [][]int32 // each irreducible set
	}{
		"e and f are more than 1":     {zeros().LE(0.6, 0, 0, 0, 0, -1, 0).LE(0.6, 0, 0, 0, 0, 0, -1).Instance(t, 1), []int32{0, 1, 2, 3, 4, 5, 6}, [][]int32{{4, 5, 6}}},
		"e and f are less than 1":     {zeros().LE(-0.4, 0, 0, 0, 0, 1, 0).LE(-0.4, 0, 0, 0, 0, 0, 1).Instance(t, 1), []int32{0, 1, 2, 3, 4, 5, 6}, [][]int32{{0, 1, 2, 3, 4, 5, 6}}},
		"two bounds, each on its own": {infertest.New(2).LE(-0.5, 1, 0).LE(0.6, -1, 0).LE(-0.3, 0, 1).LE(0.4, 0, -1).Instance(t, 1), []int32{0, 1, 2, 3}, [][]int32{{0, 1}, {2, 3}}},
		"a row alone":                 {infertest.New(2).LE(-0.5, 1, 0).LE(1.5, -1, 0).LE(0.1, -1, 0).Instance(t, 1), []int32{0, 1, 2}, [][]int32{{1}}},
		"of the rows of a proof":      {infertest.New(2).LE(1.5, -1, 0).LE(-0.5, 1, 0).LE(0.6, -1, 0).Instance(t, 1), []int32{1, 2}, [][]int32{{1, 2}}},
	} {
		if rows := Irreducible(c.in, &Certificate{Rows: c.proof}); !slices.ContainsFunc(c.want, func(w []int32) bool { return slices.Equal(w, rows) }) {
			t.Errorf("%s: rows %v, want one of %v", name, rows, c.want)
		}
	}
	// A value that is fixed is no row, and constants are those of the instance, not of the program.
	in := infertest.New(2).EQ(-1, 1, 1).LE(0.2, -1, 0).LE(-0.9, 1, 1).Instance(t, 1)
	in.B[2] = -1.5
	require.NoError(t, in.Fix(1, 1))
	assert.Equal(t, []int32{0, 1}, slices.Sorted(slices.Values(Irreducible(in, &Certificate{Rows: []int32{0, 1, 2}}))))
}

// A warm state is a copy, and reuses its storage.
func TestSaveWarm(t *testing.T) {
	in := infertest.New(2).Square(1, -0.5, 1, 1).Square(2, 0.7, -1, 0).Instance(t, 0.1)
	res := solve(t, in, nil, Settings{})
	var w Warm
	res.SaveWarm(&w)
	if !slices.Equal(w.Dual, res.Dual) || !slices.Equal(w.Y, res.Y) {
		t.Errorf("saved %v and %v of %v and %v", w.Dual, w.Y, res.Dual, res.Y)
	}
	dual, y := &w.Dual[0], &w.Y[0]
	res.Dual[0], res.Y[0] = 9, 9
	if w.Dual[0] == 9 || w.Y[0] == 9 {
		t.Error("the state is the result's own")
	}
	res.SaveWarm(&w)
	if &w.Dual[0] != dual || &w.Y[0] != y || w.Dual[0] != 9 {
		t.Error("storage is not used again")
	}
}

func TestGapOfComponent(t *testing.T) {
	for _, c := range [][3]float64{{3, 1, 2}, {1, 3, 2}, {-1, -1, 0}} {
		if r := (ComponentResult{Primal: c[0], Dual: c[1]}); r.Gap() != c[2] {
			t.Errorf("%v: gap %v", c, r.Gap())
		}
	}
}
