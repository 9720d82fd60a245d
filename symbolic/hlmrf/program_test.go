package hlmrf_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

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
		if v := p.Violation([]float64{c.y0, c.y1}, []float64{c.g}); v != c.want {
			t.Errorf("violation at (%v, %v; %v) is %v, want %v", c.y0, c.y1, c.g, v, c.want)
		}
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

func TestRelationString(t *testing.T) {
	if hlmrf.LessEqual.String() != "<=" || hlmrf.Equal.String() != "=" {
		t.Errorf("%v, %v", hlmrf.LessEqual, hlmrf.Equal)
	}
}

// Definition 5.1 makes the energy a convex function of y for any g.
func TestEnergyIsConvex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		p := friends()
		g := []float64{rng.Float64()}
		a, b, mid := make([]float64, 2), make([]float64, 2), make([]float64, 2)
		s := rng.Float64()
		for i := range a {
			a[i], b[i] = rng.Float64(), rng.Float64()
			mid[i] = s*a[i] + (1-s)*b[i]
		}
		if e, bound := p.Energy(mid, g, nil), s*p.Energy(a, g, nil)+(1-s)*p.Energy(b, g, nil); e > bound+1e-12 {
			t.Fatalf("E = %v between values averaging %v", e, bound)
		}
	})
}

func TestCheckAccepts(t *testing.T) {
	if err := friends().Check(); err != nil {
		t.Error(err)
	}
	if err := new(hlmrf.Program).Check(); err != nil {
		t.Error(err)
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
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
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
		if all.At(k, y, g) != rows.At(at, y, g) {
			t.Errorf("row %d differs", k)
		}
	}
	// What is appended to constraints must not run into the potentials.
	before := p.Potentials.At(0, y, g)
	p.Constraints.Append([]int32{0}, []float64{9}, []int32{0}, []float64{9}, 9)
	if p.Potentials.At(0, y, g) != before {
		t.Error("a new constraint has overwritten a potential")
	}
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

func TestAllRowsOfPotentials(t *testing.T) {
	p := friends()
	if _, ok := p.AllRows(); ok {
		t.Error("two lists pass for one")
	}
	p.Constraints, p.ConstraintRule, p.Relations = hlmrf.Rows{}, nil, nil
	if all, ok := p.AllRows(); !ok || all.Len() != 3 {
		t.Errorf("potentials alone: %v with %d rows", ok, all.Len())
	}
	if _, ok := new(hlmrf.Program).AllRows(); ok {
		t.Error("a program without rows has a list")
	}
}
