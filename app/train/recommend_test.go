package train

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/learning"
	"hinge/train/modelfile"
)

// TestCheckTraining: the check of an example passes and writes no run folder; flags of a run are
// refused beside it.
func TestCheckTraining(t *testing.T) {
	o := halves(t, "neural-graph/model.json", "-check-training", "-loss", "sp")
	var b strings.Builder
	require.NoError(t, o.mode()(&b, o))
	assert.Contains(t, b.String(), "420 numbers of networks in 4 arrays, 3 rule weights")
	assert.Contains(t, b.String(), "one batch  its loss falls from")
	assert.NoDirExists(t, o.dir)

	// The bilevel losses begin where their constraints are met with equality.
	o = halves(t, "neural-films/model.json", "-check-training", "-loss", "mse", "-batch", "20", "-set", "bilevel.energy-coefficient=0", "-set", "options.label-weight=0")
	b.Reset()
	require.NoError(t, o.mode()(&b, o))
	assert.Contains(t, b.String(), "networks   the gradient is that of differences")
	assert.Contains(t, b.String(), "rules      the gradient is that of differences")
	for _, other := range []string{"-eval", "-resume", "-predict=x.png", "-export=net.onnx", "-cpuprofile=x"} {
		_, err := parse([]learning.Task{toy{"a"}}, []string{"-check-training", other}, io.Discard)
		assert.ErrorContains(t, err, "-check-training", other)
	}
}

// TestRecommend: a run with the printed file is the run without settings, and flags that choose what
// is recommended are refused, as are tasks with recipes of their own.
func TestRecommend(t *testing.T) {
	for _, model := range []string{"mnist-xor/one-label.json", "pretrained/digits.json", "smokers/model.json"} {
		o := halves(t, model, "-recommend")
		var b strings.Builder
		require.NoError(t, o.mode()(&b, o))
		assert.Regexp(t, `(?s)^# What a run .* At most about [0-9.]+ s on this\n# machine: [0-9,]+ steps? of .* s and [0-9,]+ validations? of`, b.String())
		with, err := parse([]learning.Task{modelfile.Task{}}, []string{"-config", write(t, b.String())}, io.Discard)
		require.NoError(t, err, b.String())
		without := halves(t, model)
		assert.Equal(t, without.config.Identity(), with.config.Identity(), b.String())
	}
	for _, other := range []string{"-loss=sp", "-batch=3", "-set=seed=1", "-eval", "-check-training", "-recipe=best"} {
		_, err := parse([]learning.Task{toy{"a"}}, []string{"-recommend", other}, io.Discard)
		assert.ErrorContains(t, err, "-recommend chooses the settings", other)
	}
	o, err := parse([]learning.Task{toy{"a"}}, []string{"-recommend"}, io.Discard)
	require.NoError(t, err)
	assert.ErrorContains(t, recommend(io.Discard, o), "it looks at model files")
}
