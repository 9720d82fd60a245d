package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/learning"
)

// TestFigures: shares are in per cent; errors, thresholds and figures with a name of their own are
// as they are.
func TestFigures(t *testing.T) {
	assert.Equal(t, "accuracy 82.47%", Shown("", 0.82468))
	assert.Equal(t, "auroc 0.8781", Shown("auroc", 0.87812))
	assert.Equal(t, "without rules 82.47%", Further("without_rules", 0.82468))
	assert.Equal(t, "Same Discrete threshold 0.4288", Further("Same Discrete threshold", 0.42884))
	assert.Equal(t, "Rating Continuous mse 3.2100", Further("Rating Continuous mse", 3.21))
}

// TestOpenLog: the lines up to a step stay, however long they are, as those of many rules; what is about the
// final weights, or a validation after the checkpoint, or cut off, is written again. A damaged line costs no other line, and its step is counted as lost.
func TestOpenLog(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, MetricsFile)
	line := func(step, split, end string) string { return `{"step":` + step + `,"split":"` + split + `"` + end }
	long := line("1", "valid", `,"rules":[{"rule":"`+strings.Repeat("x", 200_000)+`"}]}`+"\n")
	kept := long + line("2", "train", "}\n")
	for _, more := range []string{"", line("3", "train", "}\n"), line("2", string(learning.FinalValidPart), "}\n"), line("2", "valid", "}\n"), line("2", "tr", "")} {
		require.NoError(t, os.WriteFile(path, []byte(kept+more), 0o600))
		log, lost, err := OpenLog(dir, 2, false)
		require.NoError(t, err)
		assert.Equal(t, 1, lost, "step 1 has a validation alone")
		require.NoError(t, log.Close())
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, len(kept), len(got), "%.40q", more)
		assert.Equal(t, kept, string(got))
	}
	require.NoError(t, os.WriteFile(path, []byte(line("1", "train", "}\n")+"\x00"+line("2", "train", "}\n")+line("3", "train", "}\n")), 0o600))
	log, lost, err := OpenLog(dir, 3, true)
	require.NoError(t, err)
	require.NoError(t, log.Close())
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 1, lost)
	assert.Equal(t, line("1", "train", "}\n")+line("3", "train", "}\n"), string(got))
}
