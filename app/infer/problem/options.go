package problem

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
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/train/config"
)

// Options are the command line; zero values mean that the model or the default
// decides.
type Options struct {
	Model, data, method, out, Partition string
	// Ties is a key of the variable Ties.
	Ties                                string
	Epsilon, Gap                        float64
	threads                             int
	JSON, Check, Quiet, Verbose, Strict bool
	// Shortcuts asks for a count of the meanings of the concepts, and for nothing else.
	Shortcuts bool
	// Ablate asks for the evaluations without each rule and network.
	Ablate        bool
	maxGroundings int
	maxMemory     watch.Size
	Rules         string
	// Weights is the run folder of trained networks.
	Weights string
	// partitionSet and epsilonSet tell that the flags were given.
	partitionSet, EpsilonSet bool
	// set are the options of -D, explain the atoms to explain, top the number of
	// ground rules to show, groundRules the file for all of them.
	set, Explain []string
	// Integers are predicates whose values have to be 0 or 1, Timeout bounds the solve.
	Integers    []string
	Timeout     time.Duration
	Top         int
	GroundRules string
	// MPI is the MPI library, Split how several ranks divide the ground program.
	MPI, Split string
	// Pipe is the mode of package app/pipe.
	Pipe bool
	// Loss is the value of -learn, SettingsSet are those of -set.
	Loss        string
	SettingsSet []string
	// Threshold is a number, model.OnValidation or "".
	Threshold string
}

const (
	// DualEpsilon is the reference's ε, which its dual methods alone have.
	DualEpsilon = 0.01
	// SmallEpsilon does not show in six digits beside weights from a tenth on, and is solved as fast. See
	// smallEpsilon; below leastEpsilon, rounding would leave nothing beside weights of 1.
	SmallEpsilon = 1e-8
	epsilonShare = 1e7
	leastEpsilon = 1e-14
	// negligible is the share of the largest weight below which a weight is as good as none: an ε that is small
	// beside it would leave the solvers nothing to work with.
	negligible = 1e-12
)

