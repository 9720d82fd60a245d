package bilevel

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// sumsProgram has two rows of three classes and a target for each sum, which both classes imply.
func sumsProgram() *hlmrf.Program {
	p := &hlmrf.Program{Targets: []string{"0", "1", "2", "3", "4"}, Deep: strings.Split("abcdef", ""), Rules: []hlmrf.Rule{{Text: "sum", Weight: 1}}}
	for i := range 3 {
		for j := range 3 {
			p.AddPotential(0, []int32{int32(i + j)}, []float64{-1}, []int32{int32(i), int32(3 + j)}, []float64{1, 1}, -1)
		}
	}
	return p
}

// eachRows are the rows of every sample.
func eachRows(rows []int) func(int) []int { return func(int) []int { return rows } }

// kBestCase is the loss k-best over samples labelled with sums.
type kBestCase struct {
	g       []float64
	samples int
	graph   *lossGraph
}

func newKBestCase(t *testing.T, rng *rand.Rand, sums []int, set Lagrangian, as Reduction) *kBestCase {
	t.Helper()
	template, err := lcqp.Compile(sumsProgram())
	if err != nil {
		t.Fatal(err)
	}
	c := &kBestCase{g: uniform(rng, 6*len(sums), 0.05, 0.95), samples: len(sums)}
	o, err := NewObjective(Problem{
		Template: template, Samples: len(sums), Rows: eachRows([]int{3, 3}),
		Label: func(sample int, in *lcqp.Instance) error { return in.FixOneHot([]int{0, 1, 2, 3, 4}, sums[sample]) },
	}, Settings{Loss: LossKBest, Lagrangian: set, Reduction: as, Value: Options{Solver: tight}})
	require.NoError(t, err)
	c.graph = newLossGraph(t, o, []float64{1}, c.g)
	return c
}

func (c *kBestCase) run(t *testing.T) (loss float64, dg []float64) {
	t.Helper()
	loss, _, dg = c.graph.run(t, upTo(c.samples))
	return loss, dg
}

// TestKBestGradient: by the outputs, of all states and of the best two, warm and cold.
func TestKBestGradient(t *testing.T) {
	for seed := range uint64(3) {
		for _, set := range []Lagrangian{{}, {States: 2}, {StateTemperature: 0.3}, {States: 2, StateTemperature: 3}} {
			c := newKBestCase(t, rand.New(rand.NewPCG(seed, 6)), []int{0, 2, 3, 2}, set, Reduction(seed%2))
			_, dg := c.run(t)
			checkGradient(t, "g", c.g, dg, func() float64 { v, _ := c.run(t); return v }, 1e-5)
		}
	}
}

// TestKBestIsLikelihood: with all states and T = 1 the loss is minus the logarithm of the
// probability of the sum; with one state it is the cross entropy of the likeliest.
func TestKBestIsLikelihood(t *testing.T) {
	g := []float64{0.5, 0.3, 0.2, 0.1, 0.2, 0.7}
	for _, e := range []struct {
		set  Lagrangian
		want float64
	}{
		{Lagrangian{}, -math.Log(0.5*0.7 + 0.3*0.2 + 0.2*0.1)},
		{Lagrangian{States: 2}, -math.Log(0.5*0.7 + 0.3*0.2)},
		{Lagrangian{States: 1}, -math.Log(0.5 * 0.7)},
		{Lagrangian{States: 2, StateTemperature: 2}, -2 * math.Log(math.Sqrt(0.5*0.7)+math.Sqrt(0.3*0.2))},
	} {
		c := newKBestCase(t, rand.New(rand.NewPCG(1, 6)), []int{2}, e.set, Mean)
		copy(c.g, g)
		if v, _ := c.run(t); math.Abs(v-e.want) > 1e-12 {
			t.Errorf("%+v: the loss is %v, want %v", e.set, v, e.want)
		}
	}
}

// TestKBestHardRules: outputs sure of a sum that the label excludes leave hard rules no point, yet the states that the
// label allows have a likelihood.
func TestKBestHardRules(t *testing.T) {
	p := sumsProgram()
	p.HardRules, p.Constraints, p.ConstraintRule = []hlmrf.Rule{{Text: "sum"}}, p.Potentials, p.PotentialRule
	p.Potentials, p.PotentialRule, p.Relations = hlmrf.Rows{}, nil, make([]hlmrf.Relation, 9)
	template, err := lcqp.Compile(p)
	require.NoError(t, err)
	o, err := NewObjective(Problem{
		Template: template, Samples: 1, Rows: eachRows([]int{3, 3}),
		Label: func(_ int, in *lcqp.Instance) error { return in.FixOneHot([]int{0, 1, 2, 3, 4}, 2) },
	}, Settings{Loss: LossKBest})
	require.NoError(t, err)
	g := []float64{0.1, 0.8, 0.1, 0.9, 0.04, 0.06} // 1 + 0, where the sum is 2
	graph := newLossGraph(t, o, []float64{1}, g)
	value := func() float64 { v, _, _ := graph.run(t, upTo(1)); return v }
	require.InDelta(t, -math.Log(0.1*0.06+0.8*0.04+0.1*0.9), value(), 1e-12)
	satisfaction, active := []float64{1}, []float64{1}
	o.Satisfaction(satisfaction, active)
	assert.Equal(t, []float64{0}, satisfaction)
	assert.True(t, math.IsNaN(active[0]))
	assert.Zero(t, o.Spread())
	_, _, dg := graph.run(t, upTo(1))
	checkGradient(t, "g", g, dg, value, 1e-5)
	copy(g, []float64{0.4, 0.3, 0.3, 0.3, 0.3, 0.4})
	value()
	o.Satisfaction(satisfaction, active)
	assert.Equal(t, []float64{1}, satisfaction, "outputs that leave a point")
}

