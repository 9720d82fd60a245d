package train

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"hinge/app/cli"
	"hinge/app/report"
	"hinge/symbolic/infer"
	"hinge/train"
)

// options are the resolved command line.
type options struct {
	task   train.Task
	config train.Config
	dir    string
	data   string
	log    string
	quiet  bool
	resume resume
	eval   bool
	mpi    string // library
	// export is the file the tested weights go to, predict the files to apply them
	// to, json the form of the answers.
	export  string
	predict []string
	json    bool
	// report is a folder to make a page of, every the steps between two of them in a
	// run, pages how they are made.
	report string
	every  int
	pages  report.Options
	// look is the number of steps between looks at the validation data, negative for the
	// usual; progress a file for the status, events whether TensorBoard gets some.
	look     int
	progress string
	events   bool
}

// settings are the flags that set a key of the configuration.
func settings(tasks []train.Task) []train.Flag {
	var names []string
	var own []train.Flag
	for _, t := range tasks {
		names = append(names, t.Names()...)
		if f, ok := t.(train.Flagger); ok {
			own = append(own, f.Flags()...)
		}
	}
	return append(own, []train.Flag{
		{Name: "task", Key: "task", Default: "", Usage: "what to learn: " + strings.Join(names, ", ")},
		{Name: "loss", Key: "loss", Default: "", Usage: "loss: " + strings.Join(train.CommonLosses(), ", ") + ", through the solver, or one of the task's own (default: the task's)"},
		{Name: "system", Key: "system", Default: "", Usage: "system that learns: neupsl, or one that the task is compared with (default neupsl)"},
		{Name: "recipe", Key: "recipe", Default: "", Usage: "settings: best (ours) or paper (as the paper's experiments) (default best)"},
		{Name: "solver", Key: "symbolic.solver", Default: "", Usage: "inference method: " + strings.Join(infer.Names(), ", ") + " (default: the task's)"},
		{Name: "pretrain", Key: "neural.pretrain", Default: "", Usage: "pre-training of the network: " + strings.Join(train.Pretrainers, ", ") + " (default: the recipe's)"},
		{Name: "split", Key: "split", Default: 0, Usage: "data split, from 0; each task says how many it has"},
		{Name: "seed", Key: "seed", Default: uint64(0), Usage: "seed of everything random but the split"},
		{Name: "rules", Key: "rules", Default: "", Usage: "rule `file` instead of the task's own"},
		{Name: "steps", Key: "training.steps", Default: 0, Usage: "budget in gradient steps (default: the recipe's)"},
		{Name: "epochs", Key: "training.epochs", Default: 0, Usage: "budget in epochs (default: the recipe's)"},
		{Name: "batch", Key: "training.batch", Default: 0, Usage: "examples of a step (default: the recipe's); of a model file components of its program, and 1 is all of them"},
		{Name: "valid-every", Key: "training.valid-every", Default: 0, Usage: "steps between validations (default: the recipe's)"},
		{Name: "shards", Key: "training.shards", Default: 0, Usage: "parts of a batch, each a pass of its own, that ranks can share (default: as many as ranks)"},
		{Name: "sync-batch-norm", Key: "neural.sync-batch-norm", Default: false, Usage: "batch statistics over all shards of a batch together (default: by shard)"},
		{Name: "checkpoint-every", Key: "training.checkpoint-every", Default: 0, Usage: "steps between checkpoints (default: one a minute; two stay, of a finished run the newest, which has the last and the best weights; checkpoints/README.md says what else)"},
		{Name: "freeze-rules", Key: "symbolic.freeze-rules", Default: false, Usage: "leave the rule weights as they start (default: the recipe's)"},
		{Name: "check", Key: "symbolic.check", Default: false, Usage: "re-check every solve outside the solver"},
	}...)
}

// define defines the flag of a setting.
func define(f *flag.FlagSet, s train.Flag) {
	switch v := s.Default.(type) {
	case string:
		f.String(s.Name, v, s.Usage)
	case int:
		f.Int(s.Name, v, s.Usage)
	case uint64:
		f.Uint64(s.Name, v, s.Usage)
	case float64:
		f.Float64(s.Name, v, s.Usage)
	case bool:
		f.Bool(s.Name, v, s.Usage)
	default:
		panic(fmt.Sprintf("command: flag -%s is a %T, want a string, int, uint64, float64 or bool", s.Name, v))
	}
}

// change is one setting that the command line makes.
type change struct {
	key   string
	value any
}