// Parse reads the command line.
func Parse(args []string, usageTo io.Writer) (*Options, error) {
	o := new(Options)
	f := flag.NewFlagSet("infer", flag.ContinueOnError)
	f.StringVar(&o.Model, "model", "", "model `file`, JSON or YAML")
	f.StringVar(&o.Model, "config", "", "the same as -model")
	f.Func("D", "set an option of the model: `key=value`; may be repeated", func(s string) error {
		if name, _, ok := strings.Cut(s, "="); !ok || strings.TrimSpace(name) == "" {
			return errors.New("want key=value")
		}
		o.set = append(o.set, s)
		return nil
	})
	cli.Several(f, &o.Explain, "explain", "say why this `atom` has its value, such as 'Trusts(bob, ann)'; may be repeated")
	cli.Several(f, &o.Integers, "integer", "infer values 0 or 1, not between, for this `predicate`; may be repeated")
	f.DurationVar(&o.Timeout, "timeout", 0, "stop solving after this `time`, such as 30s, with the best values so far (default: no limit)")
	f.BoolVar(&o.Ablate, "ablate", false, "also evaluate without each rule and without each network, in one table")
	f.IntVar(&o.Top, "top", 0, "show this `number` of soft ground rules that cost most")
	f.StringVar(&o.GroundRules, "groundrules", "", "write all ground rules, with how far they are broken, to this `file`, as JSON Lines where its name ends in .jsonl")
	f.StringVar(&o.data, "data", "", "look for data files in this `folder` (default: where the model says)")
	f.StringVar(&o.method, "method", "", "inference method: "+strings.Join(infer.Names(), ", ")+" (default: the model's, else auto)")
	f.Float64Var(&o.Epsilon, "epsilon", 0, "regularisation ε > 0 (default: the model's; else 0.01 for learning, bcd and the dual methods of the reference, 1e-3 for subgradient; for inference 1e-8, or 1e-7 of the smallest weight if that is less)")
	f.StringVar(&o.Ties, "ties", tiesNorm, "of many optima take the one nearest to 0 (norm), to ½ (centre), or to the mean of what is observed of each predicate (prior): "+strings.Join(slices.Sorted(maps.Keys(Ties)), ", "))
	f.Float64Var(&o.Gap, "gap", 0, "duality gap at which a component is done (default: as small as the method can)")
	f.StringVar(&o.out, "out", "", "write the atoms to this `place`: a folder for PREDICATE.txt (or .csv) files, FILE.csv, FILE.jsonl, FILE.parquet, or ADDRESS#TABLE of a database (default: the folder of the model, else they are printed)")
	f.StringVar(&o.out, "output", "", "the same as -out")
	f.StringVar(&o.Partition, "partition", string(model.Infer), "data of the model: infer, learn or validation (default with -learn: learn)")
	f.StringVar(&o.Rules, "rules", "", "take the rules, with their weights as they are, from this `file` instead of the model's")
	f.StringVar(&o.Weights, "weights", "", "take networks and rule weights from this run `folder` of cmd/train -model")
	f.IntVar(&o.threads, "threads", 0, "number of threads (default: the model's, else all cores)")
	f.IntVar(&o.maxGroundings, "max-groundings", 0, "stop when a rule has more ground rules than this `number` (default: no limit)")
	f.Func("max-memory", "stop when more memory than this `size` is in use, such as 2GiB (default: what the machine has)", func(s string) (err error) {
		o.maxMemory, err = watch.ParseSize(s)
		return err
	})
	f.BoolVar(&o.JSON, "json", false, "print one JSON object instead of the summary")
	f.BoolVar(&o.Check, "check", false, "re-check the solution outside the solver; exit 5 if it is not an optimum")
	f.BoolVar(&o.Verbose, "v", false, "say what method auto has begun with, and what it was predicted to take")
	f.BoolVar(&o.Quiet, "quiet", false, "no progress, and only warnings about what may change the answer")
	f.BoolVar(&o.Strict, "strict", false, "warnings about model and data are errors: exit 2, or 3 if all are about data; -check is about the answer")
	f.BoolVar(&o.Shortcuts, "shortcuts", false, "count what the concepts of the networks could mean, given rules and labels, and exit (docs/SHORTCUTS.md); with -strict more than the truth is an error, exit 3")
	f.StringVar(&o.MPI, "mpi", "", "MPI library `file`, where several ranks were started (default: the one that fits the launcher)")
	f.StringVar(&o.Split, "split", "graph", "how several ranks divide the constants: "+strings.Join(slices.Sorted(maps.Keys(Splits)), ", "))
	f.BoolVar(&o.Pipe, "pipe", false, "answer V(w, g) and its gradients over standard input and output, for programs with a network of their own (go doc hinge/app/pipe)")
	f.StringVar(&o.Loss, "learn", "", "learn the rules' weights by this `loss`, and do no more: "+strings.Join(config.CommonLosses(), ", ")+
		"; none: infer with the weights as written, also where the model asks for learning; by a name of the reference (--learn NAME), with the settings of the model: "+
		strings.Join(model.Learners(), ", "))
	f.StringVar(&o.Threshold, "threshold", "", "evaluate DiscreteEvaluators with values from this `number` on as true, or with the best threshold of the partition validation: validation; with -learn it is kept in the rule file (default: the kept one, else the evaluator's)")
	cli.Several(f, &o.SettingsSet, "set", "with -learn, any setting `KEY=VALUE` that cmd/train -settings lists, such as symbolic.mirror-step=0.1; repeat it for more")
	args, o.set = ReferenceFlags(args)
	set, err := cli.Parse(f, args, "infer -model FILE [flags]", usageTo)
	if err != nil {
		return nil, err
	}
	return o, o.validate(set)
}

