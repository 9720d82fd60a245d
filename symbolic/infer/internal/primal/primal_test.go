package primal_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/infer/internal/primal"
	"hinge/symbolic/lcqp"
)

// pairs adds (a·y + d·g + k)² as two hinges.
func pairs(p *hlmrf.Program, rule int32, col []int32, val []float64, deep []int32, deepVal []float64, k float64) {
	for _, sign := range []float64{1, -1} {
		v, d := make([]float64, len(val)), make([]float64, len(deepVal))
		for i := range val {
			v[i] = sign * val[i]
		}
		for i := range deepVal {
			d[i] = sign * deepVal[i]
		}
		p.AddPotential(rule, col, v, deep, d, sign*k)
	}
}

// collective is a random model of n things with c labels each, like a citation
// graph: outputs, links and sums that are 1. Some sums are left out, some rows
// have three targets.
func collective(rng *rand.Rand, n, c int) *lcqp.Template {
	p := &hlmrf.Program{Rules: []hlmrf.Rule{{Weight: 1, Squared: true}}, HardRules: []hlmrf.Rule{{}}}
	for l := range c {
		p.Rules = append(p.Rules, hlmrf.Rule{Weight: 0.2 + float64(l), Squared: true})
	}
	for i := range n * c {
		p.Targets, p.Deep = append(p.Targets, fmt.Sprint("y", i)), append(p.Deep, fmt.Sprint("g", i))
		pairs(p, 0, []int32{int32(i)}, []float64{1}, []int32{int32(i)}, []float64{-1}, 0)
	}
	for range 2 * n {
		u, w := rng.IntN(n), rng.IntN(n)
		if u == w {
			continue
		}
		u, w = min(u, w), max(u, w)
		for l := range c {
			pairs(p, int32(1+l), []int32{int32(u*c + l), int32(w*c + l)}, []float64{1.4, -1.4}, nil, nil, 0)
		}
	}
	if n >= 3 {
		pairs(p, 1, []int32{0, int32(c), int32(2 * c)}, []float64{1, 0.5, -1}, nil, nil, -0.3)
	}
	for i := range n {
		if rng.IntN(4) == 0 {
			continue
		}
		var col []int32
		var val []float64
		for l := range c {
			col, val = append(col, int32(i*c+l)), append(val, 1)
		}
		p.AddConstraint(hlmrf.Equal, 0, col, val, nil, nil, -1)
	}
	t, err := lcqp.Compile(p)
	if err != nil {
		panic(err)
	}
	return t
}

// instance has random outputs and random labels for a third of the things.
func instance(t *testing.T, rng *rand.Rand, tm *lcqp.Template, c int) *lcqp.Instance {
	t.Helper()
	in, err := tm.NewInstance(1e-3)
	require.NoError(t, err)
	g := make([]float64, tm.Deep)
	for i := range g {
		g[i] = rng.Float64()
	}
	require.NoError(t, in.SetDeep(g))
	for i := range tm.Targets / c {
		if rng.IntN(3) > 0 {
			continue
		}
		label := rng.IntN(c)
		for l := range c {
			v := 0.0
			if l == label {
				v = 1
			}
			require.NoError(t, in.Fix(i*c+l, v))
		}
	}
	return in
}

// TestAgainstInterior: on random models the solution is that of the interior point method, and
// the outside check confirms it.
func TestAgainstInterior(t *testing.T) {
	iterations := 0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		c := 2 + rng.IntN(4)
		tm := collective(rng, 3+rng.IntN(20), c)
		in := instance(t, rng, tm, c)
		if seed%3 == 0 {
			center := make([]float64, tm.Targets)
			for i := range center {
				center[i] = rng.Float64()
			}
			require.NoError(t, in.SetProx([]float64{0.1}, center))
		}
		var mine, other infer.Result
		require.NoError(t, infer.Solve(in, nil, infer.Settings{Method: new(method)}, &mine))
		require.NoError(t, infer.Solve(in, nil, infer.Settings{Method: infer.InteriorPoint{}}, &other))
		if !mine.Status.OK() || !other.Status.OK() {
			t.Fatalf("seed %d: %v and %v", seed, mine.Status, other.Status)
		}
		iterations += mine.Stats.Iterations
		if d := math.Abs(mine.DualValue - other.DualValue); d > 1e-6*(1+math.Abs(other.DualValue)) {
			t.Errorf("seed %d: value %v, the interior point method finds %v", seed, mine.DualValue, other.DualValue)
		}
		for i := range mine.Y {
			if d := math.Abs(mine.Y[i] - other.Y[i]); d > 1e-4 {
				t.Errorf("seed %d: target %d is %v, the interior point method finds %v", seed, i, mine.Y[i], other.Y[i])
			}
		}
		if r := lcqp.Residuals(in, &mine.Solution); !(r.Max() <= 1e-6) {
			t.Errorf("seed %d: residuals %v", seed, r)
		}
	}
	if iterations < 30 {
		t.Errorf("%d passes in all: too few for the models?", iterations)
	}
}

