package infer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/app/pipe"
	"hinge/app/watch"
	"hinge/optim/collective"
	"hinge/symbolic/psl"
	"hinge/train/exit"
)

// Main runs the command with the given arguments and returns its exit code. Where an MPI
// launcher has started the process, it is one rank of several, and the ranks solve the program
// together by joint. A program that no launcher starts passes nil for joint.
func Main(args []string, joint Joint) int {
	launch := collective.Launched()
	o, err := problem.Parse(args, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exit.OK
	}
	if err == nil && o.Pipe {
		return pipe.Serve(os.Stdin, os.Stdout)
	}
	if err == nil && launch.Size > 1 {
		err = o.ForRanks()
	}
	if err != nil && launch.Rank > 0 {
		return cli.ExitCode(err) // rank 0 reports it
	}
	if err != nil {
		return printError(err)
	}
	collective.ShareThreads()
	comm, err := collective.World(o.MPI)
	if err != nil && launch.LocalRank > 0 {
		return cli.ExitCode(err) // the first process of each machine reports it
	}
	if err != nil {
		return printError(err)
	}
	p := watch.NewProgress("infer", os.Stderr, o.Quiet || comm.Rank() > 0)
	stop := watch.NewStopper(func(text string) { p.Note("infer: " + text) })
	defer stop.Close()
	done := make(chan error, 1)
	k := &rank{newCommand(o, stop, p, os.Stdout), comm, joint}
	go func() { done <- k.run() }()
	exceeded, ended := make(chan error, 1), make(chan struct{})
	defer close(ended)
	watch.LimitMemory(o.MemoryLimit(), p.Doing, exceeded, ended)
	select {
	case err = <-done:
	case err = <-exceeded:
	case <-stop.Now:
		// Nothing is half written: leave even in the middle of a solve.
		err = context.Canceled
	}
	p.Close()
	return k.leave(err)
}

// interruptedError reports what was done when a signal came, and where it was written.
type interruptedError struct{ text string }

func (e *interruptedError) Error() string { return "interrupted " + e.text }

// printError prints an error and returns its exit code. Mistakes in rules take
// several lines: the rule, a caret and a hint.
func printError(err error) int {
	text := err.Error()
	if rule, ok := errors.AsType[*psl.Error](err); ok {
		text = rule.Detail()
	}
	fmt.Fprintln(os.Stderr, "infer:", text)
	return cli.ExitCode(err)
}
