package hlmrf_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
)

// friends is the running example: two targets, one neural output,
//
//	r0 (2, linear)  max(0, y0 − y1)
//	r1 (3, square)  max(0, g0 − y1 + 0.25)², max(0, −y0 + 0.5)²
//	hard            y0 + y1 = 1,  y0 − g0 ≤ 0
func friends() *hlmrf.Program {
	p := &hlmrf.Program{
		Targets: []string{"y0", "y1"}, Deep: []string{"g0"},
		Rules: []hlmrf.Rule{
			{Text: "r0", Source: "m.psl:1:1", Weight: 2},
			{Text: "r1", Source: "m.psl:2:1", Weight: 3, Squared: true},
		},
		HardRules: []hlmrf.Rule{{Text: "h0"}, {Text: "h1"}},
	}
	p.Potentials.Append([]int32{0, 1}, []float64{1, -1}, nil, nil, 0)
	p.Potentials.Append([]int32{1}, []float64{-1}, []int32{0}, []float64{1}, 0.25)
	p.Potentials.Append([]int32{0}, []float64{-1}, nil, nil, 0.5)
	p.PotentialRule = []int32{0, 1, 1}
	p.Constraints.Append([]int32{0, 1}, []float64{1, 1}, nil, nil, -1)
	p.Constraints.Append([]int32{0}, []float64{1}, []int32{0}, []float64{-1}, 0)
	p.ConstraintRule = []int32{0, 1}
	p.Relations = []hlmrf.Relation{hlmrf.Equal, hlmrf.LessEqual}
	return p
}

func TestEnergy(t *testing.T) {
	p := friends()
	for _, c := range []struct {
		y0, y1, g float64
		phi       [2]float64
	}{
		{0.5, 0.5, 0, [2]float64{0, 0}},
		{1, 0.25, 0, [2]float64{0.75, 0}},
		{0, 0, 1, [2]float64{0, 1.25*1.25 + 0.25}},
		{0.25, 1, 0.875, [2]float64{0, 0.125*0.125 + 0.0625}},
	} {
		y, g := []float64{c.y0, c.y1}, []float64{c.g}
		phi := []float64{9, 9} // must be overwritten
		p.Incompatibility(y, g, phi)
		if phi[0] != c.phi[0] || phi[1] != c.phi[1] {
			t.Errorf("Φ(%v, %v) = %v, want %v", y, g, phi, c.phi)
		}
		if e, want := p.Energy(y, g, nil), 2*c.phi[0]+3*c.phi[1]; e != want {
			t.Errorf("E(%v, %v) = %v, want %v", y, g, e, want)
		}
		if e, want := p.Energy(y, g, []float64{10, 100}), 10*c.phi[0]+100*c.phi[1]; e != want {
			t.Errorf("E(%v, %v) = %v with other weights, want %v", y, g, e, want)
		}
	}
}

func TestViolation(t *testing.T) {
	p := friends()
	for _, c := range []struct{ y0, y1, g, want float64 }{
		{0.5, 0.5, 1, 0},
		{0.5, 0.25, 1, 0.25},    // the sum falls short: |·| of an equality
		{0.75, 0.25, 0.5, 0.25}, // y0 > g0
		{1.5, -0.5, 2, 0.5},     // the box
	} {
		assert.Equalf(t, c.want, p.Violation([]float64{c.y0, c.y1}, []float64{c.g}), "violation at (%v, %v; %v)", c.y0, c.y1, c.g)
	}
}

func TestWeightsIsACopy(t *testing.T) {
	p := friends()
	w := p.Weights()
	if len(w) != 2 || w[0] != 2 || w[1] != 3 {
		t.Fatalf("weights %v", w)
	}
	w[0] = 7
	if p.Rules[0].Weight != 2 {
		t.Error("Weights aliases the rules")
	}
}