// method is descent alone, for components of any size.
type method struct{ infer.Auto }

func (*method) NewSolver() infer.Solver { return new(solver) }

// solver makes passes as long as the targets move.
type solver struct {
	primal.Descent
	quadratic bool
}

func (s *solver) Init(p *infer.Problem) {
	if s.quadratic = s.Reads(p); s.quadratic {
		s.Descent.Init(p)
	}
}

func (s *solver) Iterate(p *infer.Problem) infer.Progress {
	if !s.quadratic || s.Pass(p) < primal.Rounding {
		return infer.Settled
	}
	return infer.Ready
}

func (s *solver) Point(p *infer.Problem) {
	if s.quadratic {
		s.Descent.Point(p)
	}
}

// TestOtherModels: a model that is not quadratic is no model of this package.
func TestOtherModels(t *testing.T) {
	base := func() *hlmrf.Program {
		p := &hlmrf.Program{
			Targets: []string{"a", "b", "c"}, Rules: []hlmrf.Rule{{Weight: 1, Squared: true}, {Weight: 0.3}},
			HardRules: []hlmrf.Rule{{}},
		}
		pairs(p, 0, []int32{0, 1}, []float64{1, -1}, nil, nil, 0)
		pairs(p, 0, []int32{1, 2}, []float64{1, -1}, nil, nil, 0.2)
		pairs(p, 0, []int32{0}, []float64{1}, nil, nil, -0.9)
		return p
	}
	for name, c := range map[string]struct {
		change func(p *hlmrf.Program)
		want   bool
	}{
		"quadratic": {func(p *hlmrf.Program) {}, true},
		"a square of its own that is always active": {func(p *hlmrf.Program) {
			p.AddPotential(0, []int32{2}, []float64{2}, nil, nil, 0)
		}, true},
		"a hinge of its own": {func(p *hlmrf.Program) {
			p.AddPotential(0, []int32{2}, []float64{-1}, nil, nil, 0.5)
		}, false},
		"a linear hinge": {func(p *hlmrf.Program) {
			p.AddPotential(1, []int32{2}, []float64{1}, nil, nil, 0)
		}, false},
		"an inequality": {func(p *hlmrf.Program) {
			p.AddConstraint(hlmrf.LessEqual, 0, []int32{0, 2}, []float64{1, 1}, nil, nil, -1)
		}, false},
		"equalities that share a target": {func(p *hlmrf.Program) {
			for _, col := range [][]int32{{0, 1}, {1, 2}} {
				p.AddConstraint(hlmrf.Equal, 0, col, []float64{1, 1}, nil, nil, -1)
			}
		}, false},
		"a square inside a block": {func(p *hlmrf.Program) {
			p.AddConstraint(hlmrf.Equal, 0, []int32{0, 1}, []float64{1, 1}, nil, nil, -1)
		}, false},
		"an equality with other coefficients": {func(p *hlmrf.Program) {
			p.AddConstraint(hlmrf.Equal, 0, []int32{0, 2}, []float64{2, -0.5}, nil, nil, -0.25)
		}, true},
	} {
		p := base()
		c.change(p)
		in, err := lcqp.NewInstance(p, 1e-2)
		require.NoError(t, err)
		var res infer.Result
		require.NoError(t, infer.Solve(in, nil, infer.Settings{Method: new(method), NoPresolve: true, Workers: 1}, &res))
		if res.Status.OK() != c.want {
			t.Errorf("%s: %v, quadratic: %v", name, res.Status, c.want)
		}
	}
}