// validate finds values that make no sense.
func (o *Options) validate(set map[string]bool) error {
	o.partitionSet, o.EpsilonSet = set["partition"], set["epsilon"]
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	switch {
	case o.Pipe && (len(set) > 1 || len(o.set) > 0):
		return cli.Usage("-pipe takes no other flag: what to load is said over the pipe")
	case o.Pipe:
		return nil
	case o.Model == "":
		return cli.Usage("-model is missing; infer -h lists the flags")
	case o.method != "" && !slices.Contains(infer.Names(), o.method):
		return cli.NoneOf("method", o.method, infer.Names())
	case Ties[o.Ties] == nil:
		return cli.NoneOf("ties", o.Ties, slices.Sorted(maps.Keys(Ties)))
	case set["ties"] && o.OnlyLearns():
		return cli.Usage("-ties has no meaning with -learn %s, which does not infer", o.Loss)
	case set["epsilon"] && !positive(o.Epsilon):
		return cli.Usage("-epsilon %v is not a finite number > 0", o.Epsilon)
	case set["gap"] && !positive(o.Gap):
		return cli.Usage("-gap %v is not a finite number > 0", o.Gap)
	case o.maxGroundings < 0:
		return cli.Usage("-max-groundings %d is negative", o.maxGroundings)
	case o.Top < 0:
		return cli.Usage("-top %d is negative", o.Top)
	case o.Ablate && (o.OnlyLearns() || len(o.Integers) > 0):
		return cli.Usage("-ablate compares evaluations of inferred values in [0, 1]; leave -learn and -integer out")
	case (o.Top > 0 || len(o.Explain) > 0 || o.GroundRules != "") && o.OnlyLearns():
		return cli.Usage("-explain, -top and -groundrules have no meaning with -learn %s, which does not infer", o.Loss)
	case len(o.Integers) > 0 && o.OnlyLearns():
		return cli.Usage("-integer has no meaning with -learn %s, which does not infer", o.Loss)
	case o.Timeout < 0:
		return cli.Usage("-timeout %v is negative", o.Timeout)
	case o.Weights != "" && (o.Rules != "" || o.OnlyLearns()):
		return cli.Usage("-weights brings the rules' weights with it; -rules and -learn have no meaning beside it")
	case Splits[o.Split] == nil:
		return cli.NoneOf("split", o.Split, slices.Sorted(maps.Keys(Splits)))
	case o.threads < 0:
		return cli.Usage("-threads %d is negative", o.threads)
	}
	switch model.Partition(o.Partition) {
	case model.Infer, model.Learn, model.Validation:
	default:
		return cli.NoneOf("partition", o.Partition, []string{string(model.Infer), string(model.Learn), string(model.Validation)})
	}
	if err := cli.Beside(o.Shortcuts, set, "-shortcuts counts from rules and labels, and infers nothing; leave -%s out",
		"model", "config", "shortcuts", "timeout", "quiet", "strict", "max-memory", "json"); err != nil {
		return err
	}
	if _, err := model.ParseThreshold(o.Threshold); err != nil {
		return cli.Usage("-threshold: %v", err)
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
			return &facts.Error{Err: fmt.Errorf("-data: %s is not a folder; the model file names the data files", o.data)}
		}
	}
	return nil
}

// validateLearning checks the flags of learning; set are the flags given.
func (o *Options) validateLearning(set map[string]bool) error {
	if !o.OnlyLearns() {
		if set["set"] {
			return cli.Usage("-set has a meaning only with -learn; -D sets an option of the model")
		}
		return nil
	}
	if !set["partition"] {
		o.Partition = string(model.Learn)
	}
	if losses := config.CommonLosses(); !slices.Contains(losses, o.Loss) {
		hint := cli.DidYouMean(strings.TrimSuffix(o.Loss, "Loss"), "", append(model.Learners(), losses...))
		return cli.Usage("-learn: %q is none of %s, none, nor of the reference's %s%s", o.Loss, strings.Join(losses, ", "), strings.Join(model.Learners(), ", "), hint)
	}
	return nil
}

