package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
)

// TestPins: every package has one exact version, and every side an environment that exists.
func TestPins(t *testing.T) {
	exact := regexp.MustCompile(`^[a-z0-9-]+==[0-9]+(\.[0-9]+)*(b[0-9]+)?$`)
	known := map[string]bool{"": true}
	for _, e := range environments {
		assert.Truef(t, known[e.on], "%s stands on %s, which comes later", e.name, e.on)
		known[e.name] = true
		for _, p := range e.pins {
			assert.Regexp(t, exact, p, e.name)
		}
	}
	for _, q := range questions {
		for _, quick := range []bool{true, false} {
			for _, g := range q.groups(quick) {
				assert.Empty(t, g.sides[0].env, "the first side of %s is Hinge", g.name)
				for _, s := range g.sides {
					assert.Truef(t, known[s.env], "%s: %s", s.name, s.env)
					if s.env != "" {
						_, err := scripts.Open(s.args[0])
						assert.NoError(t, err, s.name)
					}
				}
			}
		}
	}
}

// TestPage: a page of a small file of records, in which the fastest peer is wrong and another has
// failed.
func TestPage(t *testing.T) {
	records, err := readRecords("testdata", "programs")
	require.NoError(t, err)
	require.Len(t, records, 3)
	last := latest(records)
	require.Len(t, last, 2, "the second record of a case takes the place of the first")
	p := page{parts: []part{{network, nil}, {programs, last}}}
	text := p.text()
	for _, want := range []string{
		"- Machine: Some processor, 2 cores, 25 GB, linux/amd64, go1.26; kernels on the path avx2\n",
		"- Date: 2026-01-02 03:04 to 05:06 UTC; Hinge at 0123456789ab\n- Programs: Hinge 0.1.0, osqp 1.1.3, piqp 0.6.4\n",
		"| [MAP programs](#map-programs) | 2 | 0.95 | 0.40 | 1.50 | 1 |",
		"| [A training step and a forward pass](#a-training-step-and-a-forward-pass) | 0 | not measured |",
		"| chain, 10³ terms, first | 1 | Hinge | 2 ms | 1–3 ms | 0.002 | 20 ||| 1e-09 ||\n",
		"||| PIQP | 5 ms | 5–5 ms | 0.005 | 50 | **0.40** | 0.40 | 2e-07 ||\n",
		"||| OSQP | 1 ms | 1–1 ms | 0.001 | 50 | 2.00 | 2.00 | 0.1 | the value is off by 1.0e-01 of itself |\n",
		"||| HiGHS, Clarabel | – ||||||| failed: no answer within 2m0s |\n||| SCS | – ||||||| failed: out of memory |\n",
	} {
		assert.Contains(t, text, want)
	}
	i := slices.IndexFunc(last, func(r record) bool { return r.Date.Hour() == 5 })
	last[i].Date = last[i].Date.AddDate(0, 0, 1)
	assert.Contains(t, p.text(), "- Date: 2026-01-02 03:04 to 2026-01-03 05:06 UTC;")
	assert.Contains(t, (&page{}).text(), "\nNothing has been measured.\n")
}

// TestRecords: a case is known by what it computes and where, and a half-written line is none.
func TestRecords(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("testdata", "programs.jsonl"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(recordFile(dir, "programs"), text[:len(text)-20], 0o666))
	records, err := readRecords(dir, "programs")
	require.NoError(t, err)
	assert.Len(t, records, 2)
	none, err := readRecords(dir, "layers")
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-alternations", "0"}, {"-seconds", "NaN"}, {"-limit", "0"}, {"more"}, {"-questions", "speed"}, {"-env", "torch"}, {"-env", "jax=python3"}, {"-only", "batch 17"}} {
		assert.Errorf(t, run(t.Context(), append(args, "-records", t.TempDir(), "-out", filepath.Join(t.TempDir(), "page"))), "%v was accepted", args)
	}
}

// stand is a question whose only peer is a shell that speaks the protocol.
func stand(t *testing.T, script string) *runner {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	shell := filepath.Join(dir, "python")
	require.NoError(t, os.WriteFile(shell, []byte("#!/bin/sh\n"+script), 0o755))
	o := options{work: dir, records: dir, rounds: 2, seconds: .001, slow: 10, limit: 5, existing: map[string]string{"torch": shell}}
	r, err := newRunner(t.Context(), o)
	require.NoError(t, err)
	r.log = &strings.Builder{}
	return r
}

func standIn(cases ...ask) question {
	return question{name: "stand", groups: func(bool) []group {
		return []group{{name: "g", threads: 1, cases: cases, sides: []side{{name: "peer", env: "torch", args: []string{"side.py"}}}}}
	}}
}

