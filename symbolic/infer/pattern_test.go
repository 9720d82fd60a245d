package infer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// lineProgram is a random program of components with one target each that is free: alone, one
// of two that add up to 1, or one of three of which an equality fixes one; and one component
// without targets. Coefficients of neural outputs are whole, rows repeat.
func lineProgram(t *testing.T, rng *rand.Rand, deep int) *lcqp.Template {
	t.Helper()
	p := &hlmrf.Program{HardRules: []hlmrf.Rule{{Text: "hard"}}}
	for r := range 5 {
		p.Rules = append(p.Rules, hlmrf.Rule{Weight: rng.Float64() * float64(r), Squared: r%2 == 1})
	}
	for i := range deep {
		p.Deep = append(p.Deep, fmt.Sprintf("g%d", i))
	}
	hard := func(relation hlmrf.Relation, constant float64, col []int32, val []float64, deep ...int32) {
		p.AddConstraint(relation, 0, col, val, deep, slices.Repeat([]float64{1}, len(deep)), constant)
	}
	soft := func(targets []int32) {
		var col, out []int32
		var val, coef []float64
		for _, i := range targets {
			if v := float64(rng.IntN(3) - 1); v != 0 {
				col, val = append(col, i), append(val, v)
			}
		}
		for j := range deep {
			if rng.IntN(deep) < 2 {
				out, coef = append(out, int32(j)), append(coef, float64(rng.IntN(2)*2-1))
			}
		}
		constant := float64(rng.IntN(4)-2) / 2
		for range 1 + rng.IntN(2) {
			p.AddPotential(int32(rng.IntN(len(p.Rules))), col, val, out, coef, constant)
		}
	}
	for range 1 + rng.IntN(3) {
		first := int32(len(p.Targets))
		targets := []int32{first, first + 1, first + 2}[:1+rng.IntN(3)]
		for _, i := range targets {
			p.Targets = append(p.Targets, fmt.Sprintf("y%d", i))
		}
		if len(targets) > 1 {
			hard(hlmrf.Equal, -1, targets[:2], []float64{1, 1})
		}
		if len(targets) > 2 {
			hard(hlmrf.Equal, -0.5, targets[2:], []float64{2})
		}
		for range 30 {
			soft(targets)
		}
	}
	for range 5 {
		soft(nil)
	}
	hard(hlmrf.LessEqual, -1.5, nil, nil, 0, 1)
	template, err := lcqp.Compile(p)
	require.NoError(t, err)
	return template
}

// members are programs with random neural outputs, whole numbers among them, of which the
// first two add up to at most 1.5; and where their answers go.
func members(rng *rand.Rand, t *lcqp.Template, n int) []Member {
	list := make([]Member, n)
	for i := range list {
		m := Member{G: make([]float64, t.Deep), Result: new(Result), Phi: make([]float64, t.Rules), Deep: make([]float64, t.Deep)}
		for j := range m.G {
			if m.G[j] = rng.Float64(); i%3 == 0 {
				m.G[j] = float64(rng.IntN(2))
			}
		}
		m.G[1] = min(m.G[1], 1.5-m.G[0])
		list[i] = m
	}
	return list
}

// TestPattern: values, gradients and points are those of Solve, and optimal by the independent
// judge; where outputs are whole, so that many hinges begin at a bound, gradients only have to
// be multipliers of an optimum.
func TestPattern(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 41))
		template := lineProgram(t, rng, 5)
		p, err := NewPattern(template, 0.01)
		require.NoError(t, err)
		if p.lines == nil {
			t.Fatalf("seed %d: not solved in closed form", seed)
		}
		w := template.Program().Weights()
		list := members(rng, template, 19)
		for i := range list {
			list[i].Duals = i%2 == 0
		}
		require.NoError(t, p.Solve(w, list, Settings{}))
		for i, m := range list {
			in, err := p.Instance(w, m.G)
			require.NoError(t, err)
			want := solve(t, in, nil, Settings{GapTolerance: 1e-12})
			r := m.Result
			if r.Status != Solved || r.Stats != (Stats{}) {
				t.Errorf("seed %d, %d: %v, %+v", seed, i, r.Status, r.Stats)
			}
			near := func(what string, got, want, tolerance float64) {
				if !(math.Abs(got-want) <= tolerance) {
					t.Errorf("seed %d, %d: %s is %v, want %v", seed, i, what, got, want)
				}
			}
			near("the primal value", r.PrimalValue, want.PrimalValue, 1e-8)
			near("the dual value", r.DualValue, want.DualValue, 1e-8)
			near("the energy", r.Energy, want.Energy, 1e-6)
			near("the gap", r.TotalGap, 0, 1e-9)
			phi, dg := make([]float64, template.Rules), make([]float64, template.Deep)
			in.Incompatibility(&want.Solution, phi)
			in.DeepGradient(&want.Solution, dg)
			for j := range phi {
				near("Φ", m.Phi[j], phi[j], 1e-5)
			}
			for j := range dg {
				if i%3 != 0 {
					near("Bᵀμ", m.Deep[j], dg[j], 1e-5)
				}
			}
			for j, y := range r.Y {
				near("y", y, want.Y[j], 1e-5)
			}
			if m.Duals {
				mustBeSolved(t, in, r)
				in.Incompatibility(&r.Solution, phi)
				in.DeepGradient(&r.Solution, dg)
				for j := range phi {
					near("Φ of the solution", m.Phi[j], phi[j], 1e-12)
				}
				for j := range dg {
					near("Bᵀμ of the solution", m.Deep[j], dg[j], 1e-12)
				}
			}
			p.Release(in)
		}
	}
}

