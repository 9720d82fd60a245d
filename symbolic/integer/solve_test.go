package integer_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// triangle asks for a smallest set of nodes that meets all three edges of a triangle:
// y0 + y1 ≥ 1 and so on, each node at a price of 1. Halves cost 1.5, whole nodes 2.
func triangle() *lcqp.Instance {
	s := &lcqp.Sparse{Targets: 3, Weights: []float64{1, 1, 1}}
	for _, edge := range [][]int32{{0, 1}, {0, 2}, {1, 2}} {
		s.Append(lcqp.HardLE, edge, []float64{-1, -1}, 1)
	}
	for node := range int32(3) {
		s.Append(lcqp.Linear, []int32{node}, []float64{1}, 0)
	}
	return instance(s, 1e-8)
}

func Example() {
	in, targets := triangle(), []int{0, 1, 2}
	var res integer.Result
	if err := integer.Solve(context.Background(), in, targets, integer.Settings{Proof: true}, &res); err != nil {
		fmt.Println(err)
		return
	}
	if err := res.Err(); err != nil {
		fmt.Println(err)
		return
	}
	nodes := res.Y[0] + res.Y[1] + res.Y[2]
	fmt.Printf("%v nodes, value %.4f, no point below %.4f\n", nodes, res.Value, res.Bound)
	fmt.Println(res.Search)
	_, err := integer.Check(in, targets, 0, res.Proof[0])
	fmt.Println("the proof holds:", err == nil)
	// Output:
	// 2 nodes, value 2.0000, no point below 2.0000
	// optimal: no point with integer targets is better
	// the proof holds: true
}

// A proof that was tampered with is refused.
func TestCheckRefuses(t *testing.T) {
	in, targets := triangle(), []int{0, 1, 2}
	for name, spoil := range map[string]func(leaves []integer.Leaf) []integer.Leaf{
		"a missing leaf": func(l []integer.Leaf) []integer.Leaf { return l[1:] },
		"no leaf":        func(l []integer.Leaf) []integer.Leaf { return nil },
		"a higher bound": func(l []integer.Leaf) []integer.Leaf { l[0].Bound += 0.1; return l },
		"a claim of infeasibility": func(l []integer.Leaf) []integer.Leaf {
			l[0].Bound = math.Inf(1)
			return l
		},
		"multipliers of the wrong sign": func(l []integer.Leaf) []integer.Leaf {
			l[0].Dual = []float64{-1, 0, 0, 0, 0, 0}
			return l
		},
		"a branch on another target": func(l []integer.Leaf) []integer.Leaf {
			l[0].Path[0].Target = (l[0].Path[0].Target + 1) % 3
			return l
		},
	} {
		var res integer.Result
		require.NoError(t, integer.Solve(context.Background(), in, targets, integer.Settings{Proof: true}, &res))
		if len(res.Proof[0]) < 2 {
			t.Fatalf("%d leaves", len(res.Proof[0]))
		}
		if _, err := integer.Check(in, targets, 0, spoil(res.Proof[0])); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	var res integer.Result
	require.NoError(t, integer.Solve(context.Background(), in, targets, integer.Settings{Proof: true}, &res))
	if _, err := integer.Check(in, targets[:1], 0, res.Proof[0]); err == nil {
		t.Error("a branch on a target that is not integer is accepted")
	}
	_, err := integer.Check(in, []int{3}, 0, res.Proof[0])
	assert.ErrorContains(t, err, "no target 3")
}

// parity returns a program whose relaxations say nothing: nodes joined by "differ" hinges,
// which halves satisfy at no cost.
func parity(nodes int) (*lcqp.Instance, []int) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &lcqp.Sparse{Targets: nodes}
	for a := range nodes {
		for b := range a {
			if rng.IntN(3) > 0 {
				continue
			}
			for _, sign := range []float64{1, -1} {
				s.Append(lcqp.Linear, []int32{int32(b), int32(a)}, []float64{sign, sign}, -sign)
				s.Weights = append(s.Weights, 1+rng.Float64())
			}
		}
	}
	in := instance(s, 1e-8)
	return in, all(in)
}