// parse resolves defaults, configuration file and flags, in this order.
func parse(tasks []train.Task, args []string, usageTo io.Writer) (*options, error) {
	o := &options{pages: reporter(tasks)}
	var file string
	var changes []change
	f := flag.NewFlagSet(program(), flag.ContinueOnError)
	flags := settings(tasks)
	for _, s := range flags {
		define(f, s)
	}
	f.StringVar(&file, "config", "", "TOML `file` with settings; flags beat it")
	f.Func("set", "any `KEY=VALUE` of a file, such as neural.dropout=0.2; repeat it for more", func(text string) error {
		c, err := newChange(text)
		changes = append(changes, c)
		return err
	})
	f.StringVar(&o.dir, "out", "", "run `folder` (default checkpoints/<task or model>-<loss>-<size>-split<K>)")
	f.StringVar(&o.data, "data", os.Getenv("HINGE_DATA"), "data root `folder` (also HINGE_DATA)")
	f.StringVar(&o.log, "log", "text", "form of the log: text or json")
	f.BoolVar(&o.quiet, "quiet", false, "no progress")
	f.Var(&o.resume, "resume", "go on from the newest good checkpoint in the run folder; -resume=auto starts anew where there is none")
	f.StringVar(&o.mpi, "mpi", "", "MPI library, a `file`, of a program started by mpirun (default: that of the launcher)")
	f.BoolVar(&o.eval, "eval", false, "evaluate the run folder's best weights and exit")
	f.StringVar(&o.export, "export", "", "also write the tested weights to `file`: .safetensors, or .onnx for the network; at the end, or with -eval")
	f.Func("predict", "apply the run folder's best weights to files of your own and exit: `path` of a file or folder, for tasks on images a PNG, JPEG, GIF or IDX file; repeat it for more", func(path string) error {
		o.predict = append(o.predict, path)
		return nil
	})
	f.BoolVar(&o.json, "json", false, "print what -predict says as one JSON object")
	f.StringVar(&o.report, "report", "", "make the page "+report.File+" of a run `folder`, also of an earlier version, and exit")
	f.IntVar(&o.every, "report-every", 0, "steps between two writings of "+report.File+" while the run goes on (default: after validations, as long as it takes little time)")
	f.IntVar(&o.look, "look-every", -1, "steps between further validations, which only show how the run goes and choose nothing; 0 for none (default: half of valid-every where the last weights are tested, else none)")
	f.StringVar(&o.progress, "progress-file", "", "keep how far the run has come in `file`, as one JSON object; SIGUSR1 prints it")
	f.BoolVar(&o.events, "tensorboard", false, "also write an event file of TensorBoard to the run folder")
	set, err := cli.Parse(f, args, program()+" -task TASK [flags]", usageTo)
	if err != nil {
		return nil, err
	}
	if o.log != "text" && o.log != "json" {
		return nil, &train.UsageError{Key: "-log", Problem: fmt.Sprintf("%q is none of text, json", o.log)}
	}
	if set["data"] {
		o.pages.Data = o.data
	}
	if err := checkUse(set); err != nil || o.report != "" {
		return o, err
	}
	if o.every < 0 {
		return nil, &train.UsageError{Key: "-report-every", Problem: fmt.Sprintf("%d is negative", o.every)}
	}
	if set["look-every"] && o.look < 0 {
		return nil, &train.UsageError{Key: "-look-every", Problem: fmt.Sprintf("%d is negative", o.look)}
	}
	for _, s := range flags {
		if set[s.Name] {
			changes = append(changes, change{s.Key, f.Lookup(s.Name).Value.(flag.Getter).Get()})
		}
	}
	return o, o.resolve(tasks, changes, set, file)
}

// newChange reads KEY=VALUE.
func newChange(text string) (change, error) {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return change{}, errors.New("want KEY=VALUE")
	}
	return change{strings.TrimSpace(key), literal(value)}, nil
}

// literal is a value as TOML writes it, or else the text itself.
func literal(text string) any {
	var v struct{ X any }
	if toml.Unmarshal([]byte("X = "+text), &v) != nil {
		return text
	}
	return v.X
}

// checkUse refuses flags that mean nothing beside each other.
func checkUse(set map[string]bool) error {
	if set["report"] && len(set) > 1 {
		return cli.Usage("-report takes everything from the run folder; leave the other flags out")
	}
	if set["json"] && !set["predict"] {
		return cli.Usage("-json is for -predict; leave it out")
	}
	for _, only := range []string{"report-every", "look-every", "progress-file", "tensorboard"} {
		if set[only] && (set["predict"] || set["eval"]) {
			return cli.Usage("-%s is for training; leave it out", only)
		}
	}
	for _, other := range []string{"eval", "resume", "export"} {
		if set["predict"] && set[other] {
			return cli.Usage("-predict and -%s are two commands; leave one of them out", other)
		}
	}
	return nil
}

