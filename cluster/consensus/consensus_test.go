package consensus_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/cluster/consensus"
	"hinge/optim/collective"
	"hinge/symbolic/familytest"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// together runs f as each rank of a local group and returns the first error.
func together(t testing.TB, ranks int, f func(c collective.Comm) error) error {
	t.Helper()
	errs := make([]error, ranks)
	var wg sync.WaitGroup
	for r, c := range collective.Local(ranks) {
		wg.Go(func() {
			if errs[r] = f(c); errs[r] != nil && !errors.As(errs[r], new(*collective.RankError)) {
				c.Abort(1)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, collective.ErrAborted) {
			return err
		}
	}
	return nil
}

// solution is what the ranks found, put together.
type solution struct {
	y     []float64 // by column of the database
	ranks []consensus.Result
}

// solve grounds a model in parts, one per rank, and solves it.
func solve(t testing.TB, m *familytest.Model, split *ground.Split, s consensus.Settings) *solution {
	t.Helper()
	out := &solution{y: make([]float64, m.Data.Targets()), ranks: make([]consensus.Result, split.Parts())}
	err := together(t, split.Parts(), func(c collective.Comm) error {
		p, err := split.Ground(context.Background(), m.Rules, m.Data, ground.Options{Workers: 1}, c.Rank())
		if err != nil {
			return err
		}
		in, err := lcqp.NewInstance(p.Program, m.Epsilon)
		if err != nil {
			return err
		}
		g := make([]float64, len(p.Deep))
		for i, d := range p.Deep {
			g[i] = m.Outputs[d]
		}
		if err := in.SetDeep(g); err != nil {
			return err
		}
		res := &out.ranks[c.Rank()]
		if err := consensus.Solve(c, &consensus.Part{Instance: in, Targets: p.Targets}, s, res); err != nil {
			return err
		}
		for i, col := range p.Targets {
			if res.Own[i] {
				out.y[col] = res.Y[i]
			}
		}
		return nil
	})
	require.NoError(t, err)
	return out
}

// compiled is an instance of a ground program.
func compiled(t testing.TB, p *hlmrf.Program, epsilon float64) *lcqp.Instance {
	t.Helper()
	in, err := lcqp.NewInstance(p, epsilon)
	require.NoError(t, err)
	return in
}

// alone solves a model on one machine.
func alone(t testing.TB, m *familytest.Model) (*lcqp.Instance, *infer.Result) {
	t.Helper()
	p, err := m.Ground(context.Background())
	require.NoError(t, err)
	in := compiled(t, p, m.Epsilon)
	require.NoError(t, in.SetDeep(m.Outputs))
	var res infer.Result
	require.NoError(t, infer.Solve(in, nil, infer.Settings{}, &res))
	return in, &res
}

// TestFamilies: on one to four ranks each family has the answer of one machine, whatever
// the split, also where components of several ranks are not sent to one of them.
func TestFamilies(t *testing.T) {
	for _, name := range familytest.Names() {
		f, err := familytest.Find(name)
		require.NoError(t, err)
		m, err := f.Model(1500, 3)
		require.NoError(t, err)
		in, want := alone(t, m)
		for ranks := 1; ranks <= 4; ranks++ {
			split := ground.SplitGraph(m.Data, ranks)
			if ranks == 3 {
				split = ground.SplitBlocks(m.Data, ranks)
			}
			got := solve(t, m, split, consensus.Settings{Infer: infer.Settings{Workers: 1}})
			compare(t, fmt.Sprintf("%s, %d ranks", f.Name, ranks), m, in, want, got)
			assert.LessOrEqualf(t, got.ranks[0].Iterations, 0, "%s, %d", f.Name, ranks)
		}
	}
}

// TestConsensus: without sending components to one rank, programs that are cut end with the
// certificate as well, near the border where that is narrow, by iterations elsewhere.
func TestConsensus(t *testing.T) {
	for _, c := range []struct {
		family      string
		terms       int
		ranks       int
		near, whole bool
	}{
		{"chain", 4000, 3, true, false}, {"knn-labels", 1500, 2, false, true}, {"citation", 3000, 2, false, true},
		{"grid", 1500, 2, false, true}, {"chain", 600, 2, false, true},
	} {
		name := fmt.Sprintf("%s, %d terms, %d ranks", c.family, c.terms, c.ranks)
		f, err := familytest.Find(c.family)
		require.NoError(t, err)
		m, err := f.Model(c.terms, 3)
		require.NoError(t, err)
		in, want := alone(t, m)
		s := consensus.Settings{Infer: infer.Settings{Workers: 1}, Small: -1, WholeOnly: c.whole}
		got := solve(t, m, ground.SplitGraph(m.Data, c.ranks), s)
		compare(t, name, m, in, want, got)
		if r := &got.ranks[0]; r.Near > 0 != c.near || r.Iterations > 0 != c.whole {
			t.Errorf("%s: %d iterations and %d near the border", name, r.Iterations, r.Near)
		}
	}
}

// compare checks what ranks found against one machine.
func compare(t *testing.T, name string, m *familytest.Model, in *lcqp.Instance, want *infer.Result, got *solution) {
	t.Helper()
	r := &got.ranks[0]
	t.Logf("%s: %d targets in common, %d + %d iterations, primal %.9g of %.9g, gap %.2g, violation %.2g", name,
		r.Shared, r.Iterations, r.Near, r.Residual.PrimalValue, want.PrimalValue, r.Residual.Gap, r.Residual.Primal)
	assert.Equalf(t, infer.Solved, r.Status, "%s", name)
	if !near(r.Residual.PrimalValue, want.PrimalValue, 1e-7) || !near(r.Residual.DualValue, want.PrimalValue, 1e-7) || !near(r.Energy, want.Energy, 1e-5) {
		t.Errorf("%s: primal %v, dual %v, energy %v, want %v and %v", name, r.Residual.PrimalValue, r.Residual.DualValue, r.Energy, want.PrimalValue, want.Energy)
	}
	// The values themselves, judged without the ranks.
	if p := in.Program(); p.Violation(got.y, m.Outputs) > 1e-8 || !near(p.Energy(got.y, m.Outputs, nil), want.Energy, 1e-5) {
		t.Errorf("%s: violation %v, energy %v, want %v", name, p.Violation(got.y, m.Outputs), p.Energy(got.y, m.Outputs, nil), want.Energy)
	}
	if r.Rows != in.Rows() || r.Constraints != in.Constraints {
		t.Errorf("%s: %d rows, %d of them hard, want %d and %d", name, r.Rows, r.Constraints, in.Rows(), in.Constraints)
	}
	for k := range got.ranks {
		if o := &got.ranks[k]; o.Status != r.Status || o.Residual != r.Residual || o.Shared != r.Shared || o.SharedRows != r.SharedRows {
			t.Errorf("%s: ranks 0 and %d differ: %+v, %+v", name, k, r.Residual, o.Residual)
		}
	}
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*(1+math.Abs(b)) }

// dealt cuts an instance into parts with random rows each.
func dealt(rng *rand.Rand, in *lcqp.Instance, ranks int) ([]*consensus.Part, [][]int32, error) {
	rows := make([][]int32, ranks)
	for k := range int32(in.Rows()) {
		r := rng.IntN(ranks)
		rows[r] = append(rows[r], k)
	}
	var parts []*consensus.Part
	for r := range ranks {
		var targets []int32
		for _, k := range rows[r] {
			targets = append(targets, in.Col[in.Ptr[k]:in.Ptr[k+1]]...)
		}
		slices.Sort(targets)
		targets = slices.Compact(targets)
		part, err := lcqp.NewInstance(in.Part(targets, rows[r]), in.Epsilon)
		if err != nil {
			return nil, nil, err
		}
		if err := part.SetWeights(in.Weights); err != nil {
			return nil, nil, err
		}
		for n, k := range rows[r] {
			part.B[n] = in.B[k]
		}
		for n, i := range targets {
			part.Lower[n], part.Upper[n] = in.Lower[i], in.Upper[i]
		}
		parts = append(parts, &consensus.Part{Instance: part, Targets: targets})
	}
	return parts, rows, nil
}

// TestRandomRows deals the rows of random programs, with all kinds of rows and fixed
// targets, at random to ranks, which is the worst partition there is. What the ranks
// claim is judged once more for the whole program on one machine.
func TestRandomRows(t *testing.T) {
	solved, models := 0, 60
	for seed := range uint64(models) {
		s := consensus.Settings{Infer: infer.Settings{Workers: 1}}
		s.Small = []int{0, -1, 20}[seed%3]
		rng := rand.New(rand.NewPCG(seed, 11))
		k := lcqptest.Random(rng, lcqptest.Shape{Targets: 15, Rows: 25, Separate: seed%2 == 0})
		in := k.Instance
		in.ClearProx()
		for r := range in.Weights { // other ones than the program's
			in.Weights[r] *= 0.5 + rng.Float64()
		}
		var want infer.Result
		if err := infer.Solve(in, nil, infer.Settings{Workers: 1}, &want); err != nil || !want.Status.OK() {
			t.Fatal(seed, err, want.Status)
		}
		ranks := 2 + rng.IntN(3)
		parts, rows, err := dealt(rng, in, ranks)
		require.NoError(t, err)
		results := make([]consensus.Result, ranks)
		err = together(t, ranks, func(c collective.Comm) error {
			return consensus.Solve(c, parts[c.Rank()], s, &results[c.Rank()])
		})
		require.NoError(t, err, seed)
		r := &results[0]
		if r.Status.OK() {
			solved++
		} else {
			t.Logf("seed %d, %d ranks: %v after %d iterations, %+v", seed, ranks, r.Status, r.Iterations, r.Residual)
		}
		checkOwners(t, seed, parts, results)
		judged, apart := assembled(in, parts, rows, results)
		sameResidual(t, fmt.Sprintf("seed %d", seed), r.Residual, judged)
		if r.Status.OK() && (judged.Max() > 1e-5 || !near(judged.PrimalValue+apart, want.PrimalValue, 1e-5)) {
			t.Errorf("seed %d: %v with %+v, want the value %v", seed, r.Status, judged, want.PrimalValue)
		}
	}
	if solved < models*9/10 {
		t.Errorf("%d of %d programs solved", solved, models)
	}
}

// assembled is the residual of the whole program at the point that ranks found, judged on
// one machine, except for the value of targets that are in no row: no rank has them.
func assembled(in *lcqp.Instance, parts []*consensus.Part, rows [][]int32, results []consensus.Result) (judged lcqp.Residual, apart float64) {
	whole := lcqp.Solution{}
	whole.Resize(in.Template)
	for i := range whole.Y {
		if len(in.RowsOf(int32(i))) == 0 {
			whole.Y[i] = max(0, in.Lower[i])
			whole.LowerDual[i] = 2 * in.Epsilon * whole.Y[i]
			apart += in.Epsilon * whole.Y[i] * whole.Y[i]
		}
	}
	for r := range results {
		s := &results[r].Solution
		for n, i := range parts[r].Targets {
			if results[r].Own[n] {
				whole.Y[i], whole.LowerDual[i], whole.UpperDual[i] = s.Y[n], s.LowerDual[n], s.UpperDual[n]
			}
		}
		for n, row := range rows[r] {
			whole.Dual[row] = s.Dual[n]
			if p := int(row) - in.Constraints; p >= 0 {
				at := n - parts[r].Instance.Constraints
				whole.Slack[p], whole.SlackDual[p] = s.Slack[at], s.SlackDual[at]
			}
		}
	}
	judged = lcqp.Residuals(in, &whole)
	judged.PrimalValue -= apart
	judged.DualValue -= apart
	return judged, apart
}

// sameResidual checks what the ranks claim of a point.
func sameResidual(t *testing.T, name string, claimed, judged lcqp.Residual) {
	t.Helper()
	scale := 1 + math.Abs(judged.PrimalValue) + math.Abs(judged.DualValue)
	for _, v := range [][2]float64{{claimed.Primal, judged.Primal}, {claimed.DualSign, judged.DualSign},
		{claimed.Stationarity, judged.Stationarity}, {claimed.Complementarity, judged.Complementarity},
		{claimed.PrimalValue, judged.PrimalValue}, {claimed.DualValue, judged.DualValue}, {claimed.Gap, judged.Gap}} {
		if !(math.Abs(v[0]-v[1]) <= 1e-12*scale+1e-9*math.Abs(v[1])) {
			t.Errorf("%s: the ranks find %+v, one machine %+v", name, claimed, judged)
			return
		}
	}
}

// checkOwners: a target is its first rank's that has a hard row with it, else its first rank's.
func checkOwners(t *testing.T, seed uint64, parts []*consensus.Part, results []consensus.Result) {
	t.Helper()
	owner, isHard := map[int32]int{}, map[int32]bool{}
	for r, part := range parts {
		in := part.Instance
		for n, i := range part.Targets {
			hard := slices.Contains(in.Col[:in.Ptr[in.Constraints]], int32(n))
			if _, seen := owner[i]; !seen || hard && !isHard[i] {
				owner[i], isHard[i] = r, hard
			}
		}
	}
	for r, part := range parts {
		for n, i := range part.Targets {
			if own := results[r].Own[n]; own != (owner[i] == r) {
				t.Errorf("seed %d: target %d is rank %d's: %v, want that of rank %d", seed, i, r, own, owner[i])
			}
		}
	}
}
