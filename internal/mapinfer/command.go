package mapinfer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"hinge/internal/cli"
	"hinge/internal/exit"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
)

// Main runs the command with the given arguments and returns its exit code.
func Main(args []string) int {
	o, err := parse(args, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exit.OK
	}
	if err != nil {
		return report(err)
	}
	p := newProgress(os.Stderr, o.quiet)
	stop := watchSignals(p.note)
	defer stop.close()
	done := make(chan error, 1)
	j := newJob(o, stop, p, os.Stdout)
	go func() { done <- j.run() }()
	exceeded, ended := make(chan error, 1), make(chan struct{})
	defer close(ended)
	watchMemory(o.memoryLimit(), p.doing, exceeded, ended)
	select {
	case err = <-done:
	case err = <-exceeded:
	case <-stop.now:
		// Nothing is half written: leave even in the middle of a solve.
		err = context.Canceled
	}
	j.progress.close()
	var interrupted *interruptedError
	switch {
	case errors.As(err, &interrupted):
		fmt.Fprintln(os.Stderr, "infer:", err)
		return int(stop.code.Load())
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "infer: interrupted,", stop.left())
		return int(stop.code.Load())
	case err != nil:
		return report(err)
	}
	return exit.OK
}

// interruptedError says what was done when a signal came, and where it is.
type interruptedError struct{ text string }

func (e *interruptedError) Error() string { return "interrupted " + e.text }

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
		strict     *strictError
		memory     *memoryError
	)
	switch {
	case err == nil:
		return exit.OK
	case errors.As(err, &data), errors.As(err, &strict) && strict.data:
		return exit.Data
	case errors.As(err, &usage), errors.As(err, &file), errors.As(err, &rule), errors.As(err, &strict), errors.As(err, &memory):
		return exit.Usage
	case errors.As(err, &infeasible):
		return exit.Infeasible
	case errors.As(err, &unsolved):
		return exit.Unsolved
	}
	return exit.Internal
}

// methodNames lists the inference methods for messages and checks.
var methodNames = infer.Names()