// MemoryLimit is the value of -max-memory, else the memory of the machine.
func (o *Options) MemoryLimit() watch.Size { return cmp.Or(o.maxMemory, watch.MachineMemory()) }

// learnNone is the value of -learn that keeps the weights as written.
const learnNone = "none"

// OnlyLearns reports whether -learn asks for weights and no inference.
func (o *Options) OnlyLearns() bool { return o.Loss != "" && o.Loss != learnNone }

// LearnsFirst reports whether the model is learned before it is inferred: runtime.learn or
// --learn asks for it, there are no networks (cmd/train learns those), and no flag names a
// partition, rules or a loss.
func (o *Options) LearnsFirst(m *model.Model) bool {
	return m.Options.Learn != nil && *m.Options.Learn && o.Loss == "" && o.Rules == "" && m.Data.DeepAtoms() == 0 && m.Partition == model.Infer && !o.partitionSet
}

// Splits are the values of -split.
var Splits = map[string]func(*ground.Database, int) *ground.Split{
	"graph": ground.SplitGraph, "blocks": ground.SplitBlocks, "hash": ground.SplitHash,
}

// ForRanks finds flags that several ranks do not know.
func (o *Options) ForRanks() error {
	for _, f := range []struct {
		given bool
		what  string
	}{
		{o.OnlyLearns(), "-learn"}, {o.Shortcuts, "-shortcuts"}, {o.Ablate, "-ablate"}, {o.Threshold == model.OnValidation, "-threshold " + model.OnValidation}, {o.Weights != "", "-weights"}, {o.Ties != tiesNorm, "-ties " + o.Ties}, {len(o.Explain) > 0, "-explain"},
		{o.Top > 0, "-top"}, {o.GroundRules != "", "-groundrules"}, {len(o.Integers) > 0, "-integer"},
		{o.method != "" && !IsExact(o.method), "-method " + o.method},
	} {
		if f.given {
			return cli.Usage("%s is for one process; start it without mpirun", f.what)
		}
	}
	return nil
}

// tiesNorm is the value of -ties that does not change an instance.
const tiesNorm = "norm"

// Ties are the values of -ties. Where many points are optimal, ε decides for the one that
// is nearest to a point; these choose the point.
var Ties = map[string]func(*lcqp.Instance, *ground.Database) error{
	tiesNorm: func(*lcqp.Instance, *ground.Database) error { return nil },
	"centre": func(in *lcqp.Instance, _ *ground.Database) error {
		return in.SetTies(slices.Repeat([]float64{0.5}, in.Targets))
	},
	"prior": func(in *lcqp.Instance, db *ground.Database) error { return in.SetTies(db.Priors(0.5)) },
}

// ReferenceFlags takes the reference's --infer [METHOD] and --learn [METHOD] out of the
// arguments and turns them into options of the model. If one of them is given, the other phase
// is skipped unless it is given too. A METHOD is a class of the reference. -learn LOSS is
// another flag.
func ReferenceFlags(args []string) (rest, set []string) {
	does := map[string]bool{}
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		key := map[string]string{"infer": "runtime.inference", "learn": "runtime.learn"}[name]
		if key == "" || !strings.HasPrefix(args[i], "-") {
			rest = append(rest, args[i])
			continue
		}
		next := !given && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-")
		if next {
			value = args[i+1]
		}
		if name == "learn" && (given || next) && !model.IsLearner(value) {
			rest = append(rest, args[i])
			continue
		}
		if next {
			i++
		}
		does[key] = true
		if value != "" {
			set = append(set, key+".method="+value)
		}
	}
	if len(does) > 0 {
		for _, key := range []string{"runtime.learn", "runtime.inference"} {
			truth := map[bool]string{true: "=true", false: "=false"}[does[key]]
			set = slices.Insert(set, 0, key+truth)
		}
	}
	return rest, set
}
