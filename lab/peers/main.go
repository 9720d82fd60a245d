// Command peers measures Hinge beside other programs that do the same work, each as its users
// install it, and writes one page of it:
//
//	go run ./lab/peers                                  # all questions: installs, measures, writes the page
//	go run ./lab/peers -questions programs,layers           # some of them
//	go run ./lab/peers -questions "" -out PAGE          # the page alone, of the records there are
//	go run ./lab/peers -env torch=PYTHON -env psl=PYTHON    # packages that are already installed
//
// # What is measured
//
// A question is a kind of work, such as a training step. It has groups of cases that share
// their programs: Hinge, and each peer with its pinned version. The programs of a group compute
// in turn with the same number of threads. The first answer of each is a warm-up and is left
// out; a program whose warm-up takes longer than -slow is not asked again, and that time
// counts. The page shows medians, the least and the largest, the processor's seconds and the
// peak of resident memory of the processes as the system counts them. A peer that fails, takes
// longer than -limit, or whose answer is wrong stands on the page with the reason.
//
// # Records
//
// Each case is one line of FOLDER/QUESTION.jsonl as soon as it is measured. A case that was
// measured on this machine is not measured again, unless -again is given, so that the command
// can be stopped and started at any time. -quick takes the smallest cases and few repetitions;
// its records are marked and it needs a folder of its own.
//
// # Failures
//
// A peer that cannot be installed is recorded as one that failed, with what pip said. Errors of
// Hinge, of the files and of the command line end the command with exit code 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	questions, only, out, records, work, python string
	rounds                                      int
	seconds, slow, limit                        float64
	quick, again                                bool
	existing                                    map[string]string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 1 && args[0] == "-serve" {
		return serve(os.Stdin, os.Stdout, args[1], args[2:])
	}
	o := options{existing: map[string]string{}}
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.StringVar(&o.questions, "questions", strings.Join(names(), ","), "questions to measure, `names` with commas")
	flags.StringVar(&o.only, "only", "", "measure only cases with this `text` in their group's name, such as LeNet")
	flags.StringVar(&o.out, "out", filepath.Join("lab", "benchmarks", "peers.md"), "write the page to a `file`")
	flags.StringVar(&o.records, "records", filepath.Join("lab", "benchmarks", "peers"), "`folder` of the records")
	flags.StringVar(&o.work, "work", "", "`folder` for the peers' packages and for inputs; a temporary one that is removed if empty")
	flags.StringVar(&o.python, "python", "python3", "`program` that makes the environments")
	flags.IntVar(&o.rounds, "alternations", 5, "alternations of the programs, without the warm-up")
	flags.Float64Var(&o.seconds, "seconds", 1, "`seconds` for each measurement of what can be repeated")
	flags.Float64Var(&o.slow, "slow", 10, "ask no program again whose warm-up took more `seconds`")
	flags.Float64Var(&o.limit, "limit", 120, "end a program after so many `seconds` without an answer")
	flags.BoolVar(&o.quick, "quick", false, "the smallest cases, in a trial of the command")
	flags.BoolVar(&o.again, "again", false, "measure cases again that have a record")
	flags.Func("env", "`name=program`: an interpreter that has the packages of an environment", func(text string) error {
		name, program, ok := strings.Cut(text, "=")
		if !ok || program == "" || !slices.ContainsFunc(environments, func(e environment) bool { return e.name == name }) {
			return fmt.Errorf("want NAME=PROGRAM with a name from %s", strings.Join(environmentNames(), ", "))
		}
		o.existing[name] = program
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || o.rounds < 1 || !(o.seconds > 0) || !(o.slow > 0) || !(o.limit > 0) {
		return errors.New("want at least one alternation, times above 0 and no further arguments")
	}
	chosen, err := choose(o.questions)
	if err != nil {
		return err
	}
	if o.only != "" && !slices.ContainsFunc(chosen, func(q question) bool {
		return slices.ContainsFunc(q.groups(o.quick), func(g group) bool { return strings.Contains(g.name, o.only) })
	}) {
		return fmt.Errorf("-only %q: no group of these questions has this text in its name", o.only)
	}
	if o.work == "" {
		if o.work, err = os.MkdirTemp("", "peers"); err != nil {
			return err
		}
		defer os.RemoveAll(o.work)
	}
	if err := os.MkdirAll(o.records, 0o777); err != nil {
		return err
	}
	r, err := newRunner(ctx, o)
	if err != nil {
		return err
	}
	for _, q := range chosen {
		if err := r.question(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
	}
	p := page{date: time.Now(), quick: o.quick}
	for _, q := range questions {
		records, err := readRecords(o.records, q.name)
		if err != nil {
			return err
		}
		p.parts = append(p.parts, part{q, latest(records)})
	}
	return os.WriteFile(o.out, []byte(p.text()), 0o666)
}
