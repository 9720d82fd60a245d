package citation

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/jsonl"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// TestGradient compares the joint gradient, of rule weights and of the network,
// with central differences of the loss.
func TestGradient(t *testing.T) {
	for _, loss := range []string{"energy", "sp"} {
		for _, recipe := range []string{"paper", "best"} {
			cfg := smallConfig(loss, recipe)
			cfg.Symbolic.Gap, cfg.Symbolic.Check, cfg.Neural.Dropout = 1e-10, true, 0
			m, err := New(cfg, smallData(t, recipe))
			require.NoError(t, err)
			// Labels are completed before step 0 and stay as they are for step 1.
			_, err = m.Gradient(learning.Step{Temperature: 1}, []int{0})
			require.NoError(t, err)
			value := func() float64 {
				w, err := m.Gradient(learning.Step{Number: 1, Temperature: 1}, []int{0})
				require.NoError(t, err)
				return w.Loss
			}
			value()
			dw := append([]float64(nil), m.WeightGradient()...)
			for r := range m.Weights() {
				const h = 1e-5
				old := m.Weights()[r]
				m.Weights()[r] = old + h
				up := value()
				m.Weights()[r] = old - h
				down := value()
				m.Weights()[r] = old
				if want := (up - down) / (2 * h); math.Abs(dw[r]-want) > 1e-3*(1e-2+math.Abs(want)) {
					t.Errorf("%s, %s: weight %d has gradient %v, differences %v", loss, recipe, r, dw[r], want)
				}
			}
			// The network is float32: compare the derivative along the gradient.
			value()
			params, square := m.Params(), 0.0
			grads := make([][]float32, len(params))
			for i, p := range params {
				grads[i] = append([]float32(nil), p.Grad...)
				for _, g := range p.Grad {
					square += float64(g) * float64(g)
				}
			}
			along := func(h float64) float64 {
				for i, p := range params {
					for j, g := range grads[i] {
						p.Value[j] += float32(h * float64(g))
					}
				}
				return value()
			}
			h := 0.005 / math.Sqrt(square)
			up := along(h)
			down := along(-2 * h)
			if got := (up - down) / (2 * h); square == 0 || math.Abs(got-square) > 0.02*square {
				t.Errorf("%s, %s: derivative along the gradient %v, its square %v", loss, recipe, got, square)
			}
		}
	}
}

// TestPretrainIsPhase: the labels alone are learned from before the first step, unless the network
// starts fresh; an interruption ends that.
func TestPretrainIsPhase(t *testing.T) {
	m := smallModel(t, "energy", "best")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := train.Run(ended, m.cfg, m, train.Options{Dir: t.TempDir()})
	require.ErrorIs(t, err, train.ErrPretrainInterrupted)
	seconds, err := m.Pretrain(t.Context(), func(string) {})
	require.NoError(t, err)
	require.Positive(t, seconds)
	OptionsOf(&m.cfg).Fresh = true
	seconds, err = m.Pretrain(t.Context(), func(string) {})
	require.NoError(t, err)
	require.Zero(t, seconds)
}

// TestRun: every loss learns the small graph in both recipes. The floors are three
// papers below what was measured; the largest class has a third of the papers. With
// the observed labels alone the rules already answer most of them, so the network
// has to show for itself that it learned, and the loss that it falls.
func TestRun(t *testing.T) {
	for _, recipe := range []string{"paper", "best"} {
		accuracy, network := 0.8, 0.75
		if recipe == "best" {
			accuracy, network = 0.93, 0.9
		}
		for _, loss := range config.CommonLosses() {
			if recipe == "best" && loss != "energy" {
				continue
			}
			m, dir := smallModel(t, loss, recipe), t.TempDir()
			start := m.Weights()[0]
			untrained, err := m.net.accuracy(m.data.Split.Test)
			if err != nil || untrained > 0.4 {
				t.Fatalf("%s: accuracy %v of an untrained network, %v", recipe, untrained, err)
			}
			res, err := train.Run(context.Background(), m.cfg, m, train.Options{Dir: dir})
			require.NoErrorf(t, err, "%s, %s", loss, recipe)
			if res.TestAccuracy < accuracy || res.TestExamples != 60 || res.Unsolved != 0 {
				t.Errorf("%s, %s: accuracy %v of %d, %d unsolved", loss, recipe, res.TestAccuracy, res.TestExamples, res.Unsolved)
			}
			figures := map[string]float64{ReportNetwork: network, ReportWithoutRules: network, ReportWithoutRulesLonger: network}
			if OptionsOf(&m.cfg).Labels == TrainValidLabels {
				figures[ReportTrainOnly] = accuracy
			}
			assert.Equalf(t, len(figures), len(res.More), "%s, %s: figures %v", loss, recipe, res.More)
			for name, least := range figures {
				if v, ok := res.More[name]; !ok || v < least || v > 1 {
					t.Errorf("%s, %s: %s is %v, want at least %v", loss, recipe, name, v, least)
				}
			}
			if moved := m.Weights()[0] != start; moved == m.cfg.Symbolic.FreezeRules {
				t.Errorf("%s, %s: rule weight 0 is %v, was %v", loss, recipe, m.Weights()[0], start)
			}
			if recipe == "best" {
				continue // dropout: another loss every step
			}
			metrics, err := jsonl.Read[record.Metric](filepath.Join(dir, "metrics.jsonl"))
			require.NoError(t, err)
			var losses []float64
			for _, x := range metrics {
				// After five epochs the multipliers of the bilevel losses change.
				if x.Loss != nil && x.Step <= 5 {
					losses = append(losses, *x.Loss)
				}
			}
			if len(losses) != 5 || !slices.IsSortedFunc(losses, func(a, b float64) int { return cmp.Compare(b, a) }) ||
				losses[4] > 0.995*losses[0] {
				t.Errorf("%s: losses %v", loss, losses)
			}
		}
	}
}

