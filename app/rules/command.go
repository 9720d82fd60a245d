// Package rules is the command that finds rules in facts, learns their weights and ranks answers with
// them. Packages symbolic/rulemining and train/ruleweights do the work; here are the flags, the
// folder of facts, the run folder with its records, the model file that is written, and explanations.
package rules

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"hinge/app/cli"
	"hinge/app/watch"
	"hinge/symbolic/rulemining"
	"hinge/train/exit"
	runfolder "hinge/train/record"
)

// options are the command line.
type options struct {
	data, out  string
	time       time.Duration
	rounds     int
	seed       uint64
	length     int
	facts      int
	resume     bool
	noTest     bool
	functional bool
	asked      int
	adds       int
	ask        string
	explained  string
	quiet      bool
}

// Main runs the command and returns its exit code.
func Main(args []string, stdout io.Writer, stderr *os.File) int {
	o, err := parse(args, stderr)
	if err != nil {
		return cli.Exit("rules", stderr, exit.OK, err)
	}
	ctx, code := cli.Signals("rules: stopping; a second signal ends at once")
	err = o.run(ctx, stdout, stderr)
	if errors.Is(err, context.Canceled) && code.Load() != 0 {
		fmt.Fprintf(stderr, "rules: interrupted; what was found is in %s, and the same command with -resume goes on\n", o.out)
		return int(code.Load())
	}
	return cli.Exit("rules", stderr, exit.OK, err)
}

func parse(args []string, usageTo io.Writer) (*options, error) {
	o := new(options)
	f := flag.NewFlagSet("rules", flag.ContinueOnError)
	f.StringVar(&o.data, "data", "", "`folder` with train.txt, valid.txt and test.txt, or a model file whose observations are the facts")
	f.StringVar(&o.out, "out", "", "`folder` for the rules, the records and result.json")
	f.DurationVar(&o.time, "time", 15*time.Minute, "the search ends after this `time`, resumed time included, and a round that it cuts short does not count; learning comes after it")
	f.IntVar(&o.rounds, "rounds", 0, "end the search after `n` rounds; with the same seed they give the same rules on every machine (0: the time limit decides)")
	f.Uint64Var(&o.seed, "seed", 1, "`seed` of all random numbers")
	f.IntVar(&o.length, "length", 3, "most atoms in the body of a rule without constants, 1 to 5")
	f.IntVar(&o.facts, "facts", 450, "most `facts` of a relation that its weights are learned from; the time grows with it")
	f.BoolVar(&o.resume, "resume", false, "go on with the run in -out")
	f.BoolVar(&o.noTest, "no-test", false, "rank valid.txt alone, to choose settings: of test.txt the facts stay true answers, and the entities answers")
	f.BoolVar(&o.functional, "functional", false, "write a hard rule for each relation of which 20 entities or more have a tail (or head) in the facts that rules are found in, and none has two")
	f.IntVar(&o.asked, "asked", 50, "`number` of queries of valid.txt and of test.txt that the written model asks")
	f.IntVar(&o.adds, "adds", 0, "write to adds.tsv what each of the `n` heaviest rules without constants of a relation adds to the MRR on valid.txt")
	f.StringVar(&o.ask, "ask", "entity", "what the held-out facts are asked for: `entity`, their head and tail, or relation, answered by applying the rules of two steps again and again")
	f.StringVar(&o.explained, "explain", "", "explain a `fact` such as 'isa(alga, entity)', or the best answers to 'isa(alga, ?)', with the rules of the run in -out")
	f.BoolVar(&o.quiet, "quiet", false, "print results only")
	set, err := cli.Parse(f, args, "rules -data FOLDER -out RUN [flags]", usageTo)
	if err != nil {
		return nil, err
	}
	for _, need := range []string{"data", "out"} {
		if !set[need] {
			return nil, cli.Usage("-%s is missing; rules -h lists the flags", need)
		}
	}
	if err := cli.Folder(o.out, "result.json and rules.psl are written in it"); err != nil {
		return nil, err
	}
	switch {
	case o.length < 1 || o.length > rulemining.MaxLength:
		return nil, cli.Usage("-length %d is not 1 to 5", o.length)
	case o.time <= 0:
		return nil, cli.Usage("-time %v is not above 0", o.time)
	case o.facts < 1:
		return nil, cli.Usage("-facts %d is not above 0", o.facts)
	case o.rounds < 0 || o.adds < 0:
		return nil, cli.Usage("-rounds and -adds cannot be below 0")
	case o.asked < 1:
		return nil, cli.Usage("-asked %d is not above 0", o.asked)
	case o.ask != "entity" && o.ask != "relation":
		return nil, cli.NoneOf("ask", o.ask, []string{"entity", "relation"})
	case o.ask == "relation" && o.adds > 0:
		return nil, cli.Usage("-adds needs weights, which only -ask entity learns: leave -adds or -ask relation out")
	}
	return o, nil
}

func (o *options) run(ctx context.Context, stdout io.Writer, stderr *os.File) error {
	l, err := read(o.data)
	if err != nil {
		return err
	}
	r := begin(o, l, watch.NewProgress("rules", stderr, o.quiet))
	defer r.show.Close()
	if o.explained == "" { // held before the record is read, so that it is the last one
		release, err := runfolder.Hold(o.out)
		if err != nil {
			return cli.Usage("-out: %v", err)
		}
		defer release()
	}
	if err := r.open(); err != nil {
		return err
	}
	if o.explained != "" {
		return r.explain(stdout)
	}
	r.warnOfRepeats()
	if err := r.find(ctx); err != nil {
		return err
	}
	if o.ask == "entity" {
		if err := r.learn(ctx); err != nil {
			return err
		}
	}
	return r.report(ctx, stdout)
}
