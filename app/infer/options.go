package infer

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"hinge/app/cli"
	"hinge/app/watch"
	"hinge/symbolic/facts"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/train/config"
)

// options are the command line; zero values mean that the model or the default
// decides.
type options struct {
	model, data, method, out, partition string
	// ties is a key of ties.
	ties                                string
	epsilon, gap                        float64
	threads                             int
	json, check, quiet, verbose, strict bool
	// shortcuts asks for a count of the meanings of the concepts, and for nothing else.
	shortcuts     bool
	maxGroundings int
	maxMemory     watch.Size
	rules         string
	// weights is the run folder of trained networks.
	weights string
	// partitionSet and epsilonSet tell that the flags were given.
	partitionSet, epsilonSet bool
	// set are the options of -D, explain the atoms to explain, top the number of
	// ground rules to show, groundRules the file for all of them.
	set, explain []string
	// integers are predicates whose values have to be 0 or 1, timeout bounds the solve.
	integers    []string
	timeout     time.Duration
	top         int
	groundRules string
	// mpi is the MPI library, split how several ranks divide the ground program.
	mpi, split string
	// pipe is the mode of package app/pipe.
	pipe bool
	// loss is the value of -learn, settingsSet are those of -set.
	loss        string
	settingsSet []string
	// threshold is a number, onValidation or "".
	threshold string
}

const (
	// dualEpsilon is the reference's ε, which its dual methods alone have.
	dualEpsilon = 0.01
	// smallEpsilon does not show in six digits and is solved as fast.
	smallEpsilon = 1e-8
)

// parse reads the command line.
func parse(args []string, usageTo io.Writer) (*options, error) {
	o := new(options)
	f := flag.NewFlagSet("infer", flag.ContinueOnError)
	f.StringVar(&o.model, "model", "", "model `file`, JSON or YAML")
	f.StringVar(&o.model, "config", "", "the same as -model")
	f.Func("D", "set an option of the model: `key=value`; may be repeated", func(s string) error {
		if name, _, ok := strings.Cut(s, "="); !ok || strings.TrimSpace(name) == "" {
			return errors.New("want key=value")
		}
		o.set = append(o.set, s)
		return nil
	})
	several := func(to *[]string, name, usage string) {
		f.Func(name, usage, func(s string) error { *to = append(*to, s); return nil })
	}
	several(&o.explain, "explain", "say why this `atom` has its value, such as 'Trusts(bob, ann)'; may be repeated")
	several(&o.integers, "integer", "infer values 0 or 1, not between, for this `predicate`; may be repeated")
	f.DurationVar(&o.timeout, "timeout", 0, "stop solving after this `time`, such as 30s, with the best values so far (default: no limit)")
	f.IntVar(&o.top, "top", 0, "show this `number` of soft ground rules that cost most")
	f.StringVar(&o.groundRules, "groundrules", "", "write all ground rules, with how far they are broken, to this `file`, as JSON Lines where its name ends in .jsonl")
	f.StringVar(&o.data, "data", "", "look for data files in this `folder` (default: where the model says)")
	f.StringVar(&o.method, "method", "", "inference method: "+strings.Join(infer.Names(), ", ")+" (default: the model's, else auto)")
	f.Float64Var(&o.epsilon, "epsilon", 0, "regularisation ε > 0 (default: the model's; else 0.01 for learning and the dual methods of the reference, 1e-3 for subgradient, 1e-8 for inference)")
	f.StringVar(&o.ties, "ties", tiesNorm, "of many optima take the one nearest to 0 (norm), to ½ (centre), or to the mean of what is observed of each predicate (prior): "+strings.Join(slices.Sorted(maps.Keys(ties)), ", "))
	f.Float64Var(&o.gap, "gap", 0, "duality gap at which a component is done (default: as small as the method can)")
	f.StringVar(&o.out, "out", "", "write the atoms to this `place`: a folder for PREDICATE.txt (or .csv) files, FILE.csv, FILE.jsonl, FILE.parquet, or ADDRESS#TABLE of a database (default: the folder of the model, else they are printed)")
	f.StringVar(&o.out, "output", "", "the same as -out")
	f.StringVar(&o.partition, "partition", string(model.Infer), "data of the model: infer, learn or validation (default with -learn: learn)")
	f.StringVar(&o.rules, "rules", "", "take the rules, with their weights as they are, from this `file` instead of the model's")
	f.StringVar(&o.weights, "weights", "", "take networks and rule weights from this run `folder` of cmd/train -model")
	f.IntVar(&o.threads, "threads", 0, "number of threads (default: the model's, else all cores)")
	f.IntVar(&o.maxGroundings, "max-groundings", 0, "stop when a rule has more ground rules than this `number` (default: no limit)")
	f.Func("max-memory", "stop when more memory than this `size` is in use, such as 2GiB (default: what the machine has)", func(s string) (err error) {
		o.maxMemory, err = watch.ParseSize(s)
		return err
	})
	f.BoolVar(&o.json, "json", false, "print one JSON object instead of the summary")
	f.BoolVar(&o.check, "check", false, "re-check the solution outside the solver; exit 5 if it is not an optimum")
	f.BoolVar(&o.verbose, "v", false, "say what method auto has begun with, and what it was predicted to take")
	f.BoolVar(&o.quiet, "quiet", false, "no progress, and only warnings about what may change the answer")
	f.BoolVar(&o.strict, "strict", false, "warnings are errors: exit 2, or 3 if all are about data")
	f.BoolVar(&o.shortcuts, "shortcuts", false, "count what the concepts of the networks could mean, given rules and labels, and exit (docs/SHORTCUTS.md); with -strict more than the truth is an error, exit 3")
	f.StringVar(&o.mpi, "mpi", "", "MPI library `file`, where several ranks were started (default: the one that fits the launcher)")
	f.StringVar(&o.split, "split", "graph", "how several ranks divide the constants: "+strings.Join(slices.Sorted(maps.Keys(splits)), ", "))
	f.BoolVar(&o.pipe, "pipe", false, "answer V(w, g) and its gradients over standard input and output, for programs with a network of their own (go doc hinge/app/pipe)")
	f.StringVar(&o.loss, "learn", "", "learn the rules' weights by this `loss`, and do no more: "+strings.Join(config.CommonLosses(), ", ")+
		"; none: infer with the weights as written, also where the model asks for learning; by a name of the reference (--learn NAME), with the settings of the model: "+
		strings.Join(model.Learners(), ", "))
	f.StringVar(&o.threshold, "threshold", "", "evaluate DiscreteEvaluators with values from this `number` on as true, or with the best threshold of the partition validation: validation; with -learn it is kept in the rule file (default: the kept one, else the evaluator's)")
	several(&o.settingsSet, "set", "with -learn, any setting `KEY=VALUE` that cmd/train -settings lists, such as symbolic.mirror-step=0.1; repeat it for more")
	args, o.set = referenceFlags(args)
	set, err := cli.Parse(f, args, "infer -model FILE [flags]", usageTo)
	if err != nil {
		return nil, err
	}
	return o, o.validate(set)
}

