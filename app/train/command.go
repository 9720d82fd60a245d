// Package train is the command line of a program that trains tasks: flags, signals,
// exit codes, console and run folder. cmd/train is it with the tasks of the paper; a
// program of one's own is
//
//	func main() { command.Main(sudoku{}) }
//
// with a learning.Task. A run is configured by the task's defaults, which -config overlays
// with a TOML file, which -set and the other flags overlay. SIGINT, SIGTERM and SIGHUP finish
// the step, write a checkpoint and exit; -resume goes on from there with the same bits.
// A second signal exits at once; the last checkpoint stays good. An error is one line
// on standard error.
//
// Started by mpirun, a program that imports hinge/cluster/mpi is a rank of one run: each
// computes its shards of every batch (-shards), rank 0 validates, prints and writes. A
// rank that fails alone aborts the others.
//
// Exit codes: 0 done; 1 internal error; 2 usage, configuration or rules; 3 bad
// or missing data, or with -strict a warning or labels that leave several meanings of a concept; 4 infeasible
// model; 5 a solve failed its check (-check), or -check-training found a fault; 130 and 143 interrupted,
// checkpoint written.
package train

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"

	"hinge/app/cli"
	"hinge/app/console"
	"hinge/optim/collective"
	"hinge/symbolic/psl"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
	"hinge/train/machine"
	"hinge/train/record"
)

// Main runs the command line of the process on the tasks and exits. A single task
// needs no -task.
func Main(tasks ...learning.Task) { os.Exit(run(tasks, os.Args[1:])) }

