package train

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hinge/train/learning"
	"hinge/train/machine"
	"hinge/train/record"
)

// judge measures the current weights on every part that the configuration asks for and sums
// the run up. The run's times end with the test; time for the further examples is not counted.
func (r *run) judge(ctx context.Context, evaluate func(context.Context, learning.Part, int) (record.Metric, error)) (record.Result, error) {
	t, epoch := &r.cfg.Training, r.lastEpoch()
	// measure writes accuracy and examples of a part, and the accuracy of the parts unless
	// parts is nil. After an error it does nothing.
	var err error
	measure := func(part learning.Part, wanted bool, accuracy *float64, examples *int, parts **float64) {
		if err != nil || !wanted {
			return
		}
		var m record.Metric
		if m, err = evaluate(ctx, part, epoch); err != nil || m.Accuracy == nil {
			return
		}
		*accuracy, *examples = *m.Accuracy, m.Examples
		if parts != nil {
			*parts = m.Parts
		}
	}
	var res record.Result
	// With views, an accuracy on validation that compares with that on the test:
	// answered with the same effort.
	measure(learning.FinalValidPart, r.cfg.Neural.Views > 0, &r.state.Early.Best, new(int), &r.state.Early.Parts)
	measure(learning.TestPart, !t.NoTest, &res.TestAccuracy, &res.TestExamples, &res.TestParts)
	r.describe(&res)

	further := t.MoreTest && r.model.Examples(learning.MoreTestPart) > 0
	measure(learning.MoreTestPart, further && !t.NoTest, &res.MoreAccuracy, &res.MoreExamples, nil)
	measure(learning.MoreValidPart, further && t.NoTest, &res.MoreValidAccuracy, &res.MoreValidExamples, nil)
	measure(learning.FreshTestPart, t.FreshTest, &res.FreshAccuracy, &res.FreshExamples, &res.FreshParts)
	if model, ok := r.model.(learning.Reporter); ok && !t.NoTest && err == nil {
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
	res.ValidParts, res.Figure = r.state.Early.Parts, r.state.Figure
	res.Unjudged = r.state.Early.Unjudged
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

// reportShare is the part of the time that pages after validations may take.
const reportShare = 0.02

// reportDue reports whether the page is to be made after a step.
func (r *run) reportDue() bool {
	if every := r.opt.ReportEvery; every > 0 {
		return r.state.Step%every == 0
	}
	cheap := r.reportTook.Seconds() <= reportShare*time.Since(r.reportedAt).Seconds()
	return r.validated == r.state.Step && cheap
}

// report has the page of the run made. It is no part of the result: a failure is only
// noted.
func (r *run) report() {
	if r.opt.Report == nil {
		return
	}
	start := time.Now()
	if err := r.opt.Report(r.opt.Dir); err != nil {
		r.obs.Note(fmt.Sprintf("no report: %v", err))
	}
	r.reportedAt = time.Now()
	r.reportTook = r.reportedAt.Sub(start)
}

// show writes the report of the last test. It is no part of the result: a failure is only
// noted.
func (r *run) show() error {
	model, ok := r.model.(learning.Reporter)
	if !ok {
		return nil
	}
	shown, err := model.Show()
	if err != nil || shown == nil {
		return err
	}
	data, err := json.Marshal(shown)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.opt.Dir, record.ShownFile), data, 0o644)
}
