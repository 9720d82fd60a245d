package runs

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/modelfile"
	"hinge/train/record"
)

// TestCompare: what is printed of runs that agree of some entities.
func TestCompare(t *testing.T) {
	classes := []string{"a", "b", "c"}
	run := func(class ...int) *modelfile.Classification {
		return &modelfile.Classification{Predicate: "P", Classes: classes, Entities: []string{"1", "2", "3", "4"}, Class: class, Truth: []int{0, 0, 1, -1}}
	}
	for _, c := range []struct {
		runs []*modelfile.Classification
		want string
	}{
		{[]*modelfile.Classification{run(0, 0, 1, 2), run(0, 0, 1, 2)}, `P: the 2 runs say the same of 100.0 % of 4 entities
true class  entities  agreed   most often said, by run
a           2         100.0 %  a a
b           1         100.0 %  b b
`},
		{[]*modelfile.Classification{run(0, 0, 1, 2), run(0, 0, 2, 2), run(0, 1, 2, 2)}, `P: the 3 runs say the same of 50.0 % of 4 entities
true class  entities  agreed  most often said, by run
a           2         50.0 %  a a a
b           1         0.0 %   b c c
the runs disagree: cmd/infer -shortcuts tells whether labels and rules could tell the classes apart (docs/SHORTCUTS.md)
`},
	} {
		var b strings.Builder
		if err := compare(&b, c.runs); err != nil || b.String() != c.want {
			t.Errorf("%v, printed\n%s\nwant\n%s", err, b.String(), c.want)
		}
	}
	unknown := run(0, 0, 1, 2)
	unknown.Truth = []int{-1, -1, -1, -1}
	var b strings.Builder
	if err := compare(&b, []*modelfile.Classification{unknown, run(0, 0, 1, 1)}); err != nil || !strings.Contains(b.String(), "class of the first run") {
		t.Errorf("without truth: %v\n%s", err, b.String())
	}
}

// TestAgree: runs of a model file of two seeds, and what is refused.
func TestAgree(t *testing.T) {
	root := folders(t)
	file, err := filepath.Abs(filepath.Join("..", "..", "examples", "neural-graph", "model.json"))
	require.NoError(t, err)
	for seed, name := range []string{"first", "second"} {
		c, err := modelfile.Task{}.Defaults(config.Config{Task: "model", Loss: "energy"})
		require.NoError(t, err)
		c.Options.(*modelfile.Options).Model, c.Seed = file, uint64(seed)
		c.Training.Epochs, c.Training.ValidEvery, c.Training.NoTest = 1, 1, true
		m, err := (modelfile.Task{}).Open(c, "")
		require.NoError(t, err)
		_, err = train.Run(context.Background(), c, m, train.Options{Dir: filepath.Join(root, name)})
		require.NoError(t, err)
	}
	in := func(name string) string { return filepath.Join(root, name) }
	if code, out, _ := call(t, root, "-agree", in("first"), in("first")); code != exit.OK || !strings.HasPrefix(out, "Survey: the 2 runs say the same of 100.0 % of ") {
		t.Errorf("a run with itself: exit code %d, %s", code, out)
	}
	if code, out, _ := call(t, root, "-agree", in("first"), in("second")); code != exit.OK || strings.Contains(out, " 100.0 % of ") || !strings.Contains(out, "the runs disagree") {
		t.Errorf("two seeds after a step: exit code %d, %s", code, out)
	}
	// Figures of the mean are those of each run where it is the mean of one and the same.
	_, same, _ := call(t, root, "-agree", "-model", file, in("first"), in("first"))
	fields := strings.Fields(same[strings.Index(same, "Survey Categorical accuracy"):])
	if len(fields) < 6 || fields[3] != fields[4] || fields[4] != fields[5] {
		t.Errorf("the mean of a run with itself: %s", same)
	}
	other := filepath.Join(root, "other")
	require.NoError(t, os.Mkdir(other, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(other, record.ConfigFile), []byte("task = 'mnist-add1'\n[options]\nadditions = 300\n"), 0o600))
	for _, dirs := range [][]string{{other, in("first")}, {in("first"), other}} {
		_, _, stderr := call(t, root, append([]string{"-agree"}, dirs...)...)
		assert.Contains(t, stderr, "other is a run of mnist-add1, not of a model file")
	}
	for _, bad := range [][]string{
		{"-model", file}, {"-agree", "-model", filepath.Join(filepath.Dir(file), "rules-alone.json"), in("first"), in("first")},
		{"-agree", in("first")}, {"-agree", "-json", in("first"), in("second")}, {"-agree", in("first"), in("a")}, {"-agree", in("none"), in("first")},
	} {
		if code, _, stderr := call(t, root, bad...); code == exit.OK || stderr == "" {
			t.Errorf("%v: exit code %d, %q", bad, code, stderr)
		}
	}
}