// TestRunner: the warm-up is left out, a failure is recorded with its reason, and what has a record
// is not measured again.
func TestRunner(t *testing.T) {
	r := stand(t, `echo hello; echo '{"version": "peer 1"}'
n=0; while read what seconds; do n=$((n+1)); case $what in fine) echo "{\"wall\": $n, \"count\": 1}";; wrong) echo '{"error": "cannot"}';; esac; done`)
	q := standIn(ask{"fine", "fine"}, ask{"wrong", "wrong"})
	require.NoError(t, r.question(t.Context(), q))
	records, err := readRecords(r.records, "stand")
	require.NoError(t, err)
	require.Len(t, records, 2)
	assert.Equal(t, []float64{2, 3}, records[0].Sides[0].Wall)
	assert.Equal(t, "peer 1", records[0].Sides[0].Version)
	assert.Equal(t, "cannot", records[1].Sides[0].Failed)
	require.NoError(t, r.question(t.Context(), q))
	r.again, r.only = true, "other"
	require.NoError(t, r.question(t.Context(), q))
	records, err = readRecords(r.records, "stand")
	require.NoError(t, err)
	assert.Len(t, records, 2)
}

// TestLate: a program that does not answer is ended, and one that ends says why.
func TestLate(t *testing.T) {
	r := stand(t, `echo '{"version": "peer 1"}'; read line; sleep 60`)
	r.limit = .05
	began := time.Now()
	require.NoError(t, r.question(t.Context(), standIn(ask{"late", "late"})))
	assert.Less(t, time.Since(began), 30*time.Second)
	r2 := stand(t, `echo 'no module named torch' >&2; exit 3`)
	require.NoError(t, r2.question(t.Context(), standIn(ask{"c", "c"})))
	for want, dir := range map[string]string{"no answer within 50ms": r.records, "no module named torch": r2.records} {
		records, err := readRecords(dir, "stand")
		require.NoError(t, err)
		assert.Equal(t, want, records[0].Sides[0].Failed)
	}
}

func TestStat(t *testing.T) {
	pid, parent, ticks, ok := readStat("42 (a (b) c) S 7 42 42 0 -1 4194560 1 2 3 4 100 20 3 1 20 0 1 0 5 6 7")
	assert.True(t, ok)
	assert.Equal(t, [2]int{42, 7}, [2]int{pid, parent})
	assert.InDelta(t, 124, ticks, 0)
	for _, bad := range []string{"", "42 a S 7", "x (a) S 7 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "42 (a) S"} {
		_, _, _, ok := readStat(bad)
		assert.Falsef(t, ok, "%q", bad)
	}
}

// TestServe: Hinge's sides answer each line, and what they do not know is an error in the answer.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		args  []string
		lines string
	}{
		"network":  {[]string{"LeNet", "4"}, "train 0\nforward 0\n"},
		"forward":  {[]string{"MLP", dir}, "1 0\n2 0\n"},
		"programs": {[]string{"chain", "100", dir}, "first 0\nagain 0\nwarm 0\n"},
		"layers":   {[]string{"1", dir}, "1 0\n2 0\n"},
	} {
		var out strings.Builder
		require.NoError(t, serve(strings.NewReader(c.lines+"x 0\n"), &out, name, c.args), name)
		var answers []answer
		for d := json.NewDecoder(strings.NewReader(out.String())); d.More(); {
			var a answer
			require.NoError(t, d.Decode(&a))
			answers = append(answers, a)
		}
		for _, a := range answers[1 : len(answers)-1] {
			assert.Emptyf(t, a.Error, "%s", name)
			assert.Positive(t, a.Wall, name)
		}
	}
	assert.Error(t, serve(strings.NewReader(""), &strings.Builder{}, "no side", nil))
}

// TestJudgeProgram: an optimum counts; a point beside it, and one that breaks a hard rule, do not.
func TestJudgeProgram(t *testing.T) {
	dir := t.TempDir()
	judged, err := prepareProgram(context.Background(), dir, "citation", 300)
	require.NoError(t, err)
	in, err := openFamily(context.Background(), "citation", 300)
	require.NoError(t, err)
	var res infer.Result
	require.NoError(t, infer.Solve(in, nil, infer.Settings{}, &res))
	path := filepath.Join(dir, "peer")
	var a answer
	check := func() string {
		require.NoError(t, writeSolution(path, &res.Solution))
		wrong, err := judged("peer", ask{"first", "first"}, &a)
		require.NoError(t, err)
		return wrong
	}
	assert.Empty(t, check())
	assert.Less(t, a.Figures["gap"], 1e-5)
	for k := range res.Slack {
		res.Slack[k] += .01
	}
	assert.Contains(t, check(), "value")
	res.Y[0] += .5
	assert.Contains(t, check(), "violates")
	res.Y[0] = math.NaN()
	assert.NotEmpty(t, check())
	require.NoError(t, os.Truncate(path, 8))
	_, err = judged("peer", ask{"first", "first"}, &a)
	assert.Error(t, err)
}

