package mnistadd

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/nn"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
)

// readerOf is the neural half of a model.
func readerOf(model learning.Model) *reader {
	if m, ok := model.(*Model); ok {
		return m.reader
	}
	return model.(*Baseline).reader
}

// own writes the images of the first additions of a test as an IDX file.
func own(t *testing.T, r *reader, additions int) (path string, adds *mnist.Additions) {
	t.Helper()
	all := &r.split.Test
	n := additions * 2 * all.Digits
	adds = &mnist.Additions{Digits: all.Digits, Images: all.Images[:n], Sums: all.Sums[:additions]}
	data := []byte{0, 0, 8, 3, 0, 0, 0, byte(n), 0, 0, 0, 28, 0, 0, 0, 28}
	for _, image := range adds.Images {
		data = append(data, r.part.Raw(int(image))...)
	}
	path = filepath.Join(t.TempDir(), "own.idx")
	require.NoError(t, os.WriteFile(path, data, 0o644))
	return path, adds
}

func predictConfig(system string) config.Config {
	c := Defaults(1, "energy", "best", 40)
	c.Task = "mnist-add1"
	useSystem(&c, system, 1)
	c.Training.Batch, c.Training.MoreTest = 4, false
	c.Neural.Samples, c.Neural.Views = min(c.Neural.Samples, 2), 1
	small(&c)
	return c
}

// testedAnswers tests a model and returns its outputs and its answers.
func testedAnswers(t *testing.T, model learning.Model, n int) (outputs []float32, answers []mnist.Sum) {
	t.Helper()
	_, err := model.Evaluate(t.Context(), learning.TestPart)
	require.NoError(t, err)
	if m, ok := model.(*Baseline); ok {
		return m.last.outputs, m.last.answers
	}
	m := model.(*Model)
	outputs, err = m.Outputs(learning.TestPart, learning.All(n))
	require.NoError(t, err)
	for a := range n {
		answers = append(answers, m.sym.Answer(m.Inference().Result(a).Y))
	}
	return outputs, answers
}

// Images of the test, as files of one's own, have the outputs and the answers that
// they have in the test.
func TestPredict(t *testing.T) {
	for _, system := range []string{"neupsl", "deepproblog", "ltn"} {
		c := predictConfig(system)
		model, err := Open(c, 1, "")
		require.NoError(t, err)
		r := readerOf(model)
		const n = 6
		path, adds := own(t, r, n)
		got, err := learning.Predict(model, []string{path})
		require.NoError(t, err)
		r.split.Test = *adds // test these alone
		outputs, answers := testedAnswers(t, model, n)
		p := got.(*Prediction)
		if p.Task != "mnist-add1" || p.System != system || len(p.Images) != 2*n || len(p.Additions) != n || p.Note != "" {
			t.Fatalf("%s: %+v", system, p)
		}
		for i, x := range p.Images {
			if want := outputs[10*i : 10*i+10]; !slices.Equal(x.Beliefs, want) || x.Digit != nn.Argmax(want) || !x.AsIs {
				t.Errorf("%s: %s is %d, %v, want %v", system, x.Name, x.Digit, x.Beliefs, want)
			}
		}
		for i, a := range p.Additions {
			if !slices.Equal(a.Answer, answers[i]) || (a.Explanation != nil) != (system == "neupsl") || a.Images[1] != p.Images[2*i+1].Name {
				t.Errorf("%s: addition %d is %+v, the test says %d", system, i, a, answers[i])
			}
		}
		text, err := json.Marshal(p)
		if err != nil || !strings.Contains(string(text), `"answer":`) || strings.Contains(string(text), "broken_rules") != (system == "neupsl") {
			t.Errorf("%s: %s, %v", system, text, err)
		}

		// Images that make no whole addition are read all the same.
		var out strings.Builder
		got, err = learning.Predict(model, []string{path, path, path, firstImage(t, path)})
		require.NoError(t, err)
		if err := got.Print(&out); err != nil || strings.Contains(out.String(), " = ") ||
			!strings.HasSuffix(out.String(), "no addition answered: mnist-add1 takes 2 images, there are 37\n") {
			t.Errorf("%s: %v\n%s", system, err, out.String())
		}
		var data *learning.DataError
		if _, err := learning.Predict(model, []string{"nowhere.png"}); !errors.As(err, &data) || !strings.Contains(err.Error(), "nowhere.png") {
			t.Errorf("%s: got %v", system, err)
		}
	}
}

