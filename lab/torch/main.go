// Command torch times the training step and the evaluation of ResNet18 in this
// module and in PyTorch, in alternation on the same machine, and writes the
// report lab/benchmarks/neural.md:
//
//	go run ./lab/torch [-out FILE] [-python PROGRAM] [-alternations N] [-seconds S]
//
// Ours are the benchmarks of models/resnet18 and nn/kernel, built and run as
// processes of their own; theirs is resnet18_step.py, the same network and step.
// Every figure is the median of the alternations, each of which is the median of
// the steps of about S seconds. Without PyTorch the program says how to get it
// and ends well; it exits with 1 if a measurement fails.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

const install = `No Python with PyTorch found, so there is nothing to compare with.
On Debian or Ubuntu: apt-get update && apt-get install -y python3-torch
elsewhere:           python3 -m pip install torch
Another interpreter is chosen with -python PROGRAM.`

// options are the flags.
type options struct {
	out, python  string
	alternations int
	seconds      float64
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "torch:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, log io.Writer) error {
	var o options
	flags := flag.NewFlagSet("torch", flag.ContinueOnError)
	flags.StringVar(&o.out, "out", "", "file for the report")
	flags.StringVar(&o.python, "python", "", "Python interpreter that has PyTorch")
	flags.IntVar(&o.alternations, "alternations", 5, "alternations of the two sides")
	flags.Float64Var(&o.seconds, "seconds", 1, "time for each measurement")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.alternations < 1 || !(o.seconds > 0) || flags.NArg() > 0 {
		return fmt.Errorf("want at least one alternation, a time above 0 and no further arguments")
	}
	python := findPython(ctx, o.python)
	if python == "" {
		fmt.Fprintln(log, install)
		return nil
	}
	dir, err := os.MkdirTemp("", "bench-torch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := measure(ctx, o, python, dir, log)
	if err != nil {
		return err
	}
	if o.out == "" {
		return nil
	}
	r.command = fmt.Sprintf("go run ./lab/torch -alternations %d -seconds %g -out %s", o.alternations, o.seconds, o.out)
	var text strings.Builder
	r.write(&text)
	return os.WriteFile(o.out, []byte(text.String()), 0o644)
}
