package solve

import (
	"flag"
	"fmt"
	"io"
	"time"

	"hinge/app/cli"
	"hinge/symbolic/infer"
	"hinge/symbolic/qp"
	"hinge/train/exit"
)

// options are the command line.
type options struct {
	file      string
	tolerance float64
	limit     time.Duration
	short     bool
	quiet     bool
}

// Main runs the command and returns its exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	code := exit.OK
	if err == nil {
		code, err = o.run(stdout, stderr)
	}
	return cli.Exit("solve", stderr, code, err)
}

func parse(args []string, usageTo io.Writer) (*options, error) {
	o := new(options)
	f := flag.NewFlagSet("solve", flag.ContinueOnError)
	f.Float64Var(&o.tolerance, "tol", 1e-6, "largest violation, gradient and gap of a solution, absolute")
	f.DurationVar(&o.limit, "time-limit", 0, "stop after so long with the best point so far, e.g. 30s (default: none)")
	f.BoolVar(&o.short, "short", false, "leave variables and rows out of what is printed")
	f.BoolVar(&o.quiet, "quiet", false, "show no progress")
	if _, err := cli.ParseFlags(f, args, "solve [flags] FILE, which ends with .qps, .mps or .npz, or with .gz behind the first two", usageTo); err != nil {
		return nil, err
	}
	switch {
	case f.NArg() != 1:
		return nil, cli.Usage("one file is solved, %d are named; flags go before it", f.NArg())
	case !(o.tolerance > 0):
		return nil, cli.Usage("-tol %v is not a number > 0", o.tolerance)
	case o.limit < 0:
		return nil, cli.Usage("-time-limit %v is negative", o.limit)
	}
	o.file = f.Arg(0)
	return o, nil
}

// run reads, solves and prints.
func (o *options) run(stdout, stderr io.Writer) (int, error) {
	ctx, signal := cli.Signals("solve: stopping; a second signal ends at once")
	begin := time.Now()
	p, err := read(o.file)
	if err != nil {
		return 0, err
	}
	readTime := time.Since(begin)
	begin = time.Now()
	settings := qp.Settings{Tolerance: o.tolerance, MaxTime: o.limit, Stop: ctx.Done()}
	if !o.quiet {
		settings.Recorder = progress(stderr, begin)
	}
	r, err := qp.Solve(&p.Problem, settings)
	if err != nil {
		return 0, inFile(o.file, err) // the problem is malformed, or not convex
	}
	a := newAnswer(p, r, o)
	a.ReadS, a.SolveS = readTime.Seconds(), time.Since(begin).Seconds()
	code := exit.Unsolved
	switch {
	case r.Status == infer.Solved:
		code = exit.OK
	case r.Status == infer.Infeasible:
		code = exit.Infeasible
	case ctx.Err() != nil:
		a.Status, code = "interrupted", int(signal.Load())
	}
	return code, cli.PrintJSON(stdout, a)
}

// often is the least time between two lines of progress.
const often = time.Second

// progress returns what prints a line from time to time.
func progress(w io.Writer, begin time.Time) func(*qp.Result) {
	last := begin
	return func(r *qp.Result) {
		if time.Since(last) < often || r.Status == infer.Solved {
			return
		}
		last = time.Now()
		fmt.Fprintf(w, "solve: %.0f s, step %d, %d iterations: violation %.1e, gradient %.1e, gap %.1e\n", time.Since(begin).Seconds(),
			r.Steps, r.Iterations, r.Residual.Primal, r.Residual.Dual, r.Residual.Gap)
	}
}
