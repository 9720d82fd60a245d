//go:build same

// Package cmd_test holds the commands to the bits they had: `make test-same` runs them for
// a few steps each and compares losses, weights and answers with testdata/same.json. A
// change that is meant to alter a figure writes it anew, with -update, of the runs that -run
// names, and says why.
package cmd_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/data/jsonl"
	"hinge/symbolic/psl"
	"hinge/train/checkpoint"
	"hinge/train/record"
)

var update = flag.Bool("update", false, "write testdata/same.json anew")

const golden = "testdata/same.json"

// figures are what a run must leave bit for bit. Losses have an entry a step, accuracies
// and rule weights one a validation.
type figures struct {
	Losses     []float64         `json:"losses,omitempty"`
	GradNorms  []float64         `json:"grad_norms,omitempty"`
	Accuracies []float64         `json:"accuracies,omitempty"`
	Entropies  []float64         `json:"entropies,omitempty"`
	Weights    [][]float64       `json:"weights,omitempty"`
	Test       float64           `json:"test,omitempty"`
	Tensors    map[string]string `json:"tensors,omitempty"`
	Answers    map[string]string `json:"answers,omitempty"`
	// Learned are the weights of rules.psl.
	Learned []float64 `json:"learned,omitempty"`
}

// trained are the training runs: the arguments after -out.
var trained = map[string]string{
	"mnist-add2":               "-task mnist-add2 -steps 3 -set neural.test-views=0 -set training.no-test=true",
	"mnist-add1 bce":           "-task mnist-add1 -loss bce -network lenet -steps 4 -set training.no-test=true",
	"mnist-add2 sp, learned":   "-task mnist-add2 -loss sp -network lenet -steps 3 -set symbolic.freeze-rules=false -set symbolic.mirror-step=0.05 -set neural.test-views=1 -additions 60",
	"mnist-add1 deepproblog":   "-task mnist-add1 -system deepproblog -network lenet -steps 3 -set training.no-test=true",
	"mnist-add4 chain":         "-task mnist-add4 -loss chain -network lenet -steps 3 -set training.no-test=true",
	"mnist-add2 paper, mse":    "-task mnist-add2 -loss mse -recipe paper -network lenet -pretrain none -steps 3 -set training.no-test=true",
	"citation-demo":            "-task citation-demo -steps 6",
	"citation-demo energy":     "-task citation-demo -loss energy -steps 4",
	"citation-demo paper, bce": "-task citation-demo -loss bce -recipe paper -steps 3",
	"sudoku4":                  "-task sudoku4 -pretrain none -steps 3",
	"neural-graph":             "-model ../examples/neural-graph/model.json -steps 8",
	"neural-graph sp":          "-model ../examples/neural-graph/model.json -loss sp -steps 8",
	"neural-films":             "-model ../examples/neural-films/model.json -loss energy -steps 4",
	"neural-mnist":             "-model ../examples/neural-mnist/model.json -loss mse -steps 3",
	"mnist-path":               "-task mnist-path -set options.side=4 -set options.grids=200 -network small -steps 2 -set training.no-test=true",
	"sudoku9":                  "-task sudoku9 -pretrain none -network small -batch 2 -steps 2 -set training.no-test=true",
	"noisy-rules":              "-task mnist-add1 -config ../examples/noisy-rules/config.toml -rules ../examples/noisy-rules/rules.psl -network lenet -steps 3 -set symbolic.rules-after=0 -set training.no-test=true",
	"mnist-half":               "-config ../examples/mnist-half/config.toml -model ../examples/mnist-half/one-label.json -steps 3 -epochs 0",
	"mnist-xor":                "-config ../examples/mnist-xor/config.toml -model ../examples/mnist-xor/model.json -steps 2 -epochs 0",
	"mnist-sudoku":             "-config ../examples/mnist-sudoku/config.toml -model ../examples/mnist-sudoku/model.json -steps 2 -epochs 0",
	"patterns":                 "-config ../examples/patterns/config.toml -model ../examples/patterns/model.json -steps 3 -epochs 0",
}

// inferred are the inferences and the learning of models, by name of the answer.
var inferred = map[string]string{
	"acquaintances":         "-model ../examples/acquaintances/model.json",
	"citation":              "-model ../examples/citation/model.json",
	"entity-resolution":     "-model ../examples/entity-resolution/model.json",
	"link-prediction":       "-model ../examples/link-prediction/model.json",
	"similarity-regression": "-model ../examples/similarity-regression/model.json",
	"smokers":               "-model ../examples/smokers/model.json",
	"smokers explained":     "-model ../examples/smokers/model.yaml -method bcd -top 3 -quiet",
	"smokers integer":       "-model ../examples/smokers/model.json -integer Smokes",
	"trust-prediction":      "-model ../examples/trust-prediction/model.json -method admm",
	"trust-prediction bcd":  "-model ../examples/trust-prediction/model.json -method bcd-paper -epsilon 0.01 -gap 1e-4",
	"weight-learning":       "-model ../examples/weight-learning/model.json -partition infer",
	"weight-learning mse":   "-model ../examples/weight-learning/model.json -learn mse -set training.epochs=6",
	"weight-learning sp":    "-model ../examples/weight-learning/model.json -learn sp -set training.epochs=6",
	"weight-learning bce":   "-model ../examples/weight-learning/model.json -learn bce -set training.epochs=6 -set symbolic.method=projected",
	// The published settings on trust networks (tables 4 and 3 of reproduce) on a small one.
	"trust-prediction energy": "-model ../examples/trust-prediction/model.json -learn energy -epsilon 1e-3 -set training.epochs=20 -set symbolic.mirror-step=1e-3 -set training.last-weights=true",
	"trust-prediction sp":     "-model ../examples/trust-prediction/model.json -learn sp -epsilon 1e-3 -set training.epochs=20 -set symbolic.mirror-step=1e-3 -set training.last-weights=true",
	"trust-prediction mse":    "-model ../examples/trust-prediction/model.json -learn mse -epsilon 1e-2 -set training.epochs=20 -set symbolic.mirror-step=1e-2 -set bilevel.energy-coefficient=0.1 -set bilevel.y-step=0.1 -set bilevel.prox-weight=0.01 -set bilevel.constraint-tolerance=0.1 -set training.last-weights=true",
	"trust-prediction bce":    "-model ../examples/trust-prediction/model.json -learn bce -epsilon 1e-2 -set training.epochs=20 -set symbolic.mirror-step=1e-2 -set bilevel.energy-coefficient=1 -set bilevel.y-step=0.1 -set bilevel.prox-weight=0.01 -set bilevel.constraint-tolerance=0.1 -set training.last-weights=true",
	"weight-learning energy":  "-model ../examples/weight-learning/model.json -learn energy -set training.epochs=40",
	"weight-learning best":    "-model ../examples/weight-learning/model.json -learn bce -set training.patience=51",
	"neural-graph weights":    "-model ../examples/neural-graph/model.json -weights RUN",
}

