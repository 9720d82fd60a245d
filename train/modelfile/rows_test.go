package modelfile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
	"hinge/train/traintest"
)

// readOnly is sums without the network that reads whether a pair is odd.
func readOnly(t testing.TB, pairs int, change ...string) string {
	t.Helper()
	file := sums(t, pairs)
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	text := strings.NewReplacer(append(change,
		`"0.1: Odd(P) & Even(S) -> !Sum(P, S)",`, "",
		`"Odd/1": {"network": {"model": "mlp", "features": "signs.txt"}, "targets": {"learn": ["odd_learn.txt"], "infer": ["odd_infer.txt"]}},`, "",
	)...).Replace(string(src))
	require.NotContains(t, text, "Odd")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	return file
}

// states is the configuration of the loss k-best.
func states(c *config.Config, _ *Options) {
	c.Training.Batch, c.Training.Epochs, c.Training.ValidEvery, c.Training.Patience = 10, 40, 10, 0
	c.Symbolic.FreezeRules = true
}

// TestKBestLearns: from outputs as they are, with which the energy learns nothing (TestDraws).
func TestKBestLearns(t *testing.T) {
	if testing.Short() {
		t.Skip("learns for some hundred steps")
	}
	m, c := open(t, readOnly(t, 60), "k-best", states)
	res := traintest.Run(t, c, m, train.Options{Dir: t.TempDir()})
	require.Greater(t, res.TestAccuracy, 0.9)
}

// TestKBestRefuses: outputs that are no classes of which one holds, a class in no rule, and draws.
func TestKBestRefuses(t *testing.T) {
	for want, e := range map[string]struct {
		file   string
		change func(*config.Config, *Options)
	}{
		"loss: k-best: the outputs of Odd are sigmoids": {sums(t, 20), states},
		"the loss k-best wants all classes of Read(":    {readOnly(t, 20, "Adds(A, B, S) ->", "Adds(A, B, S) & (A != '2') & (B != '2') ->"), states},
		"neural.gumbel-samples: the loss k-best takes":  {readOnly(t, 20), func(c *config.Config, o *Options) { states(c, o); c.Neural.Samples = 4 }},
	} {
		c := small(t, e.file, "k-best")
		e.change(&c, c.Options.(*Options))
		_, err := openFile(c, "", nil)
		require.ErrorContains(t, err, want)
	}
}

// TestLossesOfOpened: of an opened model only those losses are advised that it takes.
func TestLossesOfOpened(t *testing.T) {
	takes := map[string]bool{sums(t, 20): false, readOnly(t, 20): true}
	for file, want := range takes {
		_, c := open(t, file, "energy", states)
		require.Equal(t, want, slices.Contains(c.Losses(), "k-best"))
	}
}

// TestKBestContrary: an example whose true values break hard rules is named, with the rules, as
// a fault of the data.
func TestKBestContrary(t *testing.T) {
	file := readOnly(t, 6, `"Sum(P, +S) = 1 ."`, "\"Sum(P, +S) = 1 .\",\n\"Sum('l3', '0') = 1 .\"")
	truth := filepath.Join(filepath.Dir(file), "truth_learn.txt")
	src, err := os.ReadFile(truth)
	require.NoError(t, err)
	require.Contains(t, string(src), "l3\t0\t0\n", "the sum of l3 is 0")
	for _, batch := range []int{1, 2} {
		m, _ := open(t, file, "k-best", func(c *config.Config, o *Options) {
			states(c, o)
			c.Training.Batch = batch
		})
		for at := 0; at < 6; at += batch {
			_, err := m.Gradient(learning.Step{Temperature: 1}, learning.All(at + batch)[at:][:batch])
			if holds := batch == 2 && at != 2; holds {
				require.NoError(t, err, "batch %d, example %d", batch, at)
				continue
			}
			require.ErrorContains(t, err, file+": the truth Sum(l3,0) = 0: ")
			require.ErrorContains(t, err, file+":6:2 Sum('l3', '0') = 1 .")
			require.NotContains(t, err.Error(), "+S")
			require.Equal(t, exit.Data, train.ExitCode(err))
			if batch == 1 {
				break
			}
		}
	}
}