// hidden returns a program whose only point, if any, rounding is not likely to meet: an
// equality with large coefficients.
func hidden() (*lcqp.Instance, []int) {
	s := &lcqp.Sparse{Targets: 20}
	var col []int32
	var val []float64
	for i := range s.Targets {
		col, val = append(col, int32(i)), append(val, float64(100+7*i%40))
	}
	s.Append(lcqp.HardEQ, col, val, -1234.5)
	in := instance(s, 1e-3)
	return in, all(in)
}

// However a search ends, there is a point, and the gap is true: the bound is not above the
// optimum, the value not below.
func TestEnds(t *testing.T) {
	in, targets := parity(50)
	var res integer.Result
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	for _, c := range []struct {
		ctx  context.Context
		s    integer.Settings
		want integer.Status
	}{
		{context.Background(), integer.Settings{MaxTime: 100 * time.Millisecond}, integer.TimeLimit},
		{context.Background(), integer.Settings{GapAbsolute: 1e9}, integer.GapReached},
		{ctx, integer.Settings{}, integer.Interrupted},
	} {
		c.s.Proof = true
		require.NoError(t, integer.Solve(c.ctx, in, targets, c.s, &res))
		if res.Search != c.want || res.Err() != nil || !(res.Gap() > 0) {
			t.Errorf("%v, %v, gap %v; want %v", res.Search, res.Err(), res.Gap(), c.want)
			continue
		}
		judge(t, 0, in, targets, &res)
		bound, err := integer.Check(in, targets, 0, res.Proof[0])
		if err != nil || bound < res.Bound-1e-9 {
			t.Errorf("%v: bound %v, checked %v, %v", res.Search, res.Bound, bound, err)
		}
	}
	done, stop := context.WithCancel(context.Background())
	stop()
	if err := integer.Solve(done, in, targets, integer.Settings{}, &res); err != nil || res.Search != integer.Interrupted || res.Err() != nil {
		t.Errorf("%v, %v, %v", err, res.Search, res.Err())
	}
	none, targets := hidden()
	if err := integer.Solve(done, none, targets, integer.Settings{}, &res); err != nil || res.Search != integer.Interrupted || !errors.Is(res.Err(), integer.ErrNoPoint) {
		t.Errorf("%v, %v, %v", err, res.Search, res.Err())
	}
}

// A result of no search has no point.
func TestErrOfNoSearch(t *testing.T) {
	var res integer.Result
	if err := res.Err(); !errors.Is(err, integer.ErrNoPoint) {
		t.Errorf("%v", err)
	}
}

// The value is the point's also where the search ends before a component without integer targets is solved. The gap is no
// number below 0, and 0 where there is no point.
func TestEndsBesideTargets(t *testing.T) {
	done, stop := context.WithCancel(context.Background())
	stop()
	for seed := range uint64(200) {
		in, targets := random(rand.New(rand.NewPCG(seed, 23)))
		for _, ctx := range []context.Context{context.Background(), done} {
			var res integer.Result
			require.NoError(t, integer.Solve(ctx, in, targets[:min(len(targets), int(seed%2))], integer.Settings{}, &res))
			if !(res.Gap() >= 0) || res.Err() == nil && math.Abs(res.Value-lcqp.Residuals(in, &res.Solution).PrimalValue) > 1e-6 {
				t.Errorf("seed %d: %v: value %v, bound %v; the judge finds %v", seed, res.Search, res.Value, res.Bound, lcqp.Residuals(in, &res.Solution))
			}
		}
	}
	none := &lcqp.Sparse{Targets: 1}
	none.Append(lcqp.HardEQ, []int32{0}, []float64{2}, -1)
	var res integer.Result
	require.NoError(t, integer.Solve(context.Background(), instance(none, 0.01), []int{0}, integer.Settings{}, &res))
	if res.Search != integer.Infeasible || res.Gap() != 0 {
		t.Errorf("%v, gap %v", res.Search, res.Gap())
	}
}