// TestAbsoluteGap: Hinge ends no earlier than the peers, which stop at an absolute gap. The right
// value is the page's own, and lcqp.Residuals, which shares no code with a solver, gives the gap.
func TestAbsoluteGap(t *testing.T) {
	dir := t.TempDir()
	judged, err := prepareProgram(context.Background(), dir, "grid", 100_000)
	require.NoError(t, err)
	solve, err := openPrograms([]string{"grid", "100000", dir})
	require.NoError(t, err)
	a, err := solve([]string{"first"}, 0)
	require.NoError(t, err)
	wrong, err := judged("Hinge", ask{"first", "first"}, &a)
	require.NoError(t, err)
	assert.Empty(t, wrong)
	assert.LessOrEqual(t, a.Figures["gap"], tolerance)
}

// TestJudgeLayer: values and gradients are told apart, and NaN is no right answer.
func TestJudgeLayer(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "peer")
	v, dg := []float64{1, 2, 3}, []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		out  []float64
		want string
	}{
		{[]float64{1, 2, 1, 2, 3, 4}, ""},
		{[]float64{1, 2.1, 1, 2, 3, 4}, "values"},
		{[]float64{1, 2, 1, 2, 3, 4.1}, "gradients"},
		{[]float64{math.NaN(), 2, 1, 2, 3, 4}, "values"},
	} {
		require.NoError(t, write(dir, "peer", c.out))
		wrong, err := judgeLayer(path, ask{"batch 2", "2"}, &answer{}, v, dg)
		require.NoError(t, err)
		assert.Contains(t, wrong, c.want)
		assert.Equal(t, c.want == "", wrong == "")
	}
	require.NoError(t, write(dir, "peer", v))
	_, err := judgeLayer(path, ask{"batch 2", "2"}, &answer{}, v, dg)
	assert.Error(t, err)
}

// TestJudgeForward: outputs that differ by more than rounding, or are missing, do not count, and every
// network is written as a file and has the outputs of an image in each batch.
func TestJudgeForward(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want bool
	}{
		{[]float64{1, 2}, []float64{1.001, 2}, true},
		{[]float64{1, 2}, []float64{1.01, 2}, false},
		{[]float64{1, 2}, []float64{1}, false},
		{nil, nil, false},
		{[]float64{1}, []float64{math.NaN()}, false},
	} {
		assert.Equal(t, c.want, disagree(c.a, c.b) == "", "%v, %v", c.a, c.b)
	}
	for name := range networks {
		dir := t.TempDir()
		judged, err := prepareForward(dir, name)
		require.NoError(t, err)
		assert.FileExists(t, filepath.Join(dir, "network.onnx"))
		reply, err := openForward([]string{name, dir})
		require.NoError(t, err)
		var first []float64
		for _, batch := range []string{"1", "2"} {
			_, err = reply([]string{batch}, 0)
			require.NoError(t, err)
			out, err := readFloats(filepath.Join(dir, "Hinge"))
			require.NoError(t, err)
			if first == nil {
				first = out
			}
			assert.Empty(t, disagree(first, out[:len(first)]), name)
		}
		require.NoError(t, write(dir, "onnxruntime", first))
		wrong, err := judged("onnxruntime", ask{}, &answer{})
		require.NoError(t, err)
		assert.Equal(t, "10 outputs, not 20", wrong)
		require.NoError(t, os.Remove(filepath.Join(dir, "onnxruntime")))
		_, err = judged("onnxruntime", ask{}, &answer{})
		assert.Error(t, err)
	}
	_, _, err := makeNetwork("VGG")
	assert.Error(t, err)
}

func TestTruths(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "STATE.txt"), []byte("1\ta\t0.25\n0\tb\t1\n9\tz\t1\n"), 0o666))
	y, err := readTruths(dir, []string{"State(0,b)", "State(1,a)"})
	require.NoError(t, err)
	assert.Equal(t, []float64{1, .25}, y)
	_, err = readTruths(dir, []string{"State(2,b)"})
	assert.Error(t, err)
}
