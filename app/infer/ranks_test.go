package infer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/app/watch"
	"hinge/optim/collective"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/exit"
)

// apart is a Joint for ranks that share no target: each solves its own rows.
func apart(c collective.Comm, in *lcqp.Instance, _ []int32, s infer.Settings, observe func(int, lcqp.Residual)) (JointResult, error) {
	var r infer.Result
	if err := infer.Solve(in, nil, s, &r); err != nil {
		return JointResult{}, err
	}
	v := lcqp.Residuals(in, &r.Solution)
	sums := []float64{r.Energy, r.PrimalValue, r.DualValue, v.Gap, float64(in.Rows()), float64(in.Constraints), float64(len(in.Components))}
	worst := []float64{float64(r.Status), v.Primal, v.DualSign, v.Stationarity, v.Complementarity}
	if err := errors.Join(collective.Sum(c, sums), collective.Max(c, worst)); err != nil {
		return JointResult{}, err
	}
	own := make([]bool, in.Targets)
	for i := range own {
		own[i] = true
	}
	d := JointResult{Solution: r.Solution, Own: own, Status: infer.Status(worst[0]), Certificate: r.Certificate, Energy: sums[0],
		Residual: lcqp.Residual{PrimalValue: sums[1], DualValue: sums[2], Gap: sums[3], Primal: worst[1], DualSign: worst[2], Stationarity: worst[3], Complementarity: worst[4]},
		Rows:     int(sums[4]), Constraints: int(sums[5]), Components: int(sums[6]), Iterations: 1, Runtime: r.Runtime}
	observe(1, d.Residual)
	return d, nil
}

// ranked runs a model on two ranks and returns what rank 0 prints and the errors of both.
func ranked(t *testing.T, file string, args ...string) (*bytes.Buffer, [2]error) {
	t.Helper()
	args = append([]string{"-model", file, "-quiet"}, args...)
	return rankedApart(t, [2][]string{args, args})
}

// rankedApart is ranked for a command line of each rank.
func rankedApart(t *testing.T, args [2][]string) (*bytes.Buffer, [2]error) {
	t.Helper()
	t.Setenv("GOGC", "100") // the collector stays as it is
	var stdout [2]bytes.Buffer
	var errs [2]error
	var wg sync.WaitGroup
	told, err := os.Create(filepath.Join(t.TempDir(), "told")) // on stderr by rank 1
	require.NoError(t, err)
	defer told.Close() //nolint:errcheck // a test's own file
	for r, comm := range collective.Local(2) {
		o, err := problem.Parse(args[r], nil)
		require.NoError(t, err)
		c := newCommand(o, quietStopper(), watch.NewProgress("infer", []*os.File{null, told}[r], true), &stdout[r])
		wg.Go(func() { errs[r] = (&rank{c, comm, apart}).run() })
	}
	wg.Wait()
	if stdout[1].Len() > 0 {
		t.Errorf("rank 1 prints %s", &stdout[1])
	}
	text, err := os.ReadFile(told.Name())
	require.NoError(t, err)
	assert.Empty(t, string(text), "rank 0 alone prints warnings")
	return &stdout[0], errs
}

// pairs is a model of pairs of people that have nothing to do with each other.
func pairs(t *testing.T, rules string) string {
	t.Helper()
	var knows, people, truth []string
	for i := range 6 {
		knows = append(knows, fmt.Sprintf(`["a%d", "b%d", 0.%d]`, i, i, i+3))
		people = append(people, fmt.Sprintf(`["a%d"], ["b%d"]`, i, i))
		truth = append(truth, fmt.Sprintf(`["a%d", 1]`, i))
	}
	return modelFile(t, fmt.Sprintf(`{"rules": [%s], "predicates": {"Knows/2": {"observations": [%s]},
		"Likes/1": {"targets": [%s], "truth": [%s], "evaluations": ["ContinuousEvaluator"]}}, "options": {"inference.normalize": false}}`,
		rules, strings.Join(knows, ","), strings.Join(people, ","), strings.Join(truth, ",")))
}