// TestResume: a run that is interrupted and goes on in a new model ends with the
// very weights of one that was not.
func TestResume(t *testing.T) {
	for _, c := range []struct{ loss, recipe string }{{"energy", "paper"}, {"mse", "paper"}, {"energy", "best"}} {
		loss := c.loss
		whole := smallModel(t, loss, c.recipe)
		want, err := train.Run(context.Background(), whole.cfg, whole, train.Options{Dir: t.TempDir()})
		require.NoError(t, err)
		dir := t.TempDir()
		first := &interrupted{Model: smallModel(t, loss, c.recipe), after: 3}
		ctx, cancel := context.WithCancel(context.Background())
		first.cancel = cancel
		if _, err := train.Run(ctx, first.cfg, first, train.Options{Dir: dir}); !errors.Is(err, train.ErrInterrupted) {
			t.Fatalf("error %v, want an interruption", err)
		}
		second := smallModel(t, loss, c.recipe)
		got, err := train.Run(context.Background(), second.cfg, second, train.Options{Dir: dir, Resume: true})
		require.NoError(t, err)
		if got.TestAccuracy != want.TestAccuracy || got.BestStep != want.BestStep || got.Steps != want.Steps {
			t.Errorf("%s: %+v, uninterrupted %+v", loss, got, want)
		}
		assert.Equalf(t, want.Certificates, got.Certificates, "%s: certificates", loss)
		for r, w := range whole.Weights() {
			assert.Equalf(t, w, second.Weights()[r], "%s: weight %d", loss, r)
		}
		a, b := whole.Params(), second.Params()
		for i := range a {
			for j := range a[i].Value {
				require.Equalf(t, b[i].Value[j], a[i].Value[j], "%s: %s[%d]", loss, a[i].Name, j)
			}
		}
	}
}

// interrupted cancels its run after some steps.
type interrupted struct {
	*Model
	after, steps int
	cancel       func()
}

func (m *interrupted) Gradient(step learning.Step, examples []int) (learning.Work, error) {
	if m.steps++; m.steps == m.after {
		m.cancel()
	}
	return m.Model.Gradient(step, examples)
}

// TestEvaluate: a checkpoint is judged alike later, from the files alone.
func TestEvaluate(t *testing.T) {
	m := smallModel(t, "energy", "best")
	dir := t.TempDir()
	want, err := train.Run(context.Background(), m.cfg, m, train.Options{Dir: dir})
	require.NoError(t, err)
	again := smallModel(t, "energy", "best")
	got, err := train.Evaluate(context.Background(), again.cfg, again, train.Options{Dir: dir})
	require.NoError(t, err)
	if got.TestAccuracy != want.TestAccuracy || got.ValidAccuracy != want.ValidAccuracy {
		t.Errorf("%v and %v, after the run %v and %v", got.TestAccuracy, got.ValidAccuracy, want.TestAccuracy, want.ValidAccuracy)
	}
	for name, v := range want.More {
		assert.Equalf(t, v, got.More[name], "%s", name)
	}
	if _, err := os.Stat(filepath.Join(dir, "result.json")); err != nil {
		t.Error(err)
	}
}

// TestTemperatures: a step has the temperature of the loop, a prediction that of the
// configuration, whatever came before it.
func TestTemperatures(t *testing.T) {
	cfg := smallConfig("energy", "best")
	cfg.Neural.TestTemperature, cfg.Neural.Dropout = 0.5, 0
	m, err := New(cfg, smallData(t, "best"))
	require.NoError(t, err)
	loss := func(temperature float64) float64 {
		w, err := m.Gradient(learning.Step{Number: 1, Temperature: temperature}, []int{0})
		require.NoError(t, err)
		return w.Loss
	}
	warm, hot := loss(1), loss(3)
	cold, err := m.net.predict(nil)
	require.NoError(t, err)
	cold = slices.Clone(cold)
	if again := loss(1); warm == hot || math.Abs(again-warm) > 1e-3*warm {
		t.Errorf("loss %v at temperature 1, %v at 3, %v at 1 again", warm, hot, again)
	}
	again, err := m.net.predict(nil)
	require.NoError(t, err)
	assert.Equal(t, again, cold, "a prediction depends on the temperature of the step before it")
	trained := m.Graph.Result() // of the same parameters at temperature 1
	if p, q := cold[0]/cold[1], trained[0]/trained[1]; math.Abs(float64(p/(q*q)-1)) > 1e-3 {
		t.Errorf("odds %v at temperature 0.5, %v at 1", p, q)
	}
}