// TestKBestAnyOrder: the order of the rows of a targets file changes neither losses nor answers.
func TestKBestAnyOrder(t *testing.T) {
	const pairs = 4
	run := func(batch int, seed uint64) (losses []float64, answers map[string]float64) {
		file := readOnly(t, pairs)
		for _, name := range []string{"read_learn.txt", "read_infer.txt", "sum_learn.txt", "sum_infer.txt"} {
			if seed == 0 {
				break
			}
			path := filepath.Join(filepath.Dir(file), name)
			src, err := os.ReadFile(path)
			require.NoError(t, err)
			lines := strings.Split(strings.TrimSpace(string(src)), "\n")
			rand.New(rand.NewPCG(seed, 7)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666))
		}
		m, _ := open(t, file, "k-best", func(c *config.Config, o *Options) {
			states(c, o)
			c.Training.Batch = batch
		})
		rng := rand.New(rand.NewPCG(9, 9)) // the labels decide: the outputs are far from uniform
		for _, p := range m.Params() {
			for i := range p.Value {
				p.Value[i] = float32(rng.NormFloat64())
			}
		}
		for step := range 3 {
			work, err := m.Gradient(learning.Step{Number: step, Temperature: 1}, learning.All(batch))
			require.NoError(t, err)
			losses = append(losses, work.Loss)
			for _, p := range m.Params() {
				for i, d := range p.Grad {
					p.Value[i] -= 0.1 * d
				}
			}
		}
		q := m.parts[learning.TestPart]
		y, g, err := q.infer(m.Weights(), &m.cfg, m.look)
		require.NoError(t, err)
		answers = map[string]float64{}
		for a := range q.Data.Atoms("Sum") {
			answers[fmt.Sprint("Sum", a.Args)] = y[a.Index]
		}
		for a := range q.Data.Atoms("Read") {
			answers[fmt.Sprint("Read", a.Args)] = g[a.Index]
		}
		return losses, answers
	}
	for _, batch := range []int{1, pairs} {
		losses, answers := run(batch, 0)
		require.Len(t, answers, pairs*(5+2*3))
		for seed := range uint64(2) {
			shuffled, same := run(batch, 1+seed)
			require.InDeltaSlice(t, losses, shuffled, 1e-5, "batch %d", batch)
			require.InDeltaMapValues(t, answers, same, 1e-5, "batch %d", batch)
		}
	}
}

// TestContraryRules: an example whose label breaks hard rules is named, by the targets of its own,
// with the rules and their places, whatever the loss and the batch; it is a fault of the model.
func TestContraryRules(t *testing.T) {
	file := write(t, `{"rules": [
		"1: D(X, C) = S(X, C) ^2",
		"S(X, +C) = 1 .",
		"S(X, '0') >= 0.8 ."],
		"predicates": {
			"D/2": {"network": {"model": "mlp", "layers": [3], "features": "f.txt", "classes": 2}, "targets": ["t.txt"]},
			"S/2": {"targets": ["t.txt"], "truth": [["a", 0], ["b", 1], ["c", 0]], "evaluations": ["CategoricalEvaluator"]}}}`,
		map[string]string{"f.txt": "a\t1\t0\nb\t0\t1\nc\t1\t1\n", "t.txt": "a\t0\na\t1\nb\t0\nb\t1\nc\t0\nc\t1\n"})
	for _, loss := range config.CommonLosses() {
		for batch := 1; batch <= 3; batch++ {
			for seed := range uint64(3) {
				m, c := open(t, file, loss, func(c *config.Config, _ *Options) { c.Training.Batch, c.Seed = batch, seed })
				_, err := train.Run(t.Context(), c, m, train.Options{Dir: t.TempDir()})
				require.Error(t, err)
				assert.Equal(t, exit.Infeasible, train.ExitCode(err))
				assert.Regexp(t, `^train: step \d: .*model.json: infer: infeasible hard constraints: row \d of .*model.json:3:4 \(S\(X, \+C\) = 1 \.\), row \d of .*model.json:4:4 \(S\(X, '0'\) >= 0.8 \.\); they are about S\(b,0\), S\(b,1\) = 1$`, err.Error())
			}
		}
	}
}
