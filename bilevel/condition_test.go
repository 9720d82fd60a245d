package bilevel

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// twins are two value functions of the same random template, one of them
// conditioned.
func twins(t *testing.T, rng *rand.Rand, slots int) (whole, conditioned *ValueFunction) {
	t.Helper()
	whole = randomValue(t, rng, slots)
	opt := whole.opt
	opt.Condition, opt.Check = true, true
	conditioned, err := New(whole.template, slots, opt)
	require.NoError(t, err)
	return whole, conditioned
}

// fixSome fixes the same random labels, the first targets' on the simplex, in
// both.
func fixSome(t *testing.T, rng *rand.Rand, a, b *lcqp.Instance) {
	t.Helper()
	label := func(i int, v float64) {
		require.NoError(t, errors.Join(a.Fix(i, v), b.Fix(i, v)))
	}
	a.FreeAll()
	b.FreeAll()
	if rng.IntN(2) == 0 {
		hot := rng.IntN(3)
		for i := range 3 { // y0 + y1 + y2 = 1
			label(i, map[bool]float64{true: 1}[i == hot])
		}
	}
	for i := 3; i < a.Targets; i++ {
		if rng.IntN(2) == 0 {
			label(i, float64(rng.IntN(3))/8) // y3 ≤ 0.4
		}
	}
}

// Values, gradients and points are those of the whole program, also after labels
// have changed.
func TestConditionIsTransparent(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	const slots = 24
	used := 0
	for range 12 {
		whole, small := twins(t, rng, slots)
		for range 3 {
			for i := range slots {
				fixSome(t, rng, whole.insts[i], small.insts[i])
			}
			w, g := uniform(rng, whole.template.Rules, 0.2, 1), uniform(rng, slots*whole.template.Deep, 0, 1)
			require.NoError(t, errors.Join(whole.Solve(w, g), small.Solve(w, g)))
			mustBeNear(t, "values", small.values, whole.values, 1e-8)
			mustBeNear(t, "Φ", small.phi, whole.phi, 1e-4)
			mustBeNear(t, "Bᵀμ", small.dg, whole.dg, 1e-4)
			for i := range slots {
				mustBeNear(t, "y", small.Result(i).Y, whole.Result(i).Y, 1e-4)
				mustBeNear(t, "energy", []float64{small.Result(i).Energy}, []float64{whole.Result(i).Energy}, 1e-4)
				if small.given[i] != nil {
					used++
				}
			}
			if a, b := whole.stats, small.stats; a.Solves != b.Solves || a.Unsolved != b.Unsolved {
				t.Errorf("%+v conditioned, %+v whole", b, a)
			}
		}
	}
	if used != 12*3*slots {
		t.Errorf("%d of %d problems were conditioned", used, 12*3*slots)
	}
}

func mustBeNear(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	require.Equalf(t, len(want), len(got), "%s", what)
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= tol) {
			t.Fatalf("%s[%d] = %v, want %v", what, i, v, want[i])
		}
	}
}

// What the conditioned program cannot do is left to the whole one.
func TestConditionStepsAside(t *testing.T) {
	rng := rand.New(rand.NewPCG(72, 1))
	const slots = 4
	whole, small := twins(t, rng, slots)
	for i := range slots {
		fixSome(t, rng, whole.insts[i], small.insts[i])
	}
	w, g := uniform(rng, whole.template.Rules, 0.2, 1), uniform(rng, slots*whole.template.Deep, 0, 1)
	g[0] = 1 + 1e-6 // slot 0: outside the box
	small.Bind(2, new(infer.Warm))
	require.NoError(t, errors.Join(whole.Solve(w, g), small.Solve(w, g)))
	for i, want := range []bool{false, true, false, true} {
		if got := small.given[i] != nil; got != want {
			t.Errorf("slot %d: conditioned %v, want %v", i, got, want)
		}
	}
	assert.Equal(t, whole.template.Rows(), len(small.Warm(2).Dual), "the warm state is not of the whole program")
	mustBeNear(t, "values", small.values, whole.values, 1e-8)

	y := uniform(rng, slots*whole.template.Targets, 0, 1)
	require.NoError(t, errors.Join(whole.SolveMoreau(w, g, y, 5), small.SolveMoreau(w, g, y, 5)))
	mustBeNear(t, "Moreau values", small.values, whole.values, 1e-8)
	mustBeNear(t, "their gradients for y", small.dy, whole.dy, 1e-5)

	for i := range 3 { // a contradiction: the error has the solver's proof
		require.NoError(t, small.Instance(1).Fix(i, 1))
	}
	var infeasible *infer.InfeasibleError
	if err := small.Solve(w, g); !errors.As(err, &infeasible) {
		t.Errorf("error %v, want an InfeasibleError", err)
	}
	g[3] = math.NaN()
	assert.Error(t, small.Solve(w, g), "an output that is not a number was accepted")
}

// Samples share the program of their labels, threads do not matter, and neither
// does what was kept before.
func TestConditionsAreShared(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 1))
	const slots = 40
	_, f := twins(t, rng, slots)
	for i := range slots {
		for k := range 3 {
			require.NoError(t, f.Instance(i).Fix(k, map[bool]float64{true: 1}[k == i%3]))
		}
	}
	w, g := uniform(rng, f.template.Rules, 0.2, 1), uniform(rng, slots*f.template.Deep, 0, 1)
	var want []float64
	for _, c := range []struct{ workers, rows int }{{1, 0}, {4, 0}, {4, conditionedRows + 1}, {1, 0}} {
		f.opt.Solver.Workers = c.workers
		if c.rows > 0 { // no room is left: new labels make some
			f.conditions.rows += c.rows
			require.NoError(t, f.Instance(0).Fix(3, 0.125))
			require.NoError(t, f.Solve(w, g))
			require.NoError(t, f.Instance(0).Free(3))
			if n := f.conditions.rows; n > conditionedRows {
				t.Errorf("%d rows are kept", n)
			}
		}
		require.NoError(t, f.Solve(w, g))
		if want == nil {
			want = slices.Clone(f.dg)
			assert.Len(t, f.conditions.given, 3)
		}
		assert.Equalf(t, want, f.dg, "%d workers: gradients differ", c.workers)
	}
}

// Labels of some targets are refused: those of the others would stay what they were.
func TestFixLabelsOfSomeTargets(t *testing.T) {
	p := &hlmrf.Program{Targets: []string{"a", "b"}}
	in, err := lcqp.NewInstance(p, 0.01)
	require.NoError(t, err)
	require.ErrorContains(t, FixLabels(in, []float64{1}), "1 labels for 2 targets")
	require.Equal(t, []float64{0, 0}, in.Lower)
	require.NoError(t, FixLabels(in, []float64{math.NaN(), 1}))
	require.Equal(t, []float64{0, 1}, in.Lower)
}
