package train

import (
	"context"
	"time"

	"hinge/train/learning"
	"hinge/train/machine"
	"hinge/train/record"
)

// judge measures the current weights on every part that the configuration asks for and sums
// the run up. The run's times end with the test; time for the further examples is not counted.
func (r *run) judge(ctx context.Context, evaluate func(learning.Part, int) (record.Metric, error)) (record.Result, error) {
	t, epoch := &r.cfg.Training, r.lastEpoch()
	// measure writes accuracy and examples of a part, and the accuracy of the parts unless
	// parts is nil.
	measure := func(part learning.Part, wanted bool, accuracy *float64, examples *int, parts *float64) error {
		if !wanted {
			return nil
		}
		m, err := evaluate(part, epoch)
		if err != nil {
			return err
		}
		*accuracy, *examples = *m.Accuracy, m.Examples
		if parts != nil {
			*parts = m.Parts
		}
		return nil
	}
	var res record.Result
	// With views, an accuracy on validation that compares with that on the test:
	// answered with the same effort.
	if err := measure(learning.FinalValidPart, r.cfg.Neural.Views > 0, &r.state.Early.Best, new(int), &r.state.Early.Parts); err != nil {
		return record.Result{}, err
	}
	if err := measure(learning.TestPart, !t.NoTest, &res.TestAccuracy, &res.TestExamples, &res.TestParts); err != nil {
		return record.Result{}, err
	}
	r.describe(&res)

	further := t.MoreTest && r.model.Examples(learning.MoreTestPart) > 0
	if err := measure(learning.MoreTestPart, further && !t.NoTest, &res.MoreAccuracy, &res.MoreExamples, nil); err != nil {
		return record.Result{}, err
	}
	if err := measure(learning.MoreValidPart, further && t.NoTest, &res.MoreValidAccuracy, &res.MoreValidExamples, nil); err != nil {
		return record.Result{}, err
	}
	if err := measure(learning.FreshTestPart, t.FreshTest, &res.FreshAccuracy, &res.FreshExamples, &res.FreshParts); err != nil {
		return record.Result{}, err
	}
	var err error
	if model, ok := r.model.(learning.Reporter); ok && !t.NoTest {
		res.More, err = model.Report(ctx)
	}
	return res, err
}

// describe fills in the fields of a result that describe its run, besides the test accuracies.
func (r *run) describe(res *record.Result) {
	c := r.cfg
	res.Task, res.Loss, res.Recipe = c.Task, c.Loss, c.Recipe
	res.Split, res.Seed = c.Split, c.Seed
	res.ValidAccuracy, res.BestStep, res.Steps, res.Stopped = r.state.Early.Best, r.state.Early.BestStep, r.state.Step, r.state.Stopped
	res.ValidParts, res.Figure = r.state.Early.Parts, r.figure
	res.WallS = r.wallStart + time.Since(r.began).Seconds()
	res.SolverS, res.NeuralS = r.state.SolverS, r.state.NeuralS
	if n := r.opt.processes; n > 1 {
		res.CommS, res.Ranks = r.state.CommS, n
	}
	res.Solves, res.EvaluationSolves, res.Unsolved = r.state.Solves, r.state.Evaluated, r.state.Unsolved
	if n := res.Solves + res.EvaluationSolves; n > 0 {
		res.Certificates = &record.Certificates{
			Tolerance: c.Symbolic.Gap, WorstGap: r.state.WorstGap, MeanGap: r.state.GapSum / float64(n),
			WorstViolation: r.state.WorstViolation, Checked: c.Symbolic.Check,
		}
	}
	res.PretrainS, res.Rules, res.RulesFrozen = r.state.PretrainS, r.rules(), c.Symbolic.FreezeRules
	res.ConfigHash, res.Version, res.Machine = r.state.ConfigHash, r.opt.Version, machine.This().String()
}