// TestRanks: two ranks print what one process prints.
func TestRanks(t *testing.T) {
	file := pairs(t, `"1: Knows(A, B) -> Likes(A) ^2", "2: Likes(A) & Knows(A, B) -> Likes(B) ^2", "0.5: Knows(A, B) -> !Likes(A)", "Likes(A) + Likes(B) + 0 * Knows(A, B) <= 0.9 .", "1: Knows(B, A) & Knows(A, B) -> Likes(A)"`)
	one, alone := runArgs(t, "-model", file, "-json", "-check", "-epsilon", "0.01")
	stdout, errs := ranked(t, file, "-json", "-check", "-epsilon", "0.01", "-split", "blocks")
	require.NoError(t, errors.Join(errs[:]...))
	var want, got summary
	require.NoError(t, errors.Join(json.Unmarshal([]byte(alone), &want), json.Unmarshal(stdout.Bytes(), &got)))
	if got.Ranks != 2 || got.Status != "solved" || got.Terms != want.Terms || got.Constraints != want.Constraints || got.Targets != want.Targets || got.Components != want.Components ||
		math.Abs(*got.Primal-*want.Primal) > 1e-7 || math.Abs(*got.Objective-*want.Objective) > 1e-6 || len(got.Atoms) != len(one.Y) {
		t.Fatalf("two ranks: %+v\none process: %+v", got, want)
	}
	for i, a := range got.Atoms {
		if w := want.Atoms[i]; a.Arguments[0] != w.Arguments[0] || math.Abs(a.Value-w.Value) > 1e-5 {
			t.Errorf("%v is %v, of one process %v", a.Arguments, a.Value, w.Value)
		}
	}
	if d := got.Metrics["Likes"]["Continuous"]["mae"] - want.Metrics["Likes"]["Continuous"]["mae"]; len(got.Metrics) != 1 || !(math.Abs(d) < 1e-5) {
		t.Errorf("metrics %v, of one process %v", got.Metrics, want.Metrics)
	}
	if got.Ties != "" || want.Ties != "norm" {
		t.Errorf("ties %q of two ranks, %q of one", got.Ties, want.Ties)
	}
	// Only the whole says that the last rule has no grounding.
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0].Message, "the rule has no grounding") || got.Warnings[0].Column == 0 {
		t.Errorf("warnings %+v", got.Warnings)
	}
	// Rank 0 alone prints the warnings that both have, as that of a weight too small.
	args := []string{"-model", pairs(t, `"1: Knows(A, B) -> Likes(A)", "1e-12: Likes(A) & Knows(A, B) -> Likes(B)"`)}
	_, errs = rankedApart(t, [2][]string{args, args})
	require.NoError(t, errors.Join(errs[:]...))
	stdout, errs = ranked(t, file)
	if err := errors.Join(errs[:]...); err != nil || !strings.Contains(stdout.String(), "ranks      2 by graph: 0 targets in common, ") {
		t.Errorf("printed\n%s\n%v", stdout, err)
	}
}

// TestRanksEmpty: of many rules without groundings the one after those that are named counts the others,
// if there are any.
func TestRanksEmpty(t *testing.T) {
	for n, want := range map[int]string{21: "the rule has no grounding", 23: "the rule has no grounding: nor have 20 rules before it and 2 after it"} {
		rules := `"1: Knows(A, B) -> Likes(A)"`
		for i := range n {
			rules += fmt.Sprintf(`, "1: Knows(A, 'c%d') -> Likes(A)"`, i)
		}
		stdout, errs := ranked(t, pairs(t, rules), "-json")
		require.NoError(t, errors.Join(errs[:]...))
		var got summary
		require.NoError(t, json.Unmarshal(stdout.Bytes(), &got))
		var empty []string
		for _, w := range got.Warnings {
			if strings.Contains(w.Message, "no grounding") {
				empty = append(empty, w.Message)
			}
		}
		require.Len(t, empty, 21)
		assert.Contains(t, empty[19], "the rule has no grounding")
		assert.Equal(t, want, empty[20])
	}
}

// TestRanksTable: rank 0 alone opens the file or table of the results. Two ranks that looked at a database at once
// found it locked.
func TestRanksTable(t *testing.T) {
	file := pairs(t, `"1: Knows(A, B) -> Likes(A)"`)
	out := filepath.Join(t.TempDir(), "likes.csv")
	_, errs := rankedApart(t, [2][]string{{"-model", file, "-quiet", "-out", out}, {"-model", file, "-quiet", "-out", filepath.Join(t.TempDir(), "none", "likes.csv")}})
	require.NoError(t, errors.Join(errs[:]...))
	assert.FileExists(t, out)
}

// TestRanksUndefined: a division by a number of values that is 0 is warned of as by one process, with the groundings of
// all ranks: each of the six that know somebody is known by nobody.
func TestRanksUndefined(t *testing.T) {
	file := pairs(t, `"1: 1 / |B| * Knows(A, +B) = Likes(A) {B: Knows(B, A)}"`)
	_, alone := runArgs(t, "-model", file, "-json")
	stdout, errs := ranked(t, file, "-json")
	require.NoError(t, errors.Join(errs[:]...))
	var want, got summary
	require.NoError(t, errors.Join(json.Unmarshal([]byte(alone), &want), json.Unmarshal(stdout.Bytes(), &got)))
	assert.Contains(t, got.Warnings[0].Message, "is 0 in 6 of its groundings")
	assert.Equal(t, want.Warnings, got.Warnings)
}

// TestRanksIdle: targets in no ground rule of any rank, and rules whose weights cannot matter, are warned of as by one process.
func TestRanksIdle(t *testing.T) {
	file := pairs(t, `"1: Knows(A, B) -> Likes(A)", "2: Likes(A) + 0 * Knows(A, B) <= 1", "0: Knows(A, B) -> !Likes(A)"`)
	_, alone := runArgs(t, "-model", file, "-json")
	var want summary
	require.NoError(t, json.Unmarshal([]byte(alone), &want))
	require.Len(t, want.Warnings, 3, "%v", want.Warnings)
	assert.Contains(t, want.Warnings[0].Message, "no ground rule holds 6 of the 12 targets of Likes, ")
	for _, split := range []string{"graph", "blocks", "hash"} {
		stdout, errs := ranked(t, file, "-json", "-split", split)
		require.NoError(t, errors.Join(errs[:]...))
		var got summary
		require.NoError(t, json.Unmarshal(stdout.Bytes(), &got))
		assert.Equal(t, want.Warnings, got.Warnings)
	}
}