// program is the name that errors begin with.
func program() string { return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") }

// run is Main without os.Exit.
func run(tasks []learning.Task, args []string) int {
	launch := collective.Launched()
	o, err := parse(tasks, args, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exit.OK
	}
	var other func(w io.Writer, o *options) error
	if err == nil {
		other = o.mode()
	}
	if err == nil && launch.Size > 1 && (other != nil || o.eval) {
		err = cli.Usage("-report, -predict, -eval, -settings, -shortcuts, -check-training and -recommend are for one process; start it without mpirun")
	}
	if err != nil && launch.Rank > 0 {
		return cli.ExitCode(err) // rank 0 reports it
	}
	if err != nil {
		return fail(err)
	}
	if other != nil {
		return fail(other(os.Stdout, o))
	}
	collective.ShareThreads()
	comm, err := collective.World(o.mpi)
	if err != nil && launch.LocalRank > 0 {
		return cli.ExitCode(err) // the first process of each machine reports it
	}
	if err != nil {
		return fail(err)
	}
	ctx, signal := cli.Signals(program() + ": " + o.ending() + "; once more to exit at once")
	res, err := execute(ctx, o, comm)
	if err != nil {
		return leave(comm, err, int(signal.Load()))
	}
	if err = comm.Close(); err == nil && comm.Rank() == 0 {
		err = summarise(o, &res)
	}
	return fail(err)
}

// ending describes what the first signal brings about.
func (o *options) ending() string {
	if o.eval {
		return "stopping the evaluation"
	}
	return "stopping, a step that has begun is finished and a checkpoint written"
}

// mode returns the function for what the flags ask for in place of a run, nil for a run.
func (o *options) mode() func(w io.Writer, o *options) error {
	switch {
	case o.report != "":
		return writeReport
	case o.settings:
		return func(w io.Writer, o *options) error { return config.WriteSettings(w, &o.config) }
	case o.predict != nil:
		return predict
	case o.shortcuts:
		return func(w io.Writer, o *options) error { return countShortcuts(context.Background(), w, o) }
	case o.try:
		return tryBatch
	case o.recommend:
		return recommend
	}
	return nil
}

// summarise prints the result of a run.
func summarise(o *options, res *record.Result) error {
	printAccuracies(os.Stdout, res)
	for _, name := range slices.Sorted(maps.Keys(res.More)) {
		fmt.Println(record.Further(name, res.More[name]))
	}
	if len(res.Rules) > 0 && res.RulesFrozen {
		fmt.Println("rule weights were frozen, not learned:")
	}
	if err := learning.WriteRules(os.Stdout, res.Rules); err != nil {
		return err
	}
	switch zone := o.config.Symbolic.DeadZone; {
	case res.RulesFrozen || !learning.Unmoved(res.Rules):
	case zone > 0:
		fmt.Printf("the rule weights hardly moved, as labels break no rule by more than symbolic.dead-zone = %v on average; where rules may be wrong, set 0\n", zone)
	default:
		fmt.Println("learning has hardly moved the rule weights; larger steps: a larger symbolic.mirror-step, or symbolic.shrink-step = false")
	}
	fmt.Printf("wall %.1f s: neural %.1f s, symbolic %.1f s; %s in training, %d in evaluation; %s\n",
		res.WallS, res.NeuralS, res.SolverS, psl.Count(res.Solves, "solve"), res.EvaluationSolves, o.dir)
	if res.Ranks > 1 {
		fmt.Printf("%d ranks: communication %.1f s, %.1f %% of the wall time, waiting for each other included\n",
			res.Ranks, res.CommS, 100*res.CommS/res.WallS)
	}
	if o.export != "" {
		fmt.Println(o.written(res))
	}
	return nil
}

// written says where the exported weights are. Networks in the form of ONNX end with logits, before
// any temperature.
func (o *options) written(res *record.Result) string {
	text := fmt.Sprintf("tested weights, of step %d, written to %s", res.BestStep, strings.Join(o.exported, ", "))
	onnx := func(file string) bool { return strings.HasSuffix(file, ".onnx") }
	if t := o.config.Neural.TestTemperature; t != 1 && slices.ContainsFunc(o.exported, onnx) {
		text += fmt.Sprintf("; divide its logits by neural.test-temperature = %v before a softmax to have the outputs that were tested", t)
	}
	return text
}

// printAccuracies writes a line for every part of the data that was looked at.
func printAccuracies(w io.Writer, res *record.Result) {
	valid := fmt.Sprintf("validation %s at step %d of %d", strings.TrimPrefix(record.Shown(res.Figure, res.ValidAccuracy), "accuracy "), res.BestStep, res.Steps)
	if res.Unjudged {
		valid = fmt.Sprintf("nothing to evaluate: the last weights, of step %d", res.BestStep)
	}
	if why := record.Endings[res.Stopped]; why != "" && res.Stopped != record.StoppedSteps {
		valid += ", ended " + why
	}
	if res.TestExamples == 0 {
		fmt.Fprintf(w, "not tested, %s\n", valid)
	} else {
		fmt.Fprintf(w, "test %s of %s, %s\n", record.Shown(res.Figure, res.TestAccuracy), psl.Count(res.TestExamples, "answer"), valid)
	}
	for _, more := range []struct {
		what     string
		accuracy float64
		examples int
	}{
		{"test accuracy %.2f%% of %d further examples\n", res.MoreAccuracy, res.MoreExamples},
		{"validation %.2f%% of %d further examples\n", res.MoreValidAccuracy, res.MoreValidExamples},
		{"test accuracy %.2f%% of %d fresh examples\n", res.FreshAccuracy, res.FreshExamples},
	} {
		if more.examples > 0 {
			fmt.Fprintf(w, more.what, 100*more.accuracy, more.examples)
		}
	}
}

// execute builds the task and trains or evaluates it.
func execute(ctx context.Context, o *options, comm collective.Comm) (record.Result, error) {
	opt, err := o.watched(comm)
	if err == nil && o.profile != "" && comm.Rank() == 0 {
		if err = startProfile(o.profile); err == nil {
			defer pprof.StopCPUProfile()
		}
	}
	var model learning.Model
	if err == nil {
		if !o.eval && comm.Rank() == 0 && console.Live(os.Stderr, console.Format(o.log), o.quiet) {
			// A second or more passes before there is a plan to tell; elsewhere an error is
			// the only line.
			opt.Observer.Note("reading the data and the rules of " + o.config.Task)
		}
		model, err = opened(ctx, func() (learning.Model, error) { return open(o, comm.Size()) })
	}
	if err == nil && comm.Rank() == 0 && !o.eval && o.resume != resumeYes {
		o.noteSettings(os.Stderr)
		if err = o.warn(model.Rulebook().Warnings()); err == nil {
			err = warnOfShortcuts(ctx, o, model)
		}
	}
	if err := collective.Agree(comm, err, cli.ExitCode); err != nil {
		return record.Result{}, err
	}
	res, err := trainOrEvaluate(ctx, o, model, opt)
	if err == nil && o.export != "" && comm.Rank() == 0 {
		o.exported, err = train.Export(o.export, model)
	}
	return res, err
}

// startProfile writes a profile of the process to a file, until pprof.StopCPUProfile.
func startProfile(path string) error {
	file, err := os.Create(path)
	if err == nil {
		err = pprof.StartCPUProfile(file)
	}
	if err != nil {
		return &config.UsageError{Key: "-cpuprofile", Problem: err.Error()}
	}
	return nil
}

// watched returns the options of a run on a rank. The first rank is watched: from here on it
// answers requests for its progress, also while data are read.
func (o *options) watched(comm collective.Comm) (train.Options, error) {
	opt := o.run()
	opt.Comm = comm
	if o.eval || comm.Rank() > 0 {
		return opt, nil
	}
	var err error
	if opt.Observer, err = console.Watch(opt.Observer, o.progress); err != nil {
		return opt, &config.UsageError{Key: "-progress-file", Problem: err.Error()}
	}
	return opt, nil
}

// open builds the task, for a run with the given number of ranks.
func open(o *options, ranks int) (learning.Model, error) {
	if t := &o.config.Training; ranks > 1 && t.Shards == 0 {
		if !o.config.Uses().Use("training.shards") {
			return nil, cli.Usage("the batches of %s cannot be divided among ranks; start it without mpirun", o.config.Task)
		}
		t.Shards = ranks
		if err := o.config.Validate(); err != nil {
			return nil, err
		}
	}
	model, err := o.task.Open(o.config, o.data)
	if err == nil && o.export != "" {
		err = train.CheckExport(o.export, model)
	}
	return model, err
}

func trainOrEvaluate(ctx context.Context, o *options, model learning.Model, opt train.Options) (record.Result, error) {
	if o.eval {
		return train.Evaluate(ctx, o.config, model, opt)
	}
	opt.Another = func() (learning.Model, error) { return o.task.Open(o.config, o.data) }
	return train.Run(ctx, o.config, model, opt)
}

// predict answers images with the tested weights of a run.
func predict(w io.Writer, o *options) error {
	model, err := o.tested()
	if err != nil {
		return err
	}
	answer, err := learning.Predict(model, o.predict)
	if err != nil {
		return err
	}
	if !o.json {
		return answer.Print(w)
	}
	return cli.PrintJSON(w, answer)
}

// tryBatch checks the task on one batch.
func tryBatch(w io.Writer, o *options) error {
	cfg := train.ForTrial(o.config)
	model, err := o.task.Open(cfg, o.data)
	if err != nil {
		return err
	}
	if err := o.warn(model.Rulebook().Warnings()); err != nil {
		return err
	}
	return train.Trial(context.Background(), cfg, model, func(line string) { fmt.Fprintln(w, line) })
}

// run returns the options of train.Run and similar functions.
func (o *options) run() train.Options {
	return train.Options{
		Dir: o.dir, Resume: o.resume == resumeYes, Version: machine.Version(context.Background()),
		Report: o.pages.Write, ReportEvery: o.every, LookEvery: o.look,
		Observer: console.New(os.Stderr, console.Format(o.log), o.quiet),
	}
}

// tested is the model with the tested weights of the run in place.
func (o *options) tested() (learning.Model, error) {
	model, err := o.task.Open(o.config, o.data)
	if err != nil {
		return nil, err
	}
	return model, train.LoadTested(o.config, model, o.run())
}

// leave ends a run that did not get to its end and returns the exit code: signal, if it
// was interrupted.
func leave(comm collective.Comm, err error, signal int) int {
	if !errors.Is(err, train.ErrInterrupted) {
		cli.Leave(comm, err, message(err), fail)
		return cli.ExitCode(err) // package train's code for all ranks may be less exact
	}
	if comm.Rank() == 0 {
		fail(err)
	}
	_ = comm.Close()
	return cmp.Or(signal, exit.Terminated) // another rank may have had the signal
}

// fail prints an error, if there is one, on one line and returns the exit code.
func fail(err error) int {
	if err == nil {
		return exit.OK
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", program(), message(err))
	return cli.ExitCode(err)
}

// message is the error's text without the package prefix main adds itself.
func message(err error) string {
	if u, ok := errors.AsType[*config.UsageError](err); ok {
		return u.Error()
	}
	return strings.TrimPrefix(err.Error(), "train: ")
}