// A result that is passed again gives what a new one gives, and the instance stays as it
// was.
func TestAgain(t *testing.T) {
	var again integer.Result
	for seed := range uint64(50) {
		in, targets := random(rand.New(rand.NewPCG(seed, 11)))
		lower, upper := fmt.Sprint(in.Lower), fmt.Sprint(in.Upper)
		var first integer.Result
		for _, res := range []*integer.Result{&first, &again} {
			require.NoError(t, integer.Solve(context.Background(), in, targets, integer.Settings{}, res))
		}
		if first.Value != again.Value || first.Bound != again.Bound || first.Nodes != again.Nodes || fmt.Sprint(first.Y) != fmt.Sprint(again.Y) {
			t.Errorf("seed %d: %v and %v", seed, first.Value, again.Value)
		}
		if lower != fmt.Sprint(in.Lower) || upper != fmt.Sprint(in.Upper) {
			t.Errorf("seed %d: the bounds have changed", seed)
		}
	}
}

// Values of the integer targets count only where a point with them satisfies the hard rows,
// also if the solver is allowed to violate these: x₀ ≤ x₁ and x₀ + z ≥ x₁ + 0.02 hold together
// for z = 1 alone, which costs something, and no propagation of one row finds out.
func TestAnswersAreFeasible(t *testing.T) {
	s := &lcqp.Sparse{Targets: 3, Weights: []float64{1}}
	s.Append(lcqp.HardLE, []int32{0, 1}, []float64{1, -1}, 0)
	s.Append(lcqp.HardLE, []int32{0, 1, 2}, []float64{-1, 1, -1}, 0.02)
	s.Append(lcqp.Linear, []int32{2}, []float64{1}, 0)
	in := instance(s, 1e-6)
	for _, tolerance := range []float64{0, 0.1} {
		var res integer.Result
		s := integer.Settings{Solver: infer.Settings{FeasibilityTolerance: tolerance}}
		require.NoError(t, integer.Solve(context.Background(), in, []int{2}, s, &res))
		if res.Err() != nil || res.Y[2] != 1 || math.Abs(res.Value-1) > 1e-5 {
			t.Errorf("tolerance %v: %v, %v, value %v; want z = 1 and the value 1", tolerance, res.Err(), res.Y, res.Value)
		}
	}
}

func TestArguments(t *testing.T) {
	in := triangle()
	require.NoError(t, in.Fix(1, 0.5))
	for _, c := range []struct {
		targets []int
		s       integer.Settings
		want    string
	}{
		{[]int{3}, integer.Settings{}, "no target 3"},
		{[]int{-1}, integer.Settings{}, "no target -1"},
		{[]int{1}, integer.Settings{}, "target 1 (y1) is fixed to 0.5"},
		{[]int{0}, integer.Settings{GapAbsolute: -1}, "negative"},
		{[]int{0}, integer.Settings{MaxTime: -1}, "negative"},
	} {
		var res integer.Result
		assert.ErrorContains(t, integer.Solve(context.Background(), in, c.targets, c.s, &res), c.want)
	}
}

// Between 0 and 1 several sums of two digits can be as good as each other; of the values
// 0 and 1 exactly one sum is chosen, and it is that of the surest digits.
func TestAdditions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	between, right := 0, 0
	const sums = 40
	for range sums {
		a := lcqptest.Add1(1e-3)
		g, hot := lcqptest.Softmax(rng, 2, 10, 3)
		require.NoError(t, a.SetDeep(g))
		var relaxed infer.Result
		require.NoError(t, infer.Solve(a.Instance, nil, infer.Settings{}, &relaxed))
		for _, y := range relaxed.Y[:19] {
			if y > 0.01 && y < 0.99 {
				between++
				break
			}
		}
		var res integer.Result
		require.NoError(t, integer.Solve(context.Background(), a.Instance, all(a.Instance), integer.Settings{}, &res))
		require.Equal(t, integer.Optimal, res.Search)
		sum, ones := -1, 0
		for z := range 19 {
			if res.Y[z] == 1 {
				sum = z
				ones++
			}
		}
		assert.Equal(t, 1, ones)
		if sum == hot[0]+hot[1] {
			right++
		}
	}
	if between == 0 {
		t.Error("no relaxation had a sum between 0 and 1")
	}
	t.Logf("%d of %d sums are those of the digits that were raised; %d relaxations had a sum between 0 and 1", right, sums, between)
}

func TestNoStatus(t *testing.T) {
	if got := integer.Status(200).String(); got != "no status: 200" {
		t.Errorf("%q", got)
	}
}