func TestCheckRejects(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name, want string
		spoil      func(*hlmrf.Program)
	}{
		{"rule count", "3 potentials but 2", func(p *hlmrf.Program) { p.PotentialRule = p.PotentialRule[:2] }},
		{"constraint rules", "2 constraints but 1", func(p *hlmrf.Program) { p.ConstraintRule = p.ConstraintRule[:1] }},
		{"relations", "and 1 relations", func(p *hlmrf.Program) { p.Relations = p.Relations[:1] }},
		{"negative weight", "rule 1 (m.psl:2:1)", func(p *hlmrf.Program) { p.Rules[1].Weight = -0.5 }},
		{"NaN weight", "weight NaN", func(p *hlmrf.Program) { p.Rules[0].Weight = nan }},
		{"infinite weight", "weight +Inf", func(p *hlmrf.Program) { p.Rules[0].Weight = inf }},
		{"unknown rule", "potential 1 names rule 2 of 2", func(p *hlmrf.Program) { p.PotentialRule[1] = 2 }},
		{"negative rule", "potential 0 names rule -1", func(p *hlmrf.Program) { p.PotentialRule[0] = -1 }},
		{"unknown hard rule", "constraint 1 names hard rule 5", func(p *hlmrf.Program) { p.ConstraintRule[1] = 5 }},
		{"target column", "potential 0: target column 2", func(p *hlmrf.Program) { p.Potentials.Col[1] = 2 }},
		{"negative column", "column -1", func(p *hlmrf.Program) { p.Constraints.Col[0] = -1 }},
		{"repeated column", "column 0 after 0", func(p *hlmrf.Program) { p.Potentials.Col[1] = 0 }},
		{"deep column", "potential 1: deep column 1", func(p *hlmrf.Program) { p.Potentials.DeepCol[0] = 1 }},
		{"NaN coefficient", "coefficient NaN", func(p *hlmrf.Program) { p.Potentials.Val[0] = nan }},
		{"infinite coefficient", "constraint 1: deep coefficient +Inf", func(p *hlmrf.Program) { p.Constraints.DeepVal[0] = inf }},
		{"NaN constant", "constant NaN", func(p *hlmrf.Program) { p.Constraints.Const[1] = nan }},
		{"relation", "constraint 1 has the relation 2", func(p *hlmrf.Program) { p.Relations[1] = hlmrf.Equal + 1 }},
		{"row end", "potential 2: it ends", func(p *hlmrf.Program) { p.Potentials.Ptr[3] = 99 }},
		{"row order", "potential 1: it ends", func(p *hlmrf.Program) { p.Potentials.Ptr[2] = 0 }},
		{"row begin", "potential 0: it ends", func(p *hlmrf.Program) { p.Potentials.Ptr[0] = -1 }},
		{"deep row end", "constraint 1: it ends", func(p *hlmrf.Program) { p.Constraints.DeepPtr[2] = 99 }},
		{"storage", "unequal length", func(p *hlmrf.Program) { p.Potentials.Val = p.Potentials.Val[:3] }},
	} {
		p := friends()
		c.spoil(p)
		err := p.Check()
		if err == nil || !strings.HasPrefix(err.Error(), "hlmrf: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

// shared returns friends with its rows in one list.
func shared() *hlmrf.Program {
	p := friends()
	var all hlmrf.Rows
	for _, rows := range []*hlmrf.Rows{&p.Constraints, &p.Potentials} {
		for k := range rows.Len() {
			col, val := rows.Row(k)
			deepCol, deepVal := rows.DeepRow(k)
			all.Append(col, val, deepCol, deepVal, rows.Const[k])
		}
	}
	p.SetRows(all, 2)
	return p
}

// Rows of one list are the same rows, and can be told from changed ones.
func TestSetRows(t *testing.T) {
	p, want := shared(), friends()
	require.NoError(t, p.Check())
	y, g := []float64{0.3, 0.6}, []float64{0.7}
	if p.Energy(y, g, nil) != want.Energy(y, g, nil) || p.Violation(y, g) != want.Violation(y, g) {
		t.Error("energy or violation differ")
	}
	all, ok := p.AllRows()
	if !ok || all.Len() != 5 {
		t.Fatalf("%v with %d rows", ok, all.Len())
	}
	for k := range 5 {
		rows, at := &p.Constraints, k
		if k >= 2 {
			rows, at = &p.Potentials, k-2
		}
		assert.Equalf(t, rows.At(at, y, g), all.At(k, y, g), "row %d differs", k)
	}
	// What is appended to constraints must not run into the potentials.
	before := p.Potentials.At(0, y, g)
	p.Constraints.Append([]int32{0}, []float64{9}, []int32{0}, []float64{9}, 9)
	assert.Equal(t, before, p.Potentials.At(0, y, g), "a new constraint has overwritten a potential")
	if _, ok := p.AllRows(); ok {
		t.Error("changed constraints pass for one list")
	}
	for name, change := range map[string]func(*hlmrf.Program){
		"another potential":   func(p *hlmrf.Program) { p.Potentials.Append(nil, nil, nil, nil, 1) },
		"other potentials":    func(p *hlmrf.Program) { p.Potentials = friends().Potentials },
		"fewer constraints":   func(p *hlmrf.Program) { p.Constraints = hlmrf.Rows{} },
		"other coefficients":  func(p *hlmrf.Program) { p.Potentials.Val = make([]float64, len(p.Potentials.Val)) },
		"the same, elsewhere": func(p *hlmrf.Program) { p.Constraints = friends().Constraints },
	} {
		p := shared()
		change(p)
		if _, ok := p.AllRows(); ok {
			t.Errorf("%s: passes for one list", name)
		}
	}
}
