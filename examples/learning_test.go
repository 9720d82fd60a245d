package examples_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/modelfile"
)

// town loads and grounds one town of the example.
func town(t *testing.T, partition model.Partition) (*model.Model, *lcqp.Template) {
	t.Helper()
	m, err := model.Load(filepath.Join("weight-learning", "model.json"), model.LoadOptions{Partition: partition})
	require.NoError(t, err)
	p, err := ground.Ground(context.Background(), m.Rules, m.Data, m.GroundOptions())
	require.NoError(t, err)
	template, err := lcqp.Compile(p)
	require.NoError(t, err)
	return m, template
}

// Whatever the loss, weights learned in one town tell the votes of the other.
// With the guessed weights 0.40 are right, and the AUROC is 0.31.
func TestWeightLearning(t *testing.T) {
	m, template := town(t, model.Learn)
	other, unseen := town(t, model.Infer)
	for loss, want := range map[string][2]float64{"energy": {0.65, 0.88}, "sp": {0.8, 0.9}, "mse": {0.8, 0.92}, "bce": {0.8, 0.92}} {
		cfg, err := modelfile.Task{}.Defaults(config.Config{Task: modelfile.Task{}.Names()[0], Loss: loss, System: "neupsl", Options: &modelfile.Options{Model: m.File}})
		require.NoError(t, err)
		cfg.Options.(*modelfile.Options).Model = m.File
		cfg.Training.NoTest, cfg.Training.LastWeights = true, true
		learned, err := modelfile.NewRules(cfg, modelfile.Ground{Model: m, Template: template}, nil, nil)
		require.NoError(t, err)
		_, err = train.Run(context.Background(), cfg, learned, train.Options{Dir: t.TempDir()})
		require.NoError(t, err)
		in, err := unseen.NewInstance(0.01)
		require.NoError(t, err)
		require.NoError(t, in.SetWeights(learned.Weights()))
		var res infer.Result
		if err := infer.Solve(in, nil, infer.Settings{}, &res); err != nil || res.Err() != nil {
			t.Fatal(err, res.Err())
		}
		metrics, err := other.Evaluate(res.Y, nil)
		require.NoError(t, err)
		accuracy, _ := metrics[0].Get("accuracy")
		auroc, _ := metrics[1].Get("auroc")
		t.Logf("%s: accuracy %.3f, AUROC %.3f", loss, accuracy, auroc)
		if !(accuracy >= want[0]) || !(auroc >= want[1]) {
			t.Errorf("%s: accuracy %.3f, AUROC %.3f, want %v", loss, accuracy, auroc, want)
		}
		// The rules of spouses, friends, colleagues and rivals are four each: two
		// for voting alike, two against.
		alike := make([]float64, 4)
		for k := range alike {
			w := learned.Weights()[4*k:]
			alike[k] = w[0] + w[1] - w[2] - w[3]
		}
		if !(alike[0] > 0.05) || !(alike[3] < -0.005) || math.Abs(alike[2]) > 0.05 {
			t.Errorf("%s: spouses, friends, colleagues, rivals are alike by %.3f", loss, alike)
		}
	}
}