// TestAgain: solving again with other outputs, weights and labels, in turn, gives the same
// bits as a fresh solver.
func TestAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const c = 4
	tm := collective(rng, 600, c)
	s := new(method)
	phases := []*lcqp.Instance{instance(t, rng, tm, c), instance(t, rng, tm, c), instance(t, rng, tm, c)}
	for round := range 3 {
		for n, in := range phases {
			w := make([]float64, tm.Rules)
			for i := range w {
				w[i] = 0.1 + rng.Float64()
			}
			require.NoError(t, in.SetWeights(w))
			var mine, fresh infer.Result
			set := infer.Settings{Method: s, Workers: 1, GapAbsolute: 1e-4, StationarityTolerance: 1e-4}
			require.NoError(t, infer.Solve(in, nil, set, &mine))
			set.Method = new(method)
			require.NoError(t, infer.Solve(in, nil, set, &fresh))
			if !mine.Status.OK() || mine.DualValue != fresh.DualValue {
				t.Errorf("round %d, phase %d: %v with value %v, a fresh solver finds %v", round, n, mine.Status, mine.DualValue, fresh.DualValue)
			}
		}
	}
}

// TestSensitivity: the multipliers give the derivative of the value by the neural
// outputs, Bᵀμ, as finite differences have it.
func TestSensitivity(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	const c = 3
	tm := collective(rng, 12, c)
	in := instance(t, rng, tm, c)
	set := infer.Settings{Method: new(method), GapTolerance: 1e-12, StationarityTolerance: 1e-11}
	g := make([]float64, tm.Deep)
	for i := range g {
		g[i] = 0.1 + 0.8*rng.Float64()
	}
	value := func() (float64, *infer.Result) {
		require.NoError(t, in.SetDeep(g))
		var res infer.Result
		require.NoError(t, infer.Solve(in, nil, set, &res))
		return res.DualValue, &res
	}
	_, res := value()
	dg := make([]float64, tm.Deep)
	in.DeepGradient(&res.Solution, dg)
	moved := 0
	for i := range g {
		const h = 1e-5
		old := g[i]
		g[i] = old + h
		up, _ := value()
		g[i] = old - h
		down, _ := value()
		g[i] = old
		if want := (up - down) / (2 * h); math.Abs(dg[i]-want) > 1e-4*(1+math.Abs(want)) {
			t.Errorf("output %d: derivative %v, differences %v", i, dg[i], want)
		}
		if dg[i] != 0 {
			moved++
		}
	}
	if moved < len(g)/2 {
		t.Errorf("only %d of %d derivatives are not zero", moved, len(g))
	}
}

// TestScales: weights that differ by many orders of magnitude.
func TestScales(t *testing.T) {
	p := &hlmrf.Program{
		Targets: []string{"a", "b", "c"}, HardRules: []hlmrf.Rule{{}},
		Rules: []hlmrf.Rule{{Weight: 1e-4, Squared: true}, {Weight: 1e3, Squared: true}},
	}
	pairs(p, 0, []int32{0}, []float64{1}, nil, nil, -0.8)
	pairs(p, 1, []int32{0, 1}, []float64{1, -1}, nil, nil, 0)
	pairs(p, 0, []int32{2}, []float64{1}, nil, nil, -0.1)
	p.Constraints.Append([]int32{1, 2}, []float64{1, 1}, nil, nil, -1)
	p.ConstraintRule, p.Relations = []int32{0}, []hlmrf.Relation{hlmrf.Equal}
	in, err := lcqp.NewInstance(p, 1e-8)
	require.NoError(t, err)
	var mine, other infer.Result
	require.NoError(t, infer.Solve(in, nil, infer.Settings{GapAbsolute: 1e-8}, &mine))
	require.NoError(t, infer.Solve(in, nil, infer.Settings{Method: infer.InteriorPoint{}}, &other))
	if !mine.Status.OK() || math.Abs(mine.DualValue-other.DualValue) > 1e-8 {
		t.Errorf("%v with value %v, the interior point method finds %v", mine.Status, mine.DualValue, other.DualValue)
	}
}
