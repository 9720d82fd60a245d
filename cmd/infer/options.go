package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"hinge/symbolic/model"
)

// usageError is a mistake on the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// options are the command line; zero values mean that the model or the default
// decides.
type options struct {
	model, data, method, out, partition string
	epsilon, gap                        float64
	threads                             int
	json, check, quiet                  bool
	rules                               string
	learning
}

// defaultEpsilon is ε where neither flag nor model says; it is the reference's.
const defaultEpsilon = 0.01

// parse reads the command line.
func parse(args []string, usageTo io.Writer) (*options, error) {
	o := new(options)
	f := flag.NewFlagSet("infer", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.model, "model", "", "model `file`, JSON or YAML")
	f.StringVar(&o.data, "data", "", "look for data files in this `folder` (default: where the model says)")
	f.StringVar(&o.method, "method", "", "inference method: "+strings.Join(methodNames, ", ")+" (default: the model's, else bcd)")
	f.Float64Var(&o.epsilon, "epsilon", 0, "regularisation ε > 0 (default: the model's, else 0.01)")
	f.Float64Var(&o.gap, "gap", 0, "duality gap at which a component is done (default: as small as the method can)")
	f.StringVar(&o.out, "out", "", "write PREDICATE.txt files to this `folder` (default: the model's, else none)")
	f.StringVar(&o.partition, "partition", string(model.Infer), "data of the model: infer, learn or validation (default with -learn: learn)")
	f.StringVar(&o.rules, "rules", "", "take the rules, with their weights as they are, from this `file` instead of the model's")
	f.IntVar(&o.threads, "threads", 0, "number of threads (default: the model's, else all cores)")
	f.BoolVar(&o.json, "json", false, "print one JSON object instead of the summary")
	f.BoolVar(&o.check, "check", false, "re-check the solution outside the solver; exit 5 if it is not an optimum")
	f.BoolVar(&o.quiet, "quiet", false, "no progress and no warnings")
	o.learning.add(f)
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			f.SetOutput(usageTo)
			fmt.Fprintln(usageTo, "usage: infer -model FILE [flags]")
			f.PrintDefaults()
			return nil, err
		}
		return nil, usage("%v; -h lists the flags", err)
	}
	if f.NArg() > 0 {
		return nil, usage("unexpected argument %q; -h lists the flags", f.Arg(0))
	}
	set := map[string]bool{}
	f.Visit(func(f *flag.Flag) { set[f.Name] = true })
	return o, o.validate(set)
}

// validate finds values that make no sense.
func (o *options) validate(set map[string]bool) error {
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	switch {
	case o.model == "":
		return usage("-model is missing; -h lists the flags")
	case o.method != "" && !slices.Contains(methodNames, o.method):
		return usage("-method %q is none of %s", o.method, strings.Join(methodNames, ", "))
	case set["epsilon"] && !positive(o.epsilon):
		return usage("-epsilon %v is not a finite number > 0", o.epsilon)
	case set["gap"] && !positive(o.gap):
		return usage("-gap %v is not a finite number > 0", o.gap)
	case o.threads < 0:
		return usage("-threads %d is negative", o.threads)
	}
	switch model.Partition(o.partition) {
	case model.Infer, model.Learn, model.Validation:
	default:
		return usage("-partition %q is none of infer, learn, validation", o.partition)
	}
	if err := o.validateLearning(set); err != nil {
		return err
	}
	if o.data != "" {
		info, err := os.Stat(o.data)
		if err != nil {
			return &model.DataError{Err: fmt.Errorf("-data: %w", err)}
		}
		if !info.IsDir() {
			return &model.DataError{Err: fmt.Errorf("-data: %s is not a folder", o.data)}
		}
	}
	return nil
}
