package docs

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train"
	"hinge/train/config"
	"hinge/train/modelfile"
)

// TestModelOfPage: rules and model that MODELS.md shows are whole, short, and learn the labels.
// Which of its two maps the network takes is left open.
func TestModelOfPage(t *testing.T) {
	page := read(t, "docs/MODELS.md")
	block := func(name, after string) string {
		found := regexp.MustCompile("(?s)" + regexp.QuoteMeta(after) + ".*?\n```[a-z]*\n(.*?)\n```").FindStringSubmatch(page)
		require.NotNil(t, found, name)
		return found[1] + "\n"
	}
	dir, lines := t.TempDir(), 0
	for name, after := range map[string]string{"rules.psl": "`rules.psl`:", "model.json": "`model.json`, with"} {
		text := block(name, after)
		lines += strings.Count(text, "\n")
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		kept, err := os.ReadFile(filepath.Join("../examples/mnist-xor", name))
		require.NoError(t, err)
		assert.Equal(t, string(kept), text, "%s is not that of the example", name)
	}
	assert.LessOrEqual(t, lines, 40, "lines of rules and model")
	require.NoError(t, os.CopyFS(filepath.Join(dir, "data"), os.DirFS("../examples/mnist-xor/data")))
	c, err := modelfile.Task{}.Defaults(config.Config{Task: "model"})
	require.NoError(t, err)
	require.NoError(t, c.LoadFile("../examples/mnist-xor/config.toml"))
	c.Options.(*modelfile.Options).Model = filepath.Join(dir, "model.json")
	c.Training.Epochs = 20
	m, err := (modelfile.Task{}).Open(c, "")
	require.NoError(t, err)
	result, err := train.Run(context.Background(), c, m, train.Options{Dir: filepath.Join(dir, "run")})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, result.TestAccuracy, 0.95)
}
