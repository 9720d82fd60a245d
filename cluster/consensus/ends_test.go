package consensus_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/cluster/consensus"
	"hinge/optim/collective"
	"hinge/symbolic/familytest"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// ends solves parts, one per rank, and returns the results, which agree on how it ended.
func ends(t *testing.T, parts []*consensus.Part, s consensus.Settings) []consensus.Result {
	t.Helper()
	results := make([]consensus.Result, len(parts))
	s.Infer.Workers = 1
	err := together(t, len(parts), func(c collective.Comm) error {
		own := s
		if c.Rank() > 0 {
			own.Observe = nil
		}
		return consensus.Solve(c, parts[c.Rank()], own, &results[c.Rank()])
	})
	require.NoError(t, err)
	for r := range results {
		if a, b := &results[0], &results[r]; a.Status != b.Status || a.Residual != b.Residual || a.Iterations != b.Iterations {
			t.Errorf("ranks 0 and %d end with %v and %v after %d and %d iterations", r, a.Status, b.Status, a.Iterations, b.Iterations)
		}
	}
	return results
}

// stiffParts are those of a program that takes iterations.
func stiffParts(t *testing.T) []*consensus.Part {
	t.Helper()
	return partsOf(t, stiff(t, 1000), 2)
}

func partsOf(t *testing.T, m *familytest.Model, ranks int) (parts []*consensus.Part) {
	t.Helper()
	split := ground.SplitBlocks(m.Data, ranks)
	for r := range ranks {
		p, err := split.Ground(t.Context(), m.Rules, m.Data, ground.Options{Workers: 1}, r)
		require.NoError(t, err)
		parts = append(parts, &consensus.Part{Instance: compiled(t, p.Program, m.Epsilon), Targets: p.Targets})
	}
	return parts
}

// TestLimits: iterations end at their number, and with the point reached when they are stopped.
func TestLimits(t *testing.T) {
	s := consensus.Settings{WholeOnly: true, Small: -1, MaxIterations: 3}
	r := &ends(t, stiffParts(t), s)[0]
	if r.Status != infer.IterationLimit || r.Iterations != 3 || !(r.Residual.Gap > 0) {
		t.Errorf("three iterations: %v after %d, %+v", r.Status, r.Iterations, r.Residual)
	}
	stop := make(chan struct{})
	s.MaxIterations, s.Infer.Stop = 0, stop
	s.Observe = func(iterations int, _ lcqp.Residual) {
		if iterations == 2 {
			close(stop)
		}
	}
	if r := &ends(t, stiffParts(t), s)[0]; r.Status != infer.TimeLimit || r.Iterations != 3 {
		t.Errorf("stopped after the second iteration: %v after %d", r.Status, r.Iterations)
	}
}

// TestSmall: a component of as many rows as the limit is sent to one rank, one of a row more
// is not.
func TestSmall(t *testing.T) {
	solve := func(limit int) *consensus.Result {
		return &ends(t, partsOf(t, stiff(t, 700), 2), consensus.Settings{Small: limit})[0]
	}
	const short = 3*2 + 1 + 4 // rows of the other component
	rows := solve(1000).SharedRows - short
	for limit, apart := range map[int]bool{rows: false, rows - 1: true} {
		if r := solve(limit); r.Status != infer.Solved || (r.Iterations+r.Near > 0) != apart {
			t.Errorf("%d rows at a limit of %d: %v, %d iterations and %d near the border", rows, limit, r.Status, r.Iterations, r.Near)
		}
	}
}

// TestSmallShare: without a limit that is given, a component of more than 10,000 rows is sent
// to one rank only where that is an eighth or less of what a rank has on average.
func TestSmallShare(t *testing.T) {
	const common = 5500 // targets in a row, tied by two potentials each
	for alone, apart := range map[int]bool{95000: false, 1000: true} {
		var parts []*consensus.Part
		for rank := range 2 {
			p := &hlmrf.Program{Rules: []hlmrf.Rule{{Weight: 1, Squared: true}}}
			row := func(constant float64, targets []int32, values ...float64) {
				p.AddPotential(0, targets, values, nil, nil, constant)
			}
			part := &consensus.Part{}
			for i := range int32(common + alone) {
				p.Targets = append(p.Targets, strconv.Itoa(int(i)))
				number := i
				switch {
				case i == 0:
					row(1, []int32{i}, -1)
				case i >= common: // of this rank
					number += int32(rank * alone)
					row(0, []int32{i}, 1)
				case rank == 0:
					row(0, []int32{i - 1, i}, 1, -1)
				default:
					row(0, []int32{i - 1, i}, -1, 1)
				}
				part.Targets = append(part.Targets, number)
			}
			part.Instance = compiled(t, p, 1e-2)
			parts = append(parts, part)
		}
		r := &ends(t, parts, consensus.Settings{MaxIterations: 1})[0]
		if r.Shared != common || (r.Iterations+r.Near > 0) != apart {
			t.Errorf("%d rows in common, %d alone: %v, %d iterations and %d near the border", r.SharedRows, 2*alone, r.Status, r.Iterations, r.Near)
		}
	}
}

