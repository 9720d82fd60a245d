package integer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
)

// point is a value of the integer targets with the best value of the program beside it,
// +Inf where nothing is feasible, NaN where the solver fails.
type point struct {
	on    []bool
	value float64
}

// points solves the program for all values of the targets, one after the other.
func points(in *lcqp.Instance, targets []int) (all []point) {
	box := *in
	box.Lower, box.Upper = slices.Clone(in.Lower), slices.Clone(in.Upper)
	var res infer.Result
next:
	for bits := range 1 << len(targets) {
		p := point{make([]bool, len(targets)), math.Inf(1)}
		for k, i := range targets {
			v := float64(bits >> k & 1)
			if v < in.Lower[i] || v > in.Upper[i] {
				continue next
			}
			p.on[k] = v == 1
			box.Lower[i], box.Upper[i] = v, v
		}
		if err := infer.Solve(&box, nil, infer.Settings{}, &res); err != nil {
			panic(err)
		}
		switch {
		case res.Status == infer.Infeasible:
		case !res.Status.OK():
			p.value = math.NaN()
		default:
			p.value = res.PrimalValue
		}
		all = append(all, p)
	}
	return all
}

// listed are the points of a listing as texts, in the order of the given targets.
func listed(l *integer.Listing, targets []int) (texts []string) {
	for at := range l.All() {
		value := map[int]bool{}
		for k, part := range l.Parts {
			for i, t := range part.Targets {
				value[t] = part.Points[at[k]][i]
			}
		}
		on := make([]bool, len(targets))
		for k, t := range targets {
			on[k] = value[t]
		}
		texts = append(texts, fmt.Sprint(on))
	}
	slices.Sort(texts)
	return texts
}

// TestListAgainstEnumeration: on random programs with targets that are listed, others that
// are whole and others that may have any value.
func TestListAgainstEnumeration(t *testing.T) {
	found := 0
	for seed := range uint64(1200) {
		rng := rand.New(rand.NewPCG(seed, 8))
		in, targets := random(rng)
		asked := targets[:rng.IntN(len(targets)+1)]
		l, err := integer.List(context.Background(), in, asked, integer.ListSettings{Whole: targets[len(asked):]})
		require.NoError(t, err)
		want := map[string]bool{}
		unclear := false
		for _, p := range points(in, targets) {
			unclear = unclear || math.IsNaN(p.value)
			if !math.IsInf(p.value, 1) {
				want[fmt.Sprint(p.on[:len(asked)])] = true
			}
		}
		if unclear {
			continue
		}
		got := listed(l, asked)
		if len(got) != len(want) || l.Number().Int64() != int64(len(want)) || !l.Complete() || (l.Search == integer.Infeasible) != (len(want) == 0) {
			t.Errorf("seed %d: %d points, number %v, %v; want %d", seed, len(got), l.Number(), l.Search, len(want))
			continue
		}
		for i, text := range got {
			if !want[text] || i > 0 && got[i-1] == text {
				t.Errorf("seed %d: point %s is wrong or there twice", seed, text)
			}
		}
		found += len(got)
	}
	if found < 3000 {
		t.Errorf("only %d points in all", found)
	}
}

// queens is the program of n queens that do not attack each other, one per row.
func queens(n int) (*lcqp.Instance, []int) {
	s := &lcqp.Sparse{Targets: n * n}
	line := func(kind lcqp.Kind, cells []int32) {
		s.Append(kind, cells, slices.Repeat([]float64{1}, len(cells)), -1)
	}
	lines := map[string][]int32{}
	var targets []int
	for r := range n {
		for c := range n {
			cell := r*n + c
			targets = append(targets, cell)
			for _, name := range []string{fmt.Sprint("column", c), fmt.Sprint("down", r-c), fmt.Sprint("up", r+c)} {
				lines[name] = append(lines[name], int32(cell))
			}
		}
	}
	for r := range n {
		var row []int32
		for c := range n {
			row = append(row, int32(r*n+c))
		}
		line(lcqp.HardEQ, row)
	}
	for _, cells := range lines {
		line(lcqp.HardLE, cells)
	}
	return instance(s, 1e-3), targets
}

// TestQueens: the numbers are known.
func TestQueens(t *testing.T) {
	for n, want := range map[int]int64{1: 1, 2: 0, 3: 0, 4: 2, 5: 10, 6: 4, 7: 40, 8: 92} {
		in, targets := queens(n)
		l, err := integer.List(context.Background(), in, targets, integer.ListSettings{})
		if err != nil || l.Number().Int64() != want || !l.Complete() {
			t.Errorf("%d queens: %v ways, %v, %v; want %d", n, l.Number(), l.Search, err, want)
		}
	}
}

// TestListWhole: of two parts that differ only in whether the target that is not asked for has to be
// 0 or 1, each has its own points: x + 2z = 1 has (0, ½) only where z need not be whole.
func TestListWhole(t *testing.T) {
	s := &lcqp.Sparse{Targets: 4}
	for _, col := range [][]int32{{0, 1}, {2, 3}} {
		s.Append(lcqp.HardEQ, col, []float64{1, 2}, -1)
	}
	l, err := integer.List(context.Background(), instance(s, 1e-3), []int{0, 2}, integer.ListSettings{Whole: []int{1}})
	require.NoError(t, err)
	require.Equal(t, []integer.Part{
		{Targets: []int{0}, Points: [][]bool{{true}}}, {Targets: []int{2}, Points: [][]bool{{true}, {false}}},
	}, l.Parts)
}

// TestListEnds: limits end a listing and say so, and what is found so far is right.
func TestListEnds(t *testing.T) {
	in, targets := queens(8)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx    context.Context
		s      integer.ListSettings
		want   integer.Status
		points int
	}{
		{context.Background(), integer.ListSettings{MaxPoints: 5}, integer.PointLimit, 5},
		{context.Background(), integer.ListSettings{MaxPoints: 92}, integer.Listed, 92},
		{context.Background(), integer.ListSettings{MaxTime: time.Nanosecond}, integer.TimeLimit, 0},
		{over, integer.ListSettings{}, integer.Interrupted, 0},
	} {
		l, err := integer.List(c.ctx, in, targets, c.s)
		if err != nil || l.Search != c.want || l.Number().Int64() != int64(c.points) || l.Complete() != (c.want == integer.Listed) {
			t.Errorf("%+v: %v points, %v, %v", c, l.Number(), l.Search, err)
		}
	}
}

// TestListParts: 60 pairs of which one each is chosen have 2⁶⁰ points, and are searched once.
func TestListParts(t *testing.T) {
	const pairs = 60
	s := &lcqp.Sparse{Targets: 2*pairs + 1}
	for k := range int32(pairs) {
		for range 2 { // twice the same row
			s.Append(lcqp.HardEQ, []int32{2 * k, 2*k + 1}, []float64{1, 1}, -1)
		}
	}
	in := instance(s, 1e-3)
	targets := all(in)
	l, err := integer.List(context.Background(), in, targets, integer.ListSettings{})
	if err != nil || l.Number().BitLen() != pairs+2 || len(l.Parts) != pairs+1 || l.Nodes > 10 {
		t.Errorf("%v points in %d parts, %d nodes, %v", l.Number(), len(l.Parts), l.Nodes, err)
	}
	for _, bad := range [][]int{{-1}, {in.Targets}} {
		if _, err := integer.List(context.Background(), in, bad, integer.ListSettings{}); err == nil {
			t.Errorf("the targets %v are accepted", bad)
		}
	}
}