// firstImage is a file of the first image of an IDX file.
func firstImage(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	data = slices.Clone(data[:16+mnist.Pixels])
	data[7] = 1
	one := filepath.Join(t.TempDir(), "one.idx")
	require.NoError(t, os.WriteFile(one, data, 0o644))
	return one
}

// A run whose test draws noise predicts without it.
func TestPredictIsQuiet(t *testing.T) {
	c := predictConfig("neupsl")
	c.Neural.NoisyTest, c.Neural.Views = true, 0
	model, err := Open(c, 1, "")
	require.NoError(t, err)
	m := model.(*Model)
	path, adds := own(t, m.reader, 2)
	p, g, err := m.readOwn([]string{path})
	require.NoError(t, err)
	noisy, err := m.predict(adds.Images, 0)
	require.NoError(t, err)
	if _, again, err := m.readOwn([]string{path}); err != nil || !slices.Equal(g, again) || slices.Equal(g, noisy) {
		t.Errorf("%v: outputs %v, again %v, of the test %v", err, g, again, noisy)
	}
	assert.Equal(t, path+"#0", p.Additions[0].Images[0])
}

// A network that reads sums reads no digits.
func TestPredictNeedsDigits(t *testing.T) {
	model, err := Open(predictConfig("cnn"), 1, "")
	require.NoError(t, err)
	var u *config.UsageError
	if _, err := learning.Predict(model, []string{"a.png"}); !errors.As(err, &u) || u.Key != "predict" {
		t.Errorf("got %v", err)
	}
	if _, err := model.(learning.Answerer).Answers(); !errors.As(err, &u) || !strings.Contains(err.Error(), "cnn reads no digits") {
		t.Errorf("got %v", err)
	}
	if err := train.CheckExport("net.onnx", model); !errors.As(err, &u) || u.Key != "export" {
		t.Errorf("got %v", err)
	}
	assert.NoError(t, train.CheckExport("net.safetensors", model))
}

// Two certain digits have one sum. Where all images are a 3 or a 5 with one half each, or the first alone and the others
// certain, no rule tells two sums apart (the energy is the same with both digits exchanged), and the answer says so.
func TestPredictTied(t *testing.T) {
	for _, digits := range []int{1, 4} {
		c := predictConfig("neupsl")
		c.Task = fmt.Sprintf("mnist-add%d", digits)
		opened, err := Open(c, digits, "")
		require.NoError(t, err)
		m := opened.(*Model)
		solver, err := m.NewSolver()
		require.NoError(t, err)
		for halves, tied := range map[int]bool{0: false, 1: true, 2 * digits: true} { // images with one half each
			g := make([]float32, 20*digits)
			for image := range 2 * digits {
				if g[10*image+3] = 1; image < halves {
					g[10*image+3], g[10*image+5] = .5, .5
				}
			}
			require.NoError(t, solver.Solve(g, 1, nil))
			p := &Prediction{Additions: make([]AdditionPrediction, 1)}
			require.NoError(t, m.answer(p, solver))
			assert.Equal(t, tied, p.Additions[0].Tied, digits)
			var out strings.Builder
			require.NoError(t, p.Print(&out))
			assert.Equal(t, tied, strings.Contains(out.String(), "one of several sums that are equally good"))
			text, err := json.Marshal(p)
			require.NoError(t, err)
			assert.Equal(t, tied, strings.Contains(string(text), `"tied":true`))
		}
	}
}
