package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"hinge/app/serve"
	"hinge/tasks/citation"
	"hinge/tasks/mnistadd"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
	"hinge/train/modelfile"
)

// TestMain makes the command one that tests can run.
func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"serve": main}) }

// child runs the command with args in a process of its own.
func child(args string) *exec.Cmd { return exec.Command("serve", strings.Fields(args)...) }

// trained is the folder of a short run, with its model.
func trained(t *testing.T, task learning.Task, c config.Config) (string, learning.Model) {
	t.Helper()
	c.Training.Epochs, c.Training.Steps, c.Training.ValidEvery, c.Training.NoTest = 0, 1, 1, true
	m, err := task.Open(c, "")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "run")
	_, err = train.Run(t.Context(), c, m, train.Options{Dir: dir})
	require.NoError(t, err)
	return dir, m
}

// start starts a server of a model and returns its address, and what ends it by SIGTERM and
// looks for a text in what it says.
func start(t *testing.T, model, args string) (url string, stop func(want string)) {
	t.Helper()
	cmd := child(args)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	said := new(bytes.Buffer)
	cmd.Stderr = said
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop() })
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	m := regexp.MustCompile(`^serving ` + model + ` of \S+ at (http://127\.0\.0\.1:\d+)\n$`).FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("it says %q, %v\n%s", line, err, said.String())
	}
	return m[1], func(want string) {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		_, _ = io.Copy(io.Discard, lines)
		if err := cmd.Wait(); err != nil || !strings.Contains(said.String(), want) {
			t.Errorf("ended with %v, and said\n%s", err, said.String())
		}
	}
}

// A run is served with its tested weights until SIGTERM, which ends the command with 0.
func TestServe(t *testing.T) {
	c := mnistadd.SystemDefaults("neupsl", "mnist-add1", "energy", "best", 40)
	c.Training.Batch, c.Neural.Samples, c.Neural.Views, mnistadd.OptionsOf(&c).Network = 4, 2, 0, "lenet"
	dir, _ := trained(t, mnistadd.Task{}, c)
	url, stop := start(t, "mnist-add1", "-addr 127.0.0.1:0 -run "+dir)
	body, err := json.Marshal(map[string]any{"inputs": []any{map[string]any{
		"name": "images", "datatype": "FP32", "shape": []int{1, 2, 28, 28}, "data": make([]float32, 2*28*28),
	}}, "outputs": []any{map[string]any{"name": "unmet"}}})
	require.NoError(t, err)
	r, err := http.Post(url+"/v2/models/mnist-add1/infer", "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if want := `{"model_name":"mnist-add1","model_version":"1","outputs":[{"name":"unmet","datatype":"BYTES","shape":[1],"data":[""]}]}` + "\n"; err != nil || string(text) != want {
		t.Errorf("%s: %s, %v", r.Status, text, err)
	}
	stop("taken=1 answered=1")
}

// A model file is served under the name of its folder.
func TestServeModelFile(t *testing.T) {
	c, err := modelfile.Task{}.Defaults(config.Config{Task: "model", Loss: "energy"})
	require.NoError(t, err)
	c.Options.(*modelfile.Options).Model = filepath.Join("..", "..", "examples", "neural-films", "model.json")
	dir, m := trained(t, modelfile.Task{}, c)
	url, stop := start(t, "neural-films", "-addr 127.0.0.1:0 -run "+dir)
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	q, err := m.(*modelfile.Model).NewPredictor()
	require.NoError(t, err)
	kind := q.Inputs()[0]
	entity := strings.Join(kind.Entities[0], ",")
	require.NoError(t, w.WriteField(kind.Network+":"+entity, strings.Repeat("0.5 ", kind.Shape[0])))
	require.NoError(t, w.Close())
	r, err := http.Post(url+"/v2/models/neural-films/explain", w.FormDataContentType(), &form)
	require.NoError(t, err)
	defer r.Body.Close()
	var p modelfile.Prediction
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil || r.StatusCode != http.StatusOK || !p.Inputs[0].Known || len(p.Atoms) == 0 || len(p.Inputs[0].Outputs) != 3 {
		t.Errorf("%s: %+v, %v", r.Status, p, err)
	}
	stop("taken=1 answered=1")
}

// Mistakes are one line and the exit code that is documented.
func TestMistakes(t *testing.T) {
	c, err := citation.Task{}.Defaults(config.Config{Task: "citation-demo", Loss: "energy", Recipe: "best"})
	require.NoError(t, err)
	unserved, _ := trained(t, citation.Task{}, c)
	var said bytes.Buffer
	require.Equal(t, exit.Usage, serve.Main([]string{"-run", unserved}, io.Discard, &said, citation.Task{}))
	require.Contains(t, said.String(), "a run of citation-demo which has no form to be served (learning.Answerer)")
	empty, path := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(path, "config.toml"), []byte("task = 'mnist-path'\n"), 0o644))
	for args, c := range map[string]struct {
		code int
		want string
	}{
		"":                                 {exit.Usage, "-run is missing"},
		"-run " + empty:                    {exit.Usage, "-run: " + empty + " holds no run"},
		"-run " + unserved:                 {exit.Usage, "has no form to be served"},
		"-run " + path:                     {exit.Usage, "has no form to be served (learning.Answerer); additions and model files have: \"mnist-path\" is none of mnist-add1, "},
		"-run " + unserved + " -set x":     {exit.Usage, `"x": want KEY=VALUE`},
		"-run " + unserved + " -set x.y=1": {exit.Usage, "no such setting: x"},
		"-run x -queue 0":                  {exit.Usage, "-queue"},
		"-rum x":                           {exit.Usage, "-rum"},
	} {
		out, err := child(args).CombinedOutput()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != c.code || !strings.Contains(string(out), c.want) || strings.Count(strings.TrimSpace(string(out)), "\n") > 0 {
			t.Errorf("%q: %v, want exit code %d and %q\n%s", args, err, c.code, c.want, out)
		}
	}
}
