// Package trained makes the training runs that tables show, each in a folder of its own, so
// that one that was interrupted goes on and one that has ended is read.
//
//	dir, res, err := trained.Run(ctx, o, sudoku.Task{}, cfg)
//
// Sudoku, Paths and Shortcuts are tables of such runs, each a tables.Builder for lab/cmd/bench:
// visual sudoku classification by the protocol of ViSudo-PC with disjoint images; shortest paths on
// grids of digits, learned from paths; and MNIST-Half and MNIST-EvenOdd, whether a network that
// answers sums reads the digits right, in and out of the combinations that it has learned from.
// Shortcuts has to be started in the root of the repository, where examples is.
//
// Errors are those of Task.Open and train.Run; where ctx ended the run, its cause. Runs in one folder
// exclude each other.
package trained

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hinge/app/report"
	"hinge/lab/tables"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/modelfile"
	"hinge/train/record"
)

// Run trains a configuration of a task, or reads what it came to. The folder, below o.Dir,
// is named after what decides the outcome: task, loss or system, split, settings, the
// program's version, and names of what else there is. News goes to o.Note, if there is one.
func Run(ctx context.Context, o tables.Options, t learning.Task, cfg config.Config, names ...string) (dir string, res record.Result, err error) {
	return run(ctx, o, t, cfg, false, names)
}

// run is Run; keep says that the folder keeps the last checkpoint, of a run whose weights are
// read afterwards.
func run(ctx context.Context, o tables.Options, t learning.Task, cfg config.Config, keep bool, names []string) (dir string, res record.Result, err error) {
	dir = filepath.Join(o.Dir, folder(o, &cfg, names))
	news := &notes{to: o.Note}
	if o.Note == nil {
		news.to = func(string) {}
	}
	res, err = ensure(ctx, cfg, func() (learning.Model, error) { return t.Open(cfg, o.Data) }, train.Options{
		Dir: dir, Observer: news, Version: o.Version,
		Report: report.Options{Defaults: t.Defaults, Command: []string{"go", "run", "./cmd/train"}}.Write,
	}, keep)
	if errors.Is(err, train.ErrInterrupted) {
		err = context.Cause(ctx)
	}
	return dir, res, err
}

// Outcome is what a table shows of a run: its value, a share from 0 to 1, in percent, further
// figures, and its seconds, pre-training included.
func Outcome(res *record.Result, value float64, more map[string]float64) tables.Outcome {
	return tables.Outcome{Value: 100 * value, WallS: res.WallS + res.PretrainS, SolverS: res.SolverS, NeuralS: res.NeuralS, More: more}
}

// cell is the cell of a configuration, whose runs are shown by outcome; before and after are as in
// tables.Cell.Configured.
func cell(o tables.Options, t learning.Task, c tables.Cell, cfg config.Config, before, after string, outcome func(*record.Result) tables.Outcome) (tables.Cell, error) {
	return c.Configured(cfg, before, after, func(ctx context.Context, cfg config.Config) (tables.Outcome, error) {
		_, res, err := Run(ctx, o, t, cfg)
		if err != nil {
			return tables.Outcome{}, err
		}
		return outcome(&res), nil
	})
}

func folder(o tables.Options, cfg *config.Config, names []string) string {
	learns := cfg.Loss
	if !cfg.NeuPSL() {
		learns = cfg.System
	}
	parts := append([]string{cfg.Task, learns, cfg.Recipe}, names...)
	parts = append(parts, fmt.Sprintf("split%d-%.8s", cfg.Split, cfg.Identity()[2:]), o.Version)
	return strings.Join(parts, "-")
}

// notes passes the news of a run on, thinned out.
type notes struct {
	to    func(string)
	total int
}

func (n *notes) Start(p train.Plan) {
	n.total = p.Steps
	if p.Done > 0 {
		n.to(fmt.Sprintf("going on from step %d of %d", p.Done, p.Steps))
	}
}
func (n *notes) Step(int, record.Metric) {}
func (n *notes) Valid(step int, m record.Metric, _ train.Fate) {
	n.to(fmt.Sprintf("step %d of %d: %.2f%% on validation", step, n.total, 100**m.Accuracy))
}
func (n *notes) Note(text string) { n.to(text) }
func (n *notes) Done()            {}

// ModelFile is the configuration of an example with a model file: a file, such as config.toml, in
// a folder of the repository, whose root is the working folder or, in tests, one above it.
func ModelFile(folder, file string) (config.Config, error) {
	cfg, err := modelfile.Task{}.Defaults(config.Config{Task: modelfile.Task{}.Names()[0]})
	if err != nil {
		return cfg, err
	}
	root := "."
	for range 4 {
		if _, err := os.Stat(filepath.Join(root, folder)); err == nil {
			break
		}
		root = filepath.Join("..", root)
	}
	return cfg, cfg.LoadFile(filepath.Join(root, folder, file))
}
