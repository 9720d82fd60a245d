package addition

import (
	"context"
	"fmt"

	"hinge/lab/tables"
	"hinge/lab/trained"
	"hinge/optim"
	"hinge/tasks/mnistadd"
	"hinge/train/config"
	"hinge/train/record"
)

// cell makes the cell of a configuration, whose split it overwrites.
func cell(o tables.Options, row, column string, paper *tables.Figure, splits []int, cfg config.Config) (tables.Cell, error) {
	return tables.Cell{Row: row, Column: column, Paper: paper, Splits: splits}.Configured(cfg, "", "",
		func(ctx context.Context, cfg config.Config) (tables.Outcome, error) { return run(ctx, o, cfg) })
}

// best is the recipe "best" of a system with the rule weights frozen, as every row has it
// that does not say "learned": most were run when that was the recipe, and are found by
// the settings of then.
func best(system, task, loss string, additions int) config.Config {
	c := mnistadd.SystemDefaults(system, task, loss, "best", additions)
	c.Symbolic.FreezeRules, c.Symbolic.After = true, 0
	c.Symbolic.WeightOptions = optim.WeightOptions{Step: 1e-14, Regularizer: optim.Regularizer{NegLog: 1e-3}}
	return c
}

// run trains a configuration, or reads what it came to, and says what a table shows of it.
func run(ctx context.Context, o tables.Options, cfg config.Config) (tables.Outcome, error) {
	_, res, err := result(ctx, o, cfg)
	if err != nil {
		return tables.Outcome{}, err
	}
	out := outcome(res)
	if cfg.Rules == noisyFile {
		out.More[wrongWeight] = 100 * largestWrong(res.Rules)
	}
	return out, nil
}

// result trains a configuration in its own folder, dir, or reads what it came to.
func result(ctx context.Context, o tables.Options, cfg config.Config) (dir string, res record.Result, err error) {
	return trained.Run(ctx, o, mnistadd.Task{}, cfg, fmt.Sprint(mnistadd.OptionsOf(&cfg).Additions))
}

// Names of further figures of a run.
const (
	validation    = "Accuracy on validation (%)"
	furtherValid  = "Accuracy on further validation (%)"
	furtherTest   = "Accuracy on further test additions (%)"
	protocolTest  = "Accuracy on the protocol's test additions (%)"
	singleDigits  = "Accuracy of single digits (%)"
	pretrainTimes = "Seconds of pre-training"
)

// outcome is what a table shows of a result: its value is the accuracy on the fresh
// test, or where there is none on the protocol's, or where there is none either on
// validation.
func outcome(res record.Result) tables.Outcome {
	out := trained.Outcome(&res, res.ValidAccuracy, map[string]float64{})
	fresh, tested := res.FreshExamples > 0, res.TestExamples > 0
	if tested {
		out.More[validation], out.Value = out.Value, 100*res.TestAccuracy
		if res.TestParts != nil && !fresh {
			out.More[singleDigits] = 100 * *res.TestParts
		}
	}
	if fresh {
		out.More[protocolTest], out.Value = out.Value, 100*res.FreshAccuracy
		if res.FreshParts != nil {
			out.More[singleDigits] = 100 * *res.FreshParts
		}
	}
	if res.MoreExamples > 0 {
		out.More[furtherTest] = 100 * res.MoreAccuracy
	}
	if res.MoreValidExamples > 0 {
		out.More[furtherValid] = 100 * res.MoreValidAccuracy
	}
	for _, n := range long {
		if a, ok := res.More[mnistadd.PairingsFigure(n)]; ok {
			out.More[paired(n)] = 100 * a
		}
	}
	if res.PretrainS > 0 {
		out.More[pretrainTimes] = res.PretrainS
	}
	return out
}
