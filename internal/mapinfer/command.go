package mapinfer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

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
	stop := watchSignals()
	defer stop.release()
	done := make(chan error, 1)
	j := newJob(o, stop, newProgress(os.Stderr, o.quiet), os.Stdout)
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
	if errors.Is(err, errInterrupted) {
		fmt.Fprintln(os.Stderr, "infer:", err)
		return int(stop.code.Load())
	}
	if err != nil {
		return report(err)
	}
	return exit.OK
}

// errInterrupted says that a search was interrupted and its best values are written.
var errInterrupted = errors.New("interrupted, the best values so far are the result")

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
	)
	switch {
	case err == nil:
		return exit.OK
	case errors.As(err, &data), errors.As(err, &strict) && strict.data:
		return exit.Data
	case errors.As(err, &usage), errors.As(err, &file), errors.As(err, &rule), errors.As(err, &strict):
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
	// writing holds the end back until the results are written, searching until a
	// second signal: a search ends by itself, with the best values so far.
	writing, searching atomic.Bool
	signals            chan os.Signal
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
			if s.searching.Load() && s.ctx.Err() == nil {
				s.cancel()
				continue
			}
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
