package train

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train/learning"
	"hinge/train/modelfile"
)

// TestNoteSettings: a run of a model file says which settings lie beside it and name it, unless it
// takes a file of settings or is told to be quiet.
func TestNoteSettings(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	model, another := write("model.json", "{}"), write("another.json", "{}")
	config := write("config.toml", "task = 'model'\n[options]\nmodel = '"+model+"'\n")
	for _, c := range []struct {
		args string
		want bool
	}{
		{"-model " + model, true},
		{"-model " + model + " -quiet", false},
		{"-model " + another, false},
		{"-model " + model + " -config " + config, false},
	} {
		o, err := parse([]learning.Task{modelfile.Task{}}, append(strings.Fields(c.args), "-out", filepath.Join(dir, "run")), os.Stderr)
		require.NoError(t, err)
		var said strings.Builder
		o.noteSettings(&said)
		if got := strings.Contains(said.String(), "-config "+config+" does\n"); got != c.want || !c.want && said.Len() > 0 {
			t.Errorf("%s: %q", c.args, said.String())
		}
	}
	require.NoError(t, os.WriteFile(config, []byte("no TOML ="), 0o600))
	if got := settingsBeside([]change{{"options.model", model}}); got != "" {
		t.Errorf("settings of a broken file: %q", got)
	}
}
