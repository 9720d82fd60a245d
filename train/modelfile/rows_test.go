package modelfile

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train"
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
func states(c *train.Config, _ *Options) {
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
		change func(*train.Config, *Options)
	}{
		"loss: k-best: the outputs of Odd are sigmoids": {sums(t, 20), states},
		"the loss k-best wants all classes of Read(":    {readOnly(t, 20, "Adds(A, B, S) ->", "Adds(A, B, S) & (A != '2') & (B != '2') ->"), states},
		"neural.gumbel-samples: the loss k-best takes":  {readOnly(t, 20), func(c *train.Config, o *Options) { states(c, o); c.Neural.Samples = 4 }},
	} {
		c := small(t, e.file, "k-best")
		e.change(&c, c.Options.(*Options))
		_, err := Open(c, "")
		require.ErrorContains(t, err, want)
	}
}