// TestSame runs every command and compares what it leaves.
func TestSame(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"train", "infer"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, name), "../cmd/"+name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	want := make(map[string]figures)
	data, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &want))
	compare := func(t *testing.T, name string, got figures) {
		if *update {
			want[name] = got
			return
		}
		a, b := reflect.ValueOf(got), reflect.ValueOf(want[name])
		for i := range a.NumField() {
			if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
				t.Errorf("%s: %v, was %v", a.Type().Field(i).Name, a.Field(i), b.Field(i))
			}
		}
	}
	for name, args := range trained {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(dir, "run "+name)
			run(t, dir, append([]string{"train", "-quiet", "-out", out}, strings.Fields(args)...))
			compare(t, name, ofRun(t, out))
		})
	}
	for name, args := range inferred {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(dir, "answers "+name)
			list := append([]string{"infer", "-out", out, "-threads", "2"}, strings.Fields(args)...)
			if at := slices.Index(list, "RUN"); at >= 0 {
				list[at] = filepath.Join(dir, "run neural-graph")
			}
			run(t, dir, list)
			compare(t, name, figures{Answers: answers(t, out), Learned: learned(t, out)})
		})
	}
	for name := range want {
		if trained[name] == "" && inferred[name] == "" {
			t.Errorf("%s has figures for %q, which is no run", golden, name)
			delete(want, name)
		}
	}
	if *update {
		data, err := json.MarshalIndent(want, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(golden, append(data, '\n'), 0o644))
	}
}

// run runs a command on the portable path with two threads, whose bits depend on no
// processor.
func run(t *testing.T, dir string, args []string) {
	t.Helper()
	c := exec.Command(filepath.Join(dir, args[0]), args[1:]...)
	c.Env = append(os.Environ(), "HINGE_KERNEL=portable", "GOMAXPROCS=2")
	began := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	t.Logf("%.1f s: %s", time.Since(began).Seconds(), strings.Join(args[1:], " "))
}

// ofRun reads a run folder.
func ofRun(t *testing.T, dir string) (f figures) {
	t.Helper()
	lines, err := jsonl.Read[record.Metric](filepath.Join(dir, record.MetricsFile))
	if err != nil || len(lines) == 0 {
		t.Fatalf("%s: %d lines, %v", dir, len(lines), err)
	}
	for _, m := range lines {
		if m.Loss != nil {
			f.Losses, f.GradNorms = append(f.Losses, *m.Loss), append(f.GradNorms, *m.GradNorm)
		}
		if m.Accuracy != nil {
			f.Accuracies, f.Entropies = append(f.Accuracies, *m.Accuracy), append(f.Entropies, *m.Entropy)
		}
		if m.Rules != nil {
			var weights []float64
			for _, r := range m.Rules {
				weights = append(weights, r.Weight)
			}
			f.Weights = append(f.Weights, weights)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, record.ResultFile))
	require.NoError(t, err)
	var res record.Result
	require.NoError(t, json.Unmarshal(data, &res))
	f.Test = res.TestAccuracy
	store, err := checkpoint.Open(dir, checkpoint.Options{ReadOnly: true})
	require.NoError(t, err)
	c, err := store.Latest(nil)
	require.NoError(t, err)
	f.Tensors = make(map[string]string)
	for _, name := range c.Names() {
		x, err := c.Tensor(name)
		require.NoError(t, err)
		var raw bytes.Buffer
		require.NoError(t, binary.Write(&raw, binary.LittleEndian, x.Data))
		f.Tensors[name] = hash(raw.Bytes())
	}
	return f
}

// answers are the hashes of the files of an inference, except for what tells of time.
func answers(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	out := make(map[string]string)
	for _, f := range files {
		if filepath.Base(f) == record.ResultFile {
			continue
		}
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		out[filepath.Base(f)] = hash(bytes.TrimSpace(data))
	}
	return out
}

// learned are the weights of the rules that were learned, if any were.
func learned(t *testing.T, dir string) (w []float64) {
	t.Helper()
	file := filepath.Join(dir, "rules.psl")
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	p, err := psl.Parse(file, text)
	require.NoError(t, err)
	for _, r := range p.Rules {
		if !r.Hard {
			w = append(w, r.Weight)
		}
	}
	return w
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
