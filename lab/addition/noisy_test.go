package addition

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
	"hinge/tasks/mnistadd"
	"hinge/train/learning"
)

// TestNoisyRulesIsTheExample: the row with wrong rules and learned weights has the
// settings that the example's README runs, except for the tests.
func TestNoisyRulesIsTheExample(t *testing.T) {
	table, err := NoisyRules(tables.Options{})
	require.NoError(t, err)
	want := mnistadd.SystemDefaults("neupsl", "mnist-add1", "energy", "best", 300)
	require.NoError(t, want.LoadFile(filepath.Join("..", "..", filepath.Dir(noisyFile), "config.toml")))
	want.Rules = noisyFile
	want.Training.NoTest, want.Training.MoreTest = true, true
	got := decoded(t, &table.Cells[4])
	if diff := want.Diff(&got); len(diff) > 0 {
		t.Errorf("the example and the row %q differ: %v", table.Cells[4].Row, diff)
	}
}

func TestLargestWrong(t *testing.T) {
	rules := []learning.Rule{{Weight: 0.9}, {Weight: 0.02}, {Weight: 0.05}, {Weight: 0.03}}
	assert.Equal(t, 0.05, largestWrong(rules))
}
