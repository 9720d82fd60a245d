package addition

import (
	"context"
	"fmt"
	"path/filepath"

	"hinge/bilevel"
	"hinge/data/jsonl"
	"hinge/lab/tables"
	"hinge/tasks/mnistadd"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/record"
)

// weightUpdates is the number of weight updates that the paper's Table 3 times on
// MNIST-Addition, learnedGap the duality gap at which inference stops: that of the
// table's other rows.
const (
	weightUpdates = 100
	learnedGap    = 1e-2
)

// missed is a further figure: inferences that stopped above the gap.
const missed = "Inferences that missed their tolerance"

// learningTimes are the paper's seconds by task and loss: ADMM, where it ended within
// six hours, and D-BCD.
var learningTimes = map[string]map[string][2]*tables.Figure{
	"mnist-add1": {"sp": {figure(1624, 34), figure(232, 44)}, "mse": {figure(2942, 109), figure(2738, 93)}},
	"mnist-add2": {"sp": {nil, figure(804, 106)}, "mse": {nil, figure(4291, 114)}},
}

// LearningTimes are the rows of the paper's Table 3 on MNIST-Addition; the other rows are
// package relational's. The quick form has ten updates of numbers of one digit.
func LearningTimes(o tables.Options) (*tables.Table, error) {
	updates, list := weightUpdates, []size{sizes[0], sizes[2]}
	if o.Quick {
		updates, list = 10, list[:1]
	}
	t := &tables.Table{
		Number: 3, Name: "MNIST-Addition", Title: "time of inference during learning with a network",
		Code: "tasks/mnistadd", Missed: missed,
		Unit: fmt.Sprintf("seconds of inference in %d updates of the weights", updates),
		Text: []string{
			fmt.Sprintf("The published settings of the task (recipe *paper* of Table 6: ε 1e-3, ADMM's step 1, 30 additions an update), on its smallest sizes, 600 images; what an update costs "+
				"does not depend on the number of images, and which number was published is not known. Networks and rule weights are updated together; validation is not timed. "+
				"The certificate is that of the rows above, a duality gap of at most %v in every addition; inferences that missed it within the method's own limit of iterations are counted below.", learnedGap),
			"The networks start from random weights without the contrastive pre-training of Table 6, so that the beliefs in an update are softer than the published ones were. " +
				"D-BCD is that by connected components (`bcd-paper`): an addition is too small for two processors. Published, on 20 threads: ADMM ran out of six hours on numbers of two digits.",
		},
	}
	methods := []struct {
		name, solver string
		paper        int
	}{{"ADMM", "admm", 0}, {"CC D-BCD", "bcd-paper", 1}, {"auto (ours)", "auto", -1}}
	titles := map[string]string{"sp": "SP", "mse": "MSE"}
	for _, z := range list {
		for _, loss := range []bilevel.LossName{bilevel.LossSP, bilevel.LossMSE} {
			for _, m := range methods {
				cfg := mnistadd.SystemDefaults("neupsl", z.task(), string(loss), "paper", z.additions)
				cfg.Training.Steps, cfg.Training.ValidEvery, cfg.Training.Patience = updates, updates, 0
				cfg.Training.NoTest = true
				cfg.Neural.Pretrain = "none"
				cfg.Symbolic.Solver, cfg.Symbolic.Gap = m.solver, learnedGap
				c := tables.Cell{Row: fmt.Sprintf("MNIST-Add%d", z.digits), Column: titles[string(loss)] + ", " + m.name, Splits: fiveSplits[:1]}
				if m.paper >= 0 && !o.Quick {
					c.Paper = learningTimes[z.task()][string(loss)][m.paper]
				}
				err := t.Add(c.Configured(cfg, "", "", func(ctx context.Context, cfg config.Config) (tables.Outcome, error) {
					return learningTime(ctx, o, cfg)
				}))
				if err != nil {
					return nil, err
				}
			}
		}
	}
	return t, nil
}

// learningTime makes a run of LearningTimes.
func learningTime(ctx context.Context, o tables.Options, cfg config.Config) (tables.Outcome, error) {
	dir, res, err := result(ctx, o, cfg)
	if err != nil {
		return tables.Outcome{}, err
	}
	lines, err := jsonl.Read[record.Metric](filepath.Join(dir, "metrics.jsonl"))
	if err != nil {
		return tables.Outcome{}, err
	}
	seconds, unsolved := ofTraining(lines)
	return tables.Outcome{
		Value: seconds, WallS: res.WallS, SolverS: res.SolverS, NeuralS: res.NeuralS,
		More: map[string]float64{missed: float64(unsolved), "Inferences": float64(res.Solves)},
	}, nil
}

// ofTraining sums up seconds of inference and inferences above the gap in the steps of
// training: a Result counts validation too.
func ofTraining(lines []record.Metric) (seconds float64, unsolved int) {
	for _, m := range lines {
		if m.Split == learning.TrainPart {
			seconds, unsolved = seconds+m.SolverS, unsolved+m.Unsolved
		}
	}
	return seconds, unsolved
}
