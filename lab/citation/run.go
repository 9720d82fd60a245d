package citation

import (
	"context"
	"crypto/sha256"
	"fmt"

	"hinge/lab/tables"
	"hinge/lab/trained"
	task "hinge/tasks/citation"
	"hinge/train/config"
	"hinge/train/record"
)

// Names of further figures of a run.
const (
	validation   = "Accuracy on validation (%)"
	networkAlone = "Its network alone (%)"
	gain         = "Gain over its network (points)"
	withoutRules = "The network without rules (%)"
	rulesGain    = "Gain over the network without rules (points)"
	longer       = "The network without rules, as many epochs more (%)"
	longerGain   = "Gain over the network without rules, as many epochs more (points)"
	// Where the test observes validation labels too: without those.
	trainOnly     = "With training labels only (%)"
	trainOnlyGain = "Gain, training labels only (points)"
)

// best is the recipe "best" with frozen rule weights, as every row has it that does not say
// "learned": most were run when that was the recipe, and are found by the settings of then.
func best(name, loss string) config.Config {
	c := task.Defaults(name, loss, "best")
	c.Symbolic.WeightOptions = task.Defaults(name, loss, "paper").Symbolic.WeightOptions
	c.Symbolic.FreezeRules = true
	return c
}

// run trains a configuration with its rules in a folder of its own, or reads what
// it came to.
func run(ctx context.Context, o tables.Options, cfg config.Config, rules []byte) (tables.Outcome, error) {
	_, res, err := trained.Run(ctx, o, task.Task{}, cfg, fmt.Sprintf("%.4x", sha256.Sum256(rules)))
	if err != nil {
		return tables.Outcome{}, err
	}
	return outcome(res), nil
}

// outcome is what a table shows of a result.
func outcome(res record.Result) tables.Outcome {
	more := map[string]float64{
		validation:   100 * res.ValidAccuracy,
		networkAlone: 100 * res.More[task.ReportNetwork],
		gain:         100 * (res.TestAccuracy - res.More[task.ReportNetwork]),
		withoutRules: 100 * res.More[task.ReportWithoutRules],
		rulesGain:    100 * (res.TestAccuracy - res.More[task.ReportWithoutRules]),
		longer:       100 * res.More[task.ReportWithoutRulesLonger],
		longerGain:   100 * (res.TestAccuracy - res.More[task.ReportWithoutRulesLonger]),
	}
	if v, ok := res.More[task.ReportTrainOnly]; ok {
		more[trainOnly] = 100 * v
		more[trainOnlyGain] = 100 * (v - res.More[task.ReportNetwork])
	}
	return tables.Outcome{
		Value: 100 * res.TestAccuracy, WallS: res.WallS + res.PretrainS, SolverS: res.SolverS, NeuralS: res.NeuralS + res.PretrainS, More: more,
	}
}