// validate finds values that make no sense.
func (o *options) validate(set map[string]bool) error {
	o.partitionSet, o.epsilonSet = set["partition"], set["epsilon"]
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	switch {
	case o.pipe && (len(set) > 1 || len(o.set) > 0):
		return cli.Usage("-pipe takes no other flag: what to load is said over the pipe")
	case o.pipe:
		return nil
	case o.model == "":
		return cli.Usage("-model is missing; infer -h lists the flags")
	case o.method != "" && !slices.Contains(infer.Names(), o.method):
		return cli.NoneOf("method", o.method, infer.Names())
	case ties[o.ties] == nil:
		return cli.NoneOf("ties", o.ties, slices.Sorted(maps.Keys(ties)))
	case set["ties"] && o.onlyLearns():
		return cli.Usage("-ties has no meaning with -learn %s, which does not infer", o.loss)
	case set["epsilon"] && !positive(o.epsilon):
		return cli.Usage("-epsilon %v is not a finite number > 0", o.epsilon)
	case set["gap"] && !positive(o.gap):
		return cli.Usage("-gap %v is not a finite number > 0", o.gap)
	case o.maxGroundings < 0:
		return cli.Usage("-max-groundings %d is negative", o.maxGroundings)
	case o.top < 0:
		return cli.Usage("-top %d is negative", o.top)
	case (o.top > 0 || len(o.explain) > 0 || o.groundRules != "") && o.onlyLearns():
		return cli.Usage("-explain, -top and -groundrules have no meaning with -learn %s, which does not infer", o.loss)
	case len(o.integers) > 0 && o.onlyLearns():
		return cli.Usage("-integer has no meaning with -learn %s, which does not infer", o.loss)
	case o.timeout < 0:
		return cli.Usage("-timeout %v is negative", o.timeout)
	case o.weights != "" && (o.rules != "" || o.onlyLearns()):
		return cli.Usage("-weights brings the rules' weights with it; -rules and -learn have no meaning beside it")
	case splits[o.split] == nil:
		return cli.NoneOf("split", o.split, slices.Sorted(maps.Keys(splits)))
	case o.threads < 0:
		return cli.Usage("-threads %d is negative", o.threads)
	}
	switch model.Partition(o.partition) {
	case model.Infer, model.Learn, model.Validation:
	default:
		return cli.NoneOf("partition", o.partition, []string{string(model.Infer), string(model.Learn), string(model.Validation)})
	}
	if err := o.validateShortcuts(set); err != nil {
		return err
	}
	if err := o.validateThreshold(); err != nil {
		return err
	}
	if err := o.validateLearning(set); err != nil {
		return err
	}
	if o.data != "" {
		info, err := os.Stat(o.data)
		if err != nil {
			return &facts.Error{Err: fmt.Errorf("-data: %w", err)}
		}
		if !info.IsDir() {
			return &facts.Error{Err: fmt.Errorf("-data: %s is not a folder", o.data)}
		}
	}
	return nil
}

// validateLearning checks the flags of learning; set are the flags given.
func (o *options) validateLearning(set map[string]bool) error {
	if !o.onlyLearns() {
		if set["set"] {
			return cli.Usage("-set has a meaning only with -learn; -D sets an option of the model")
		}
		return nil
	}
	if !set["partition"] {
		o.partition = string(model.Learn)
	}
	if losses := config.CommonLosses(); !slices.Contains(losses, o.loss) {
		hint := cli.DidYouMean(strings.TrimSuffix(o.loss, "Loss"), "", append(model.Learners(), losses...))
		return cli.Usage("-learn: %q is none of %s, none, nor of the reference's %s%s", o.loss, strings.Join(losses, ", "), strings.Join(model.Learners(), ", "), hint)
	}
	return nil
}

// memoryLimit is the value of -max-memory, else the memory of the machine.
func (o *options) memoryLimit() watch.Size { return cmp.Or(o.maxMemory, watch.MachineMemory()) }
