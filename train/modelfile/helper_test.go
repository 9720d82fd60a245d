package modelfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/train/config"
)

// shared keeps MNIST in memory, which the tests load again and again.
var shared, _ = mnist.Load("") //nolint:unused // it only has to be reachable

// tiny is a model with two networks and three neural predicates: a softmax, a sigmoid
// of the same network, and a sigmoid without classes of another one. The holes take
// the rules and keys of the last predicate.
const tiny = `{
	"rules": [
		"2: A(X, C) = Y(X, C) ^2",
		"1: B(X, 'u') & Y(X, '0') -> Z(X)",
		"1: 0.5 * Q(X, K) + 0.2 * B(X, K) + Z(X) >= 0.9 ^2",
		"1: Near(X, W) & Y(X, C) -> Y(W, C) ^2",
		"Y(X, +C) = 1 ."
	],
	"predicates": {
		"A/2": {
			"network": {"model": "mlp", "layers": [3], "features": "a.txt", "classes": 2},
			"targets": ["pairs.txt"], "truth": {"learn": [["a", 0, 1], ["c", 1, 0.6]], "infer": [["a", 0], ["b", 0]]},
			"evaluations": ["CategoricalEvaluator"]
		},
		"B/2": {
			"network": {"share": "A", "classes": ["u", "v"], "output": "sigmoid"},
			"targets": [["a", "u"], ["a", "v"], ["b", "u"], ["b", "v"], ["c", "u"]],
			"truth": {"learn": [["b", "v", 0.3], ["c", "u", 1]]}
		},
		"Q/2": {
			"network": {"model": "mlp", "features": "q.npy.txt"},
			"targets": [["a", "u"], ["b", "u"], ["c", "u"]]
		},
		"Near/2": {"observations": [["a", "b"], ["b", "c"]]},
		"Y/2": {
			"targets": ["pairs.txt"],
			"truth": {"learn": [["a", 0, 1], ["a", 1, 0]], "infer": [["a", 0], ["b", 0], ["c", 1]]},
			"evaluations": [{"evaluator": "CategoricalEvaluator", "primary": true}]
		},
		"Z/1": {"targets": [["a"], ["b"], ["c"]], "truth": {"learn": [["c", 0]]}}
	}
}`

// tinyFiles are the data of tiny.
var tinyFiles = map[string]string{
	"pairs.txt": "a\t0\na\t1\nb\t0\nb\t1\nc\t0\nc\t1\n",
	"a.txt":     "x\t9\t9\na\t0.5\t-1\nb\t1\t0.25\nc\t-2\t1\n",
	"q.npy.txt": "a\tu\t1\t0\nb\tu\t0.5\t-1\nc\tu\t0\t2\n",
}

// write puts a model and files in a folder and returns the model's path.
func write(t testing.TB, src string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	path := filepath.Join(dir, "model.json")
	require.NoError(t, os.WriteFile(path, []byte(src), 0o666))
	return path
}

// small is a configuration of a few steps.
func small(t testing.TB, file, loss string) config.Config {
	t.Helper()
	c, err := Task{}.Defaults(config.Config{Task: "model", Loss: loss})
	require.NoError(t, err)
	c.Options.(*Options).Model = file
	c.Training.Epochs, c.Training.ValidEvery = 6, 2
	return c
}

// open opens the model of a file.
func open(t testing.TB, file, loss string, change func(*config.Config, *Options)) (*Model, config.Config) {
	t.Helper()
	c := small(t, file, loss)
	if change != nil {
		change(&c, c.Options.(*Options))
	}
	m, err := openFile(c, "", nil)
	require.NoError(t, err)
	return m.(*Model), c
}

// replaced is tiny with a text in another's place.
func replaced(t testing.TB, old, with string) string {
	t.Helper()
	if !strings.Contains(tiny, old) {
		t.Fatalf("tiny has no %s", old)
	}
	return strings.Replace(tiny, old, with, 1)
}

// parted is tiny with two components: c is near to nobody.
func parted(t testing.TB) string {
	t.Helper()
	return replaced(t, `[["a", "b"], ["b", "c"]]`, `[["a", "b"]]`)
}