// bounded is a part whose target 0 is at least low and at most high, by hard rows, and wanted
// to be 1 by a soft one.
func bounded(t *testing.T, low, high float64) *consensus.Part {
	t.Helper()
	p := &hlmrf.Program{
		Targets: []string{"x", "y"}, Rules: []hlmrf.Rule{{Weight: 1, Squared: true}}, HardRules: []hlmrf.Rule{{}},
		Relations: []hlmrf.Relation{hlmrf.LessEqual, hlmrf.LessEqual}, ConstraintRule: []int32{0, 0}, PotentialRule: []int32{0},
	}
	p.Constraints.Append([]int32{0, 1}, []float64{-1, -0.1}, nil, nil, low+0.1)
	p.Constraints.Append([]int32{0, 1}, []float64{1, 0.1}, nil, nil, -high-0.1)
	p.Potentials.Append([]int32{0, 1}, []float64{-1, -1}, nil, nil, 2)
	return &consensus.Part{Instance: compiled(t, p, 1e-3), Targets: []int32{0, 1}}
}

// TestInfeasible: where the rows of one rank contradict each other, all ranks are told and that
// one has the proof. Where those of several do, the rank that is sent them all finds out, without
// a proof; where none is, iterations end without progress and with a violation.
func TestInfeasible(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []*consensus.Part
		small int
		want  infer.Status
		proof bool
	}{
		{"one rank", []*consensus.Part{bounded(t, 0, 1), bounded(t, 0.8, 0.2)}, 0, infer.Infeasible, true},
		{"one rank, apart", []*consensus.Part{bounded(t, 0, 1), bounded(t, 0.8, 0.2)}, -1, infer.Infeasible, true},
		{"two ranks", []*consensus.Part{bounded(t, 0, 0.2), bounded(t, 0.8, 1)}, 0, infer.Infeasible, false},
		{"two ranks, apart", []*consensus.Part{bounded(t, 0, 0.2), bounded(t, 0.8, 1)}, -1, infer.NoProgress, false},
	} {
		r := ends(t, c.parts, consensus.Settings{Small: c.small})
		if r[0].Status != c.want || r[0].Certificate != nil || (r[1].Certificate != nil) != c.proof {
			t.Errorf("%s: %v, proofs %v and %v", c.name, r[0].Status, r[0].Certificate, r[1].Certificate)
		}
		if c.want == infer.NoProgress && !(r[0].Residual.Primal > 0.1) {
			t.Errorf("%s: %+v", c.name, r[0].Residual)
		}
	}
}

// TestRulesApart: one rank wants x to be 0 and the other 1, by the same rule. Where they have the same
// weight of it, the optimum is the middle. Where they have not, one of them solves with its own for
// both, and the point that is no optimum for the other is not called one.
func TestRulesApart(t *testing.T) {
	part := func(weight, sign, constant float64) *consensus.Part {
		p := &hlmrf.Program{Targets: []string{"x"}, Rules: []hlmrf.Rule{{Weight: weight, Squared: true}}, PotentialRule: []int32{0}}
		p.Potentials.Append([]int32{0}, []float64{sign}, nil, nil, constant)
		return &consensus.Part{Instance: compiled(t, p, 1e-3), Targets: []int32{0}}
	}
	for weight, want := range map[float64]infer.Status{1: infer.Solved, 1000: infer.NoProgress} {
		r := ends(t, []*consensus.Part{part(1, 1, 0), part(weight, -1, 1)}, consensus.Settings{})
		require.Equal(t, want, r[0].Status, "%+v", r[0].Residual)
		if weight == 1 { // the derivative 2x - 2(1 - x) + 2·1e-3·x is 0
			require.InDelta(t, 1/2.001, r[0].Solution.Y[0], 1e-6)
		}
	}
}
