// Package command is the command bench, which makes the tables: those of the paper, and
// those of inference. `go doc hinge/lab/cmd/bench` has its use and exit codes.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"hinge/app/cli"
	"hinge/lab/bench"
	"hinge/train/exit"
	"hinge/train/learning"
	"hinge/train/machine"
)

// taskFlag marks a measuring process; the command starts those itself.
const taskFlag = "-measure-task"

// interrupted is what the first signal prints.
const interrupted = "bench: stopping, what is done is kept; once more to exit at once"

// Run runs the command with the arguments after its name and returns the exit code. What
// it starts itself to measure is the same program.
func Run(args []string) int {
	if len(args) == 2 && args[0] == taskFlag {
		// A signal to the whole group is for the process that started this one.
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
		return report(bench.Serve(context.Background(), args[1], os.Stdout))
	}
	if isTable(args) {
		return runTable(args)
	}
	o, err := parse(args, os.Stderr)
	if err != nil {
		return report(err)
	}
	ctx, code := cli.Signals(interrupted)
	err = measure(ctx, o)
	// What was measured before an interruption or a failure is worth a table.
	if e := o.write(args); err == nil {
		err = e
	}
	if o.suite.Log != nil && len(o.plan.Methods) > 0 {
		if e := o.suite.Log.Summary(os.Stdout, o.plan.Methods[0]); err == nil {
			err = e
		}
	}
	if err == nil && o.costs != "" {
		err = calibrate(o)
	}
	return ended(err, code)
}

// calibrate writes the table of costs that fits what was measured.
func calibrate(o *options) error {
	rows := o.suite.Log.Latest()
	c, err := bench.Calibrate(rows)
	if err != nil {
		return err
	}
	bench.WriteRegret(os.Stdout, rows, &c)
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(o.costs, append(text, '\n'), 0o666); err != nil {
		return cli.Usage("-costs: %v", err)
	}
	return nil
}

// ended is the exit code of a run that has ended with err; code is a signal's.
func ended(err error, code *atomic.Int32) int {
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "bench: interrupted; start again to go on")
		return int(code.Load())
	}
	return report(err)
}

// measure runs the suite.
func measure(ctx context.Context, o *options) (err error) {
	if err := os.MkdirAll(filepath.Dir(o.out), 0o777); err != nil {
		return cli.Usage("-out: %v", err)
	}
	if o.profiles != "" {
		if err := os.MkdirAll(o.profiles, 0o777); err != nil {
			return cli.Usage("-profiles: %v", err)
		}
	}
	if o.suite.Log, err = bench.OpenLog(o.logPath()); err != nil {
		return &learning.DataError{Err: err}
	}
	if o.suite.Command, err = bench.Self(taskFlag); err != nil {
		return err
	}
	if o.suite.Build, err = bench.Build(); err != nil {
		return err
	}
	o.suite.Version = machine.Version(ctx)
	o.suite.Progress = progress
	return o.suite.Run(ctx, o.plan.Cells())
}

// write writes the tables of all rows in the log.
func (o *options) write(args []string) error {
	if o.suite.Log == nil {
		return nil
	}
	var text strings.Builder
	if err := bench.Report(&text, o.suite.Log.Latest(), commandLine(args)); err != nil {
		return err
	}
	if err := os.WriteFile(o.out, []byte(text.String()), 0o666); err != nil {
		return cli.Usage("-out: %v", err)
	}
	return nil
}

// commandLine is the command as a shell takes it.
func commandLine(args []string) string {
	command := "go run ./lab/cmd/bench"
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t`'\"") {
			a = strconv.Quote(a)
		}
		command += " " + a
	}
	return command
}

// progress prints a line a cell.
func progress(done, of int, r bench.Row, note string) {
	if note == "" {
		note = fmt.Sprintf("%s, %.3g s", r.Status, r.First.Wall)
		if r.Error != "" {
			note = r.Status + ": " + r.Error
		}
	}
	fmt.Fprintf(os.Stderr, "%d/%d %s: %s\n", done, of, r.Cell, note)
}

// report prints an error, if there is one, on one line and returns the exit code.
func report(err error) int {
	return cli.Exit("bench", os.Stderr, exit.OK, err)
}