// TestKBestRefuses: outputs that are no rows of classes, and labels that no states have.
func TestKBestRefuses(t *testing.T) {
	p := sumsProgram()
	p.HardRules = []hlmrf.Rule{{Text: "no sum of three"}}
	p.Constraints.Append([]int32{3}, []float64{1}, []int32{5}, []float64{1}, -1) // y₃ + g₅ ≤ 1
	p.Constraints.Append([]int32{3}, []float64{1}, []int32{4}, []float64{1}, -1)
	p.Relations, p.ConstraintRule = make([]hlmrf.Relation, 2), make([]int32, 2)
	template, err := lcqp.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	problem := Problem{
		Template: template, Samples: 1, Rows: eachRows([]int{2, 3}),
		Label: func(_ int, in *lcqp.Instance) error { return in.FixOneHot([]int{0, 1, 2, 3, 4}, 3) },
	}
	_, err = NewObjective(problem, Settings{Loss: LossKBest})
	assert.ErrorContains(t, err, "Problem.Rows", "rows of 5 classes for 6 outputs")
	problem.Rows = eachRows([]int{3, 3})
	o, err := NewObjective(problem, Settings{Loss: LossKBest})
	if err != nil {
		t.Fatal(err)
	}
	// A label that no state has: the second row can only be the class 0, and with it every
	// class of the first one breaks a rule of the sums 0, 1 and 2.
	var contrary *ContraryError
	require.ErrorAs(t, o.Load([]int{0}), &contrary)
	assert.Equal(t, []int32{0, 1, 2, 3}, contrary.Targets)
	assert.ErrorContains(t, contrary, "no sum of three; sum")
}

// TestKBestOfSeveralPrograms: samples of programs with different outputs, in any order, one with
// none: the loss is minus the logarithm of the probabilities of their labels, and the
// gradient that by their own outputs.
func TestKBestOfSeveralPrograms(t *testing.T) {
	two, err := lcqp.Compile(sumsProgram())
	require.NoError(t, err)
	// implied has two targets, which classes imply: those from 1 on the second one.
	implied := func(classes int) *lcqp.Template {
		p := &hlmrf.Program{Targets: []string{"0", "1"}, Deep: strings.Split("abc", "")[:classes], Rules: []hlmrf.Rule{{Text: "sum", Weight: 1}}}
		for i := range classes {
			p.AddPotential(0, []int32{int32(min(i, 1))}, []float64{-1}, []int32{int32(i)}, []float64{1}, 0)
		}
		t, err := lcqp.Compile(p)
		if err != nil {
			panic(err)
		}
		return t
	}
	one, wide := implied(2), implied(3) // the same labels, other states
	none, err := lcqp.Compile(&hlmrf.Program{Rules: []hlmrf.Rule{{Text: "sum", Weight: 1}}})
	require.NoError(t, err)
	list := []*lcqp.Template{one, none, two, wide}
	rows := map[*lcqp.Template][]int{one: {2}, two: {3, 3}, wide: {3}}
	problem := Problem{
		Template: one, Templates: list, Samples: 4, Rows: func(sample int) []int { return rows[list[sample]] },
		Label: func(sample int, in *lcqp.Instance) error {
			if in.Targets == 0 {
				return nil
			}
			return in.FixOneHot(upTo(in.Targets), []int{1, 0, 2, 1}[sample])
		},
	}
	o, err := NewObjective(problem, Settings{Loss: LossKBest, Reduction: Sum, Value: Options{Solver: tight}})
	require.NoError(t, err)
	g := []float64{0.3, 0.7, 0.5, 0.3, 0.2, 0.1, 0.2, 0.7, 0.6, 0.3, 0.1}
	graph := newLossGraph(t, o, []float64{1}, g)
	loss, _, dg := graph.run(t, upTo(4))
	require.InDelta(t, -math.Log(0.7)-math.Log(0.5*0.7+0.3*0.2+0.2*0.1)-math.Log(0.3+0.1), loss, 1e-12)
	checkGradient(t, "g", g, dg, func() float64 { v, _, _ := graph.run(t, upTo(4)); return v }, 1e-5)

	// A class that the network excludes to the last bit counts 1e-30, in the loss and in its gradient.
	g[0], g[1] = 1, 0
	loss, _, dg = graph.run(t, upTo(4))
	require.InEpsilon(t, 30*math.Ln10-math.Log(0.5*0.7+0.3*0.2+0.2*0.1)-math.Log(0.3+0.1), loss, 1e-12)
	require.InEpsilon(t, -1e30, dg[1], 1e-12)

	problem.Rows = func(int) []int { return []int{2} }
	_, err = NewObjective(problem, Settings{Loss: LossKBest})
	require.ErrorContains(t, err, "sample 1 has rows of 2 classes")
}

// upTo lists 0 to n − 1.
func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// TestKBestExcluded: where the network excludes a class of the only state to the last bit, loss
// and gradient are those of the least belief.
func TestKBestExcluded(t *testing.T) {
	c := newKBestCase(t, rand.New(rand.NewPCG(1, 6)), []int{2}, Lagrangian{States: 1}, Mean)
	copy(c.g, []float64{0, 0, 1, 0, 0.5, 0.5}) // 2 + 0 is likeliest, and 0 is excluded
	v, dg := c.run(t)
	if want := -math.Log(leastBelief); math.Abs(v-want) > 1e-12*want {
		t.Errorf("the loss is %v, want %v", v, want)
	}
	for i, d := range dg {
		want := []float64{0, 0, -1, -1 / leastBelief, 0, 0}[i]
		if math.Abs(d-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("derivative %d is %v, want %v", i, d, want)
		}
	}
}
