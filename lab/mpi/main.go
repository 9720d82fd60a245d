// Command mpi times training and inference on several ranks against one process, in
// alternation on the same machine, and writes the page lab/benchmarks/mpi.md:
//
//	go run ./lab/mpi [-out FILE] [-part training|inference] [-alternations N] [-ranks 2,4]
//	    [-steps N] [-batch N] [-terms N] [-limit TIME] [-models FOLDER]
//
// With -part the other part of the page stays as it is in FILE.
//
// What is timed of training are the steps of the task mnist-add2 with its default loss and network,
// one thread a process: one process, R at the same time that share nothing, and under
// every MPI of the machine R ranks that share the batch, and R with a batch each. Each
// alternation runs all of them one after the other; a speed-up is that of one
// alternation, and the page has the median of them. The program also times the sum of the gradients by itself, compares the weights
// of R ranks with those of one process that cuts its batches into R shards, and computes
// what a step costs on more ranks by the model of docs/CLUSTER.md.
//
// Of inference it is cmd/infer on models of package families, of which the large one, with
// -terms ground terms, is run in alternation, the others once, on several ranks for at most
// -limit. -models keeps the models' files for the next time.
//
// It starts itself as the ranks. Without an MPI it says how to get one and ends well.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"time"

	"hinge/lab/bench"
	"hinge/train/exit"
)

const install = `No mpirun found, so there is nothing to measure.
On Debian or Ubuntu: apt-get update && apt-get install -y openmpi-bin mpich`

// options are the flags.
type options struct {
	out                        string
	alternations, steps, batch int
	ranks                      []int
	part, models               string
	terms                      float64
	limit                      time.Duration
}

func main() {
	switch {
	case os.Getenv(rankEnv) != "":
		os.Exit(rank())
	case os.Getenv(inferEnv) != "":
		os.Exit(infer())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	code := exit.Usage
	if err == nil {
		code = exit.Internal
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mpi:", err)
		os.Exit(code)
	}
}

func parse(args []string) (*options, error) {
	o := new(options)
	var ranks string
	f := flag.NewFlagSet("mpi", flag.ContinueOnError)
	f.StringVar(&o.out, "out", "", "`file` for the page")
	f.IntVar(&o.alternations, "alternations", 3, "alternations")
	f.IntVar(&o.steps, "steps", 12, "steps of each run; the first two are not timed")
	f.IntVar(&o.batch, "batch", 64, "additions of a step, of four images each")
	f.StringVar(&o.part, "part", "", "training or inference (default: both)")
	f.Float64Var(&o.terms, "terms", 1e7, "ground terms of the large model to infer")
	f.DurationVar(&o.limit, "limit", 3*time.Minute, "longest solve on several ranks of the models that do not split well")
	f.StringVar(&o.models, "models", "", "`folder` that keeps the models to infer")
	f.StringVar(&ranks, "ranks", "", "numbers of ranks, with commas (default: the powers of two up to the processors)")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if o.alternations < 1 || o.steps < 4 || o.batch < 1 || f.NArg() > 0 {
		return nil, errors.New("want at least one alternation, four steps, an addition and no further arguments")
	}
	if o.part != "" && o.part != training && o.part != inference || !(o.terms >= 1 && o.terms <= 1<<30) || o.limit <= 0 {
		return nil, errors.New("want -part training or inference, -terms between 1 and 2³⁰ and a -limit above 0")
	}
	if ranks == "" {
		for r := 2; r <= runtime.NumCPU(); r *= 2 {
			ranks += "," + strconv.Itoa(r)
		}
	}
	for text := range strings.SplitSeq(strings.TrimPrefix(ranks, ","), ",") {
		r, err := strconv.Atoi(text)
		if err != nil || r < 2 || o.batch%r != 0 {
			return nil, fmt.Errorf("-ranks %q: want numbers of at least 2 that divide the batch of %d", text, o.batch)
		}
		o.ranks = append(o.ranks, r)
	}
	return o, nil
}

func run(ctx context.Context, o *options) error {
	var found []launcher
	for _, l := range launchers {
		if _, err := exec.LookPath(l.program); err == nil {
			found = append(found, l)
		}
	}
	if found == nil {
		fmt.Println(install)
		return nil
	}
	var text [2]string
	if o.part != inference {
		s, err := measure(ctx, o, found)
		if err != nil {
			return err
		}
		text[0] = s.page()
	}
	if o.part != training {
		load := bench.LoadAverage()
		runs, err := measureInference(ctx, o, found)
		if err != nil {
			return err
		}
		text[1] = inferencePage(o, runs, [2]string{load, bench.LoadAverage()})
	}
	fmt.Print(text[0], text[1])
	if o.out == "" {
		return nil
	}
	old, err := os.ReadFile(o.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(o.out, []byte(joined(string(old), text)), 0o644)
}

// The parts of the page.
const training, inference = "training", "inference"

// joined is the page with new parts in the place of the old ones; an empty one stays.
func joined(old string, text [2]string) string {
	first, second, found := strings.Cut(old, inferenceTitle)
	if found {
		second = inferenceTitle + second
	}
	parts := []string{cmp.Or(text[0], first), cmp.Or(text[1], second)}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n")) + "\n"
}
