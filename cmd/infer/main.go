// Command infer finds the most probable values of the targets of a model in the
// reference system's format.
//
//	go run ./cmd/infer -model examples/smokers/model.json
//
// reads the model and its data, grounds the rules, solves the regularised
// program exactly and prints a summary with the metrics of the model's
// evaluators. With -out it writes a file PREDICATE.txt for each predicate with
// targets, a line "arguments<TAB>value" a target. With -json it prints one
// object instead of the summary:
//
//	terms, constraints, targets, components   sizes of the ground program; terms
//	                                          are potentials and constraints
//	iterations      most sweeps or steps that a component took
//	objective       raw energy Σ w·Φ, without regularisation
//	primal, dual    values of the regularised program and of its dual
//	gap             sum of the components' duality gaps
//	max_violation   largest violation of a hard rule
//	status          solved, almost_solved, iteration_limit, no_progress, infeasible
//	ground_s, solve_s   seconds for grounding and for solving
//	metrics         {predicate: {evaluator: {metric: value}}}
//
// The methods auto (the default) and ipm end with the optimum. The others, bcd, bcd-paper,
// bcd-lockfree, admm, subgradient and primal, stop as in the reference: when the gap of a
// component is below the model's threshold, else 0.01; -gap asks for another.
// With -check the solution is judged outside the solver: an optimum must have
// residuals of at most 1e-6, any other solution what its stop rule promised.
//
// # Learning
//
// With -learn LOSS (energy, sp, mse or bce) the weights of the soft rules are
// learned instead, from the partition learn unless -partition says otherwise:
//
//	go run ./cmd/infer -model examples/weight-learning/model.json -learn bce -out learned
//	go run ./cmd/infer -model examples/weight-learning/model.json -rules learned/rules.psl
//
// The truth of the targets are the labels; targets without truth are latent. The
// model's primary evaluation, else its first, decides when learning ends. Printed
// are its metrics with the weights at the start and with those learned, and the
// rules with their weights, which sum to 1; -out writes them to rules.psl. The
// second command infers with them: -rules takes a rule file instead of the
// model's rules, with the weights as they stand in it. ε is relative to the
// weights, so it should be that of learning. Package train/weights says what is
// minimised and what the flags for step sizes, regularisers and penalties mean.
// With -json one object is printed:
//
//	loss, epsilon                     what was asked for
//	terms, constraints, targets, labelled   sizes
//	epochs, stopped                   steps made, and why not more: epochs,
//	                                  patience or gap
//	best_score, best_epoch            of the evaluation while learning
//	solves, unsolved                  inferences, and those that missed their
//	                                  tolerance (exit 5 with -check)
//	ground_s, learn_s, solver_s       seconds
//	rules                             rule, start, weight, incompatibility (how
//	                                  badly the labels break it)
//	metrics_before, metrics           as without -learn
//
// # Flags and exit codes
//
// `go run ./cmd/infer -h` lists the flags. A flag beats the model's option, which
// beats the default.
//
// Exit codes: 0 done; 1 internal error; 2 usage, model file or rules; 3 bad or
// missing data; 4 infeasible model, the rules at fault are named; 5 not
// converged, or the outside check failed (only with -check); 130 and 143
// interrupted, nothing written.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"

	"hinge/internal/cli"
	"hinge/internal/exit"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
)

func main() {
	if os.Getenv("GOGC") == "" {
		// Most of the memory lives to the end: collecting more often costs
		// little and keeps the peak low.
		debug.SetGCPercent(50)
	}
	os.Exit(run(os.Args[1:]))
}

// run is main without os.Exit.
func run(args []string) int {
	o, err := parse(args, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exit.OK
	}
	if err != nil {
		return report(err)
	}
	stop := watchSignals()
	defer stop.release()
	done := make(chan error, 1)
	j := &job{options: o, stop: stop, progress: newProgress(os.Stderr, o.quiet), stdout: os.Stdout, stderr: os.Stderr}
	go func() { done <- j.run() }()
	select {
	case err = <-done:
	case <-stop.now:
		// Nothing is half written: leave even in the middle of a solve.
		err = context.Canceled
	}
	j.progress.close()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "infer: interrupted, nothing written")
		return int(stop.code.Load())
	}
	if err != nil {
		return report(err)
	}
	return exit.OK
}

// report prints an error and returns its exit code. Mistakes in rules take
// several lines: the rule, a caret and a hint.
func report(err error) int {
	text := err.Error()
	var rule *psl.Error
	if errors.As(err, &rule) {
		text = rule.Detail()
	}
	fmt.Fprintln(os.Stderr, "infer:", text)
	return exitCode(err)
}

// exitCode returns the exit code of an error.
func exitCode(err error) int {
	var (
		usage      *cli.UsageError
		file       *model.Error
		rule       *psl.Error
		data       *model.DataError
		infeasible *infeasibleError
		unsolved   *unsolvedError
	)
	switch {
	case err == nil:
		return exit.OK
	case errors.As(err, &data):
		return exit.Data
	case errors.As(err, &usage), errors.As(err, &file), errors.As(err, &rule):
		return exit.Usage
	case errors.As(err, &infeasible):
		return exit.Infeasible
	case errors.As(err, &unsolved):
		return exit.Unsolved
	}
	return exit.Internal
}

// stopper tells of SIGINT and SIGTERM.
type stopper struct {
	ctx    context.Context
	cancel context.CancelFunc
	// now is closed when the process shall end.
	now  chan struct{}
	code atomic.Int32
	// writing holds the end back until the results are written.
	writing atomic.Bool
	signals chan os.Signal
}

func watchSignals() *stopper {
	s := &stopper{now: make(chan struct{}), signals: make(chan os.Signal, 2)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	signal.Notify(s.signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for sig := range s.signals {
			if s.writing.Load() {
				continue
			}
			s.code.Store(cli.Code(sig))
			s.cancel()
			close(s.now)
			return
		}
	}()
	return s
}

func (s *stopper) release() {
	signal.Stop(s.signals)
	close(s.signals)
	s.cancel()
}

// methodNames lists the inference methods for messages and checks.
var methodNames = infer.Names()