// TestRanksMistakes: all ranks end with the same exit code.
func TestRanksMistakes(t *testing.T) {
	likes := `"1: Knows(A, B) -> Likes(A) ^2"`
	for _, test := range []struct {
		rules string
		args  []string
		code  int
		want  string
	}{
		{likes, []string{"-strict"}, exit.Data, "-strict: 2 warnings"},
		{likes, []string{"-D", "inference.skip=true"}, exit.Usage, "asks for no inference"},
		{likes, []string{"-D", "runtime.inference.method=ADMMInference"}, exit.Usage, "asks for the method admm"},
		{likes + `, "Likes(A) + 0 * Knows(A, B) >= 2 ."`, []string{"-json"}, exit.Infeasible, "no values satisfy"},
		{"", nil, exit.Usage, ""},
	} {
		if test.args != nil && test.args[0] == "-strict" {
			test.rules += `, "1: Knows(A, A) -> Likes(A)"`
		}
		_, errs := ranked(t, pairs(t, test.rules), test.args...)
		for r, comm := range collective.Local(2) {
			k := &rank{command: &command{&problem.Session{Stop: quietStopper()}}, comm: comm}
			if code := k.leave(errs[r]); code != test.code {
				t.Errorf("%v: rank %d: %v, exit code %d, want %d", test.args, r, errs[r], code, test.code)
			}
		}
		assert.ErrorContainsf(t, errors.Join(errs[:]...), test.want, "%v", test.args)
	}
	for _, args := range []string{"-learn=sp", "-top=1", "-integer=P", "-method=admm"} {
		if o, err := problem.Parse([]string{"-model", "m", args}, nil); err != nil || o.ForRanks() == nil {
			t.Errorf("%s is for one process: %v", args, err)
		}
	}
}

// TestInfeasibleRanks: a model that is infeasible without a rank that has the proof is an
// error of its own exit code on all ranks.
func TestInfeasibleRanks(t *testing.T) {
	var errs [2]error
	var wg sync.WaitGroup
	for r, c := range collective.Local(2) {
		s := &solution{distributed: &JointResult{Status: infer.Infeasible}}
		wg.Go(func() { errs[r] = (&rank{command: new(command), comm: c}).verdict(s) })
	}
	wg.Wait()
	for r, err := range errs {
		assert.Equalf(t, exit.Infeasible, cli.ExitCode(err), "rank %d: %v", r, err)
	}
}

// TestRanksUnlike: ranks that have read other rules, weights, data or settings than the first are refused.
func TestRanksUnlike(t *testing.T) {
	likes := `"1: Knows(A, B) -> Likes(A) ^2"`
	file := pairs(t, likes)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	data := func(old, now string) string {
		require.Contains(t, string(text), old)
		return modelFile(t, strings.Replace(string(text), old, now, 1))
	}
	const rules, rows, settings = "rules and weights", "data", "settings"
	for _, test := range []struct {
		what string
		args []string
	}{
		{"", []string{"-model", modelFile(t, string(text))}},
		{rules, []string{"-model", pairs(t, `"1.0000000000000002: Knows(A, B) -> Likes(A) ^2"`)}},
		{rules, []string{"-model", pairs(t, `"1: Knows(A, B) -> Likes(B) ^2"`)}},
		{rules, []string{"-model", pairs(t, likes+`, "1: !Likes(A)"`)}},
		{rows, []string{"-model", data(`["a0", "b0", 0.3]`, `["a0", "b0", 0.4]`)}},
		{rows, []string{"-model", data(`["a0", "b0", 0.3]`, `["a0", "b1", 0.3]`)}},
		{rows, []string{"-model", data(`["a0", "b0", 0.3]`, `["a0", "c0", 0.3]`)}},
		{rows, []string{"-model", data(`["a0"], ["b0"]`, `["b0"], ["a0"]`)}}, // their numbers are others
		{rows, []string{"-model", data(`["a0"], ["b0"]`, `["a0"], ["b0"], ["c"]`)}},
		{rows, []string{"-model", data(`["a0", 1]`, `["a0", 0]`)}},
		{settings, []string{"-model", file, "-epsilon", "0.5"}},
		{settings, []string{"-model", file, "-strict"}},
		{settings, []string{"-model", file, "-split", "blocks"}},
	} {
		_, errs := rankedApart(t, [2][]string{{"-quiet", "-model", file}, append(test.args, "-quiet")})
		for r, err := range errs {
			if test.what == "" {
				require.NoError(t, err)
				continue
			}
			assert.ErrorContains(t, err, file+": "+test.what+" are not those of rank 0: rank 1; start all ranks", "%v, rank %d", test.args, r)
			assert.Equal(t, exit.Usage, cli.ExitCode(err))
		}
	}
}
