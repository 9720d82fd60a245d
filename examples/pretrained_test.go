package examples_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/modelfile"
	"hinge/train/record"
)

// TestPretrained: the network of digits, exported, is a better beginning than none.
func TestPretrained(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("pretrained")))
	learn := func(file, settings, export string, note func(string)) record.Result {
		c, err := modelfile.Task{}.Defaults(config.Config{Task: "model", Loss: "energy"})
		require.NoError(t, err)
		if settings != "" {
			require.NoError(t, c.LoadFile(filepath.Join(dir, settings)))
		} else {
			c.Training.Epochs = 40
		}
		c.Options.(*modelfile.Options).Model = filepath.Join(dir, file)
		m, err := (modelfile.Task{}).Open(c, "")
		require.NoError(t, err)
		res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir(), Observer: noted{note: note}})
		if err == nil && export != "" {
			_, err = train.Export(filepath.Join(dir, export), m)
		}
		require.NoError(t, err)
		return res
	}
	var said []string
	note := func(line string) { said = append(said, line) }
	if res := learn("digits.json", "digits.toml", "digits.safetensors", note); res.TestAccuracy < 0.8 {
		t.Errorf("digits: %.4f", res.TestAccuracy)
	}
	with, without := learn("model.json", "", "", note), learn("from-nothing.json", "", "", note)
	t.Logf("with the weights %.4f, without %.4f", with.TestAccuracy, without.TestAccuracy)
	if with.TestAccuracy < 0.88 || with.TestAccuracy < without.TestAccuracy+0.03 {
		t.Errorf("with the weights %.4f, without %.4f", with.TestAccuracy, without.TestAccuracy)
	}
	if text := strings.Join(said, "\n"); !strings.Contains(text, "102 of 104 tensors taken") || !strings.Contains(text, "shape differs, left as drawn: head.0.weight [1 128], not [10 128]") {
		t.Errorf("said %s", text)
	}
}

// noted is an observer that keeps notes alone.
type noted struct {
	train.Observer
	note func(string)
}

func (n noted) Start(train.Plan)                     {}
func (n noted) Step(int, record.Metric)              {}
func (n noted) Valid(int, record.Metric, train.Fate) {}
func (n noted) Done()                                {}
func (n noted) Note(line string)                     { n.note(line) }