// TestPatternSplit: the same bits beside whichever programs.
func TestPatternSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 42))
	template := lineProgram(t, rng, 5)
	p, err := NewPattern(template, 0.01)
	require.NoError(t, err)
	w := template.Program().Weights()
	list := members(rng, template, 21)
	require.NoError(t, p.Solve(w, list, Settings{}))
	for size := range 9 {
		again := make([]Member, len(list))
		for i, m := range list {
			again[i] = Member{G: m.G, Result: new(Result), Phi: make([]float64, template.Rules), Deep: make([]float64, template.Deep)}
		}
		for part := range slices.Chunk(again, size+1) {
			require.NoError(t, p.Solve(w, part, Settings{}))
		}
		for i, m := range list {
			if a := again[i]; a.Result.DualValue != m.Result.DualValue || !slices.Equal(a.Phi, m.Phi) || !slices.Equal(a.Deep, m.Deep) || !slices.Equal(a.Result.Y, m.Result.Y) {
				t.Errorf("program %d differs in parts of %d", i, size+1)
			}
		}
	}
}

// TestPatternStepsAside: what is no line, what does not meet the stop rule and what is
// infeasible is left to Solve, and so is bad input.
func TestPatternStepsAside(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 43))
	template := lineProgram(t, rng, 5)
	p, err := NewPattern(template, 0.01)
	require.NoError(t, err)
	w := template.Program().Weights()
	list := members(rng, template, 3)
	list[1].G[0], list[1].G[1] = 1, 1
	require.NoError(t, p.Solve(w, list, Settings{}))
	for i, want := range []Status{Solved, Infeasible, Solved} {
		if r := list[i].Result; r.Status != want || (r.Err() == nil) != (want == Solved) {
			t.Errorf("program %d: %v, %v", i, r.Status, r.Err())
		}
	}
	// No gap is small enough for this rule, so that what Solve ends with is the answer.
	list = members(rng, template, 2)
	require.NoError(t, p.Solve(w, list, Settings{GapTolerance: 1e-300}))
	if r := list[1].Result; !r.Status.OK() || r.Stats.RowsLeft == 0 {
		t.Errorf("with a rule that cannot be met: %v, %+v", r.Status, r.Stats)
	}
	list[0].G[2] = math.NaN()
	if err := p.Solve(w, list, Settings{}); err == nil {
		t.Error("an output that is not a number was accepted")
	}
	list[0].G = nil
	if err := p.Solve(w, list, Settings{}); err == nil {
		t.Error("a program without outputs was accepted")
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		w[0] = bad
		if err := p.Solve(w, list[1:], Settings{}); err == nil {
			t.Errorf("the weight %v was accepted", bad)
		}
	}
}

