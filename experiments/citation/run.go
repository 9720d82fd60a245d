package citation

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"

	"hinge/internal/tables"
	"hinge/train"
	task "hinge/train/citation"
	"hinge/train/report"
)

// Names of further figures of a run.
const (
	validation       = "Accuracy on validation (%)"
	networkAlone     = "Its network alone (%)"
	gain             = "Gain over its network (points)"
	trainOnly        = "With training labels only (%)"
	trainOnlyNetwork = "Network alone, training labels only (%)"
	trainOnlyGain    = "Gain, training labels only (points)"
)

// run trains a configuration with its rules in a folder of its own, or reads what
// it came to.
func run(ctx context.Context, o tables.Options, cfg train.Config, rules []byte) (tables.Outcome, error) {
	sum := sha256.Sum256(append([]byte(cfg.Hash()), rules...))
	dir := filepath.Join(o.Dir, fmt.Sprintf("%s-%s-%s-split%d-%x-%s", cfg.Task, cfg.Loss, cfg.Recipe, cfg.Split, sum[:4], o.Version))
	res, err := train.Ensure(ctx, cfg, func() (train.Model, error) { return task.Open(cfg, o.Data) }, train.Options{
		Dir: dir, Version: o.Version, Report: report.Options{Defaults: task.Task{}.Defaults}.Write,
	})
	if errors.Is(err, train.ErrInterrupted) {
		return tables.Outcome{}, context.Cause(ctx)
	}
	if err != nil {
		return tables.Outcome{}, err
	}
	return outcome(res), nil
}

// outcome is what a table shows of a result.
func outcome(res train.Result) tables.Outcome {
	more := res.More
	return tables.Outcome{
		Value: 100 * res.TestAccuracy, WallS: res.WallS, SolverS: res.SolverS, NeuralS: res.NeuralS,
		More: map[string]float64{
			validation:       100 * res.ValidAccuracy,
			networkAlone:     100 * more[task.ReportNetwork],
			gain:             100 * (res.TestAccuracy - more[task.ReportNetwork]),
			trainOnly:        100 * more[task.ReportTrainOnly],
			trainOnlyNetwork: 100 * more[task.ReportTrainOnlyNetwork],
			trainOnlyGain:    100 * (more[task.ReportTrainOnly] - more[task.ReportTrainOnlyNetwork]),
		},
	}
}