// resolve builds the configuration. A run that resumes starts from the
// configuration in its folder.
func (o *options) resolve(tasks []train.Task, changes []change, set map[string]bool, file string) error {
	if o.resume == resumeAuto && o.dir != "" {
		o.resume = resumeIf(train.Begun(o.dir))
	}
	if file == "" && (o.resume == resumeYes || o.eval || o.predict != nil) && o.dir != "" {
		own := filepath.Join(o.dir, "config.toml")
		_, err := os.Stat(own)
		switch {
		case !errors.Is(err, fs.ErrNotExist):
			file = own
		case !set["task"]:
			return &train.UsageError{Key: "out", Problem: o.dir + " holds no run (there is no config.toml)"}
		}
	}
	overlay := func(c *train.Config) error {
		if file != "" {
			if err := c.LoadFile(file); err != nil {
				return err
			}
		}
		for _, s := range changes {
			if err := c.Set(s.key, s.value); err != nil {
				return err
			}
		}
		return nil
	}
	// File and flags may name the task, the loss, the recipe and the sizes, which
	// decide the defaults: read them for the task, for the form of its section and
	// what is in it, and over the defaults.
	choice := train.Config{Recipe: "best", System: "neupsl"}
	if err := overlay(&choice); err != nil {
		return err
	}
	if choice.Task == "" {
		choice.Task = flagged(tasks, set)
	}
	var err error
	if o.task, err = train.Find(tasks, choice.Task); err != nil {
		return err
	}
	if choice.Task == "" {
		choice.Task = o.task.Names()[0]
	}
	choice.Options = nil
	if o.config, err = o.task.Defaults(choice); err != nil {
		return err
	}
	if choice.Options = o.config.Options; choice.Options != nil {
		if err := overlay(&choice); err != nil {
			return err
		}
		if o.config, err = o.task.Defaults(choice); err != nil {
			return err
		}
	}
	if err := overlay(&o.config); err != nil {
		return err
	}
	c := &o.config
	if err := c.Validate(); err != nil {
		return err
	}
	if !c.NeuPSL() {
		for _, name := range []string{"loss", "rules", "solver", "check", "freeze-rules"} {
			if set[name] {
				return &train.UsageError{Key: name, Problem: fmt.Sprintf("is for neupsl; %s has a loss of its own and no rules, leave it out", c.System)}
			}
		}
	}
	if o.dir == "" {
		o.dir = defaultDir(c)
	}
	if o.resume == resumeAuto {
		o.resume = resumeIf(train.Begun(o.dir))
	}
	return nil
}

// resume is the value of -resume.
type resume string

const (
	resumeNo   resume = "false"
	resumeYes  resume = "true"
	resumeAuto resume = "auto"
)

func resumeIf(there bool) resume {
	if there {
		return resumeYes
	}
	return resumeNo
}

// String, Set and IsBoolFlag implement flag.Value: -resume alone means true.
func (r *resume) String() string   { return string(*r) }
func (r *resume) IsBoolFlag() bool { return true }

func (r *resume) Set(text string) error {
	if text == string(resumeAuto) {
		*r = resumeAuto
		return nil
	}
	yes, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("want true, false or auto")
	}
	*r = resumeIf(yes)
	return nil
}

// flagged is the name of the task whose own flag was given, "" where none was or the
// task goes by several names.
func flagged(tasks []train.Task, set map[string]bool) string {
	for _, t := range tasks {
		if f, ok := t.(train.Flagger); ok && len(t.Names()) == 1 {
			for _, s := range f.Flags() {
				if set[s.Name] {
					return t.Names()[0]
				}
			}
		}
	}
	return ""
}

// defaultDir names the run folder of a configuration.
func defaultDir(c *train.Config) string {
	name := []string{c.Task, c.Loss}
	if own, ok := c.Options.(train.Namer); ok {
		name[0] = own.Name()
	}
	if !c.NeuPSL() {
		name[1] = c.System
	}
	if own, ok := c.Options.(train.Sizer); ok {
		name = append(name, fmt.Sprint(own.Size()))
	}
	name = append(name, fmt.Sprintf("split%d", c.Split))
	return filepath.Join("checkpoints", strings.Join(name, "-"))
}