// TestPatternClosedEquality: a hard equality of neural outputs alone is broken from either side.
func TestPatternClosedEquality(t *testing.T) {
	p := &hlmrf.Program{Targets: []string{"Y"}, Deep: []string{"a", "b"}, Rules: []hlmrf.Rule{{Weight: 1, Squared: true}}, HardRules: []hlmrf.Rule{{Text: "a = b ."}}}
	p.AddPotential(0, []int32{0}, []float64{-1}, []int32{0}, []float64{1}, 0)
	p.AddConstraint(hlmrf.Equal, 0, nil, nil, []int32{0, 1}, []float64{1, -1}, 0)
	template, err := lcqp.Compile(p)
	require.NoError(t, err)
	pattern, err := NewPattern(template, 0.01)
	require.NoError(t, err)
	require.NotNil(t, pattern.lines)
	for _, c := range []struct {
		a, b float64
		want Status
	}{{0.5, 0.5, Solved}, {0.5, 0.25, Infeasible}, {0.25, 0.5, Infeasible}} {
		list := []Member{{G: []float64{c.a, c.b}, Result: new(Result)}}
		require.NoError(t, pattern.Solve([]float64{1}, list, Settings{}))
		if got := list[0].Result.Status; got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestPatternGaps: the gap of a program is the sum of the gaps of its components, each as it is
// alone, and the largest of them is told.
func TestPatternGaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 41))
	const parts = 3
	program := func(from, to int) *hlmrf.Program {
		p := &hlmrf.Program{Deep: []string{"g"}, Rules: []hlmrf.Rule{{Weight: 1, Squared: true}}}
		for i := from; i < to; i++ {
			p.Targets = append(p.Targets, fmt.Sprint("y", i))
			own := rand.New(rand.NewPCG(uint64(i), 42))
			for range 7 {
				p.AddPotential(0, []int32{int32(i - from)}, []float64{own.NormFloat64()}, []int32{0}, []float64{own.NormFloat64()}, 1+own.NormFloat64())
			}
		}
		return p
	}
	gaps := func(p *hlmrf.Program, g float64) (total, most float64) {
		template, err := lcqp.Compile(p)
		require.NoError(t, err)
		pattern, err := NewPattern(template, 0.01)
		require.NoError(t, err)
		require.NotNil(t, pattern.lines)
		list := []Member{{G: []float64{g}, Result: new(Result)}}
		require.NoError(t, pattern.Solve([]float64{1}, list, Settings{}))
		return list[0].Result.TotalGap, list[0].Result.MaxComponentGap
	}
	different := 0
	for range 100 {
		g := rng.Float64()
		sum, most, last := 0.0, 0.0, 0.0
		for i := range parts {
			last, _ = gaps(program(i, i+1), g)
			sum, most = sum+last, max(most, last)
		}
		total, largest := gaps(program(0, parts), g)
		if total != sum || largest != most {
			t.Fatalf("g = %v: gaps %v and %v, the components alone have %v and %v", g, total, largest, sum, most)
		}
		if most > last {
			different++
		}
	}
	if different < 10 {
		t.Errorf("the last component has the largest gap in all but %d programs", different)
	}
}

// TestPatternInfiniteWeight: an infinite weight is refused where its rule leaves no line to solve, too: it has no row,
// one that is met everywhere, or one of neural outputs alone.
func TestPatternInfiniteWeight(t *testing.T) {
	for name, add := range map[string]func(*hlmrf.Program){
		"no row":  func(*hlmrf.Program) {},
		"met":     func(p *hlmrf.Program) { p.AddPotential(1, []int32{0}, []float64{1}, nil, nil, -2) },
		"outputs": func(p *hlmrf.Program) { p.AddPotential(1, nil, nil, []int32{0}, []float64{1}, 0) },
	} {
		p := &hlmrf.Program{Targets: []string{"Y"}, Deep: []string{"a"}, Rules: []hlmrf.Rule{{Weight: 1, Squared: true}, {Weight: 1}}}
		p.AddPotential(0, []int32{0}, []float64{-1}, []int32{0}, []float64{1}, 0)
		add(p)
		template, err := lcqp.Compile(p)
		require.NoError(t, err)
		pattern, err := NewPattern(template, 0.01)
		require.NoError(t, err)
		require.NotNil(t, pattern.lines)
		err = pattern.Solve([]float64{1, math.Inf(1)}, []Member{{G: []float64{0.5}, Result: new(Result)}}, Settings{})
		require.ErrorContains(t, err, "weight 1 is +Inf", name)
	}
}

// TestPatternReleased: an instance that was edited before Release has no influence on later programs.
func TestPatternReleased(t *testing.T) {
	template := lineProgram(t, rand.New(rand.NewPCG(3, 3)), 3)
	p, err := NewPattern(template, 0.01)
	require.NoError(t, err)
	w, g := template.Program().Weights(), []float64{0.5, 0.25, 1}
	in, err := p.Instance(w, g)
	require.NoError(t, err)
	require.NoError(t, in.Fix(0, 1))
	require.NoError(t, in.SetProx([]float64{3}, make([]float64, template.Targets)))
	p.Release(in)
	in, err = p.Instance(w, g)
	require.NoError(t, err)
	fresh, err := template.NewInstance(0.01)
	require.NoError(t, err)
	require.Equal(t, fresh.Lower, in.Lower)
	require.Equal(t, fresh.Upper, in.Upper)
	require.Equal(t, fresh.Prox, in.Prox)
}
