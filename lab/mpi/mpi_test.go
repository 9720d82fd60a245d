package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCost: on two ranks both ways move the same and wait as often; with many the sum by
// parts moves twice the array, the tree its depth times as much.
func TestCost(t *testing.T) {
	c := constants{numbers: 1e6, latency: 1e-5, rate: 1e9}
	near := func(what string, got, want float64) {
		t.Helper()
		assert.InDelta(t, want, got, 1e-12+1e-9*want, what)
	}
	near("by parts, 2", c.ring(2), 2e-5+4e-3)
	near("tree, 2", c.tree(2), 2*(1e-5+4e-3))
	near("by parts, 64", c.ring(64), 126e-5+2*63.0/64*4e-3)
	near("tree, 64", c.tree(64), 12*(1e-5+4e-3))
}

// TestPage: a speed-up compares what ran in one turn, and other bits are called that.
func TestPage(t *testing.T) {
	run := func(step float64) *answer {
		return &answer{Seconds: []float64{step, step}, Comm: []float64{step / 10, step / 10}, Sum: []float64{0.01}, Small: []float64{1e-5}, Numbers: 1000, Memory: 5e7}
	}
	s := &study{
		o: &options{alternations: 2, steps: 4, batch: 16, ranks: []int{2}}, single: []*answer{run(1), run(4)},
		several: []*series{
			{kind: apart, ranks: 2, runs: []*answer{run(1), run(4)}},
			{kind: shared, launcher: launchers[0], ranks: 2, runs: []*answer{run(0.5), run(2.5)}, same: true},
			{kind: shared, launcher: launchers[1], ranks: 2, runs: []*answer{run(1), run(4)}},
			{kind: each, launcher: launchers[1], ranks: 2, runs: []*answer{run(1), run(4)}},
		},
	}
	page := s.page()
	for _, want := range []string{
		"| 1 | | 26 | 1 | | 50 MB | |", "| 2 apart |  | 51 | 2.00 (2.00 to 2.00) |  | 50 MB |  |",
		"| 2 ranks that share a batch | Open MPI | 43 | 1.80 (1.60 to 2.00) | 10.0 % | 50 MB | the same |",
		"| 2 ranks that share a batch | MPICH | 26 | 1.00 (1.00 to 1.00) | 10.0 % | 50 MB | OTHERS |",
		"| 2 ranks with a batch each | MPICH | 51 | 2.00 (2.00 to 2.00) | 10.0 % | 50 MB |  |", "-ranks 2`",
	} {
		assert.Contains(t, page, want)
	}
}

// TestJoined: a part that was not made again stays, in its place.
func TestJoined(t *testing.T) {
	one, two := "# Training\n\na\n", inferenceTitle+"\n\nb\n"
	for _, c := range []struct {
		old  string
		text [2]string
		want string
	}{
		{"", [2]string{one, ""}, one}, {"", [2]string{"", two}, two}, {one, [2]string{"", two}, one + "\n" + two},
		{one + "\n" + two, [2]string{"# Training\n\nc\n", ""}, "# Training\n\nc\n\n" + two},
		{one + "\n" + two, [2]string{"", inferenceTitle + "\n"}, one + "\n" + inferenceTitle + "\n"},
	} {
		assert.Equalf(t, c.want, joined(c.old, c.text), "%q with %q", c.old, c.text)
	}
}

// TestInferencePage: ranks are compared with one process of the same turn, memory by the peaks.
func TestInferencePage(t *testing.T) {
	p := program{family: "chain", terms: 100, split: "graph"}
	run := func(solve, memory, objective float64, shared int) *outcome {
		return &outcome{Objective: objective, Status: "solved", Terms: 100, Targets: 25, Shared: shared, GroundS: 1, SolveS: solve, wall: 2 * solve, memory: memory}
	}
	page := inferencePage(&options{alternations: 2, terms: 100, ranks: []int{2}}, []*inferred{
		{program: p, ranks: 1, runs: []*outcome{run(9, 4e8, 2, 0), run(19, 5e8, 2, 0)}},
		{program: p, launcher: launchers[1], ranks: 2, runs: []*outcome{run(4, 1e8, 2, 1), run(11, 2e8, 2.0002, 1)}},
	}, [2]string{"1", "2"})
	for _, want := range []string{
		"| chain | 100 |  | 1 |  | 1.00 | 14.0 | 28.0 | 6.7 |  | 500 MB |", "| chain | 100 | graph | 2 | MPICH | 1.00 | 7.5 | 15.0 | 12 | 0.55 | 200 MB | 40 % | 1 of 25 | 0 | solved |",
		"| 1.0e-04 |",
	} {
		assert.Contains(t, page, want)
	}
}
