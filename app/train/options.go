package train

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"hinge/app/cli"
	"hinge/app/report"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/modelfile"
)

// options are the resolved command line.
type options struct {
	task   learning.Task
	config config.Config
	dir    string
	data   string
	log    string
	quiet  bool
	resume resume
	eval   bool
	mpi    string // library
	// export is the file the tested weights go to, exported the files they went to, predict the files to apply them
	// to, json the form of the answers.
	export   string
	exported []string
	predict  []string
	json     bool
	// report is a folder to make a page of, every the steps between two of them in a
	// run, pages how they are made.
	report string
	every  int
	pages  report.Options
	// look is the number of steps between looks at the validation data; progress a file for
	// the status, profile a file for where the processor's time goes.
	look     int
	progress string
	profile  string
	// unread is a file of settings beside the model, where no file of settings is read.
	unread string
	// settings lists the settings.
	settings bool
	// shortcuts counts the meanings of the concepts instead of training; with strict it is an
	// error that labels leave several.
	shortcuts, strict bool
	// recommend prints the settings that the task chooses by its data.
	recommend bool
	// try checks the model on one batch instead of training.
	try bool
}

// change is one setting that the command line makes.
type change struct {
	key   string
	value any
}

// parse resolves defaults, configuration file and flags, in this order.
func parse(tasks []learning.Task, args []string, usageTo io.Writer) (*options, error) {
	o := &options{pages: reporter(tasks)}
	var file string
	var changes []change
	f := flag.NewFlagSet(program(), flag.ContinueOnError)
	flags := flagged(tasks)
	for i := range flags {
		define(f, &flags[i], tasks)
	}
	f.StringVar(&file, "config", "", "TOML `file` with settings; flags beat it")
	f.Func("set", "any `KEY=VALUE` of a file, such as neural.dropout=0.2; repeat it for more", func(text string) error {
		c, err := newChange(text)
		changes = append(changes, c)
		return err
	})
	f.BoolVar(&o.settings, "settings", false, "list what -set and a file can set, with the values that the run would have, and exit")
	f.BoolVar(&o.shortcuts, "shortcuts", false, "count what the concepts of the networks could mean, given rules and labels, and exit (docs/SHORTCUTS.md)")
	f.BoolVar(&o.recommend, "recommend", false, "print the settings that a run of a model file without settings takes, with the reasons and the expected seconds, as a file for -config, and exit")
	f.BoolVar(&o.try, "check-training", false, "check data, gradients and whether one batch can be learned, and exit; code 5 if something is wrong")
	f.BoolVar(&o.strict, "strict", false, "do not train where there is a warning about rules or data, or where labels leave several meanings of a concept: exit 3 (docs/SHORTCUTS.md)")
	f.StringVar(&o.dir, "out", "", "run `folder` (default checkpoints/<task or model>-<loss>-<size>-split<K>)")
	f.StringVar(&o.data, "data", os.Getenv("HINGE_DATA"), "data root `folder` (also HINGE_DATA)")
	f.StringVar(&o.log, "log", "text", "form of the log: text or json")
	f.BoolVar(&o.quiet, "quiet", false, "no progress, and no count of what the concepts could mean unless -strict is given")
	f.Var(&o.resume, "resume", "go on from the newest good checkpoint in the run folder; -resume=auto starts anew where there is none")
	f.StringVar(&o.mpi, "mpi", "", "MPI library, a `file`, of a program started by mpirun (default: that of the launcher)")
	f.BoolVar(&o.eval, "eval", false, "evaluate the run folder's tested weights, the best on validation or, by training.last-weights, the last, and exit")
	f.StringVar(&o.export, "export", "", "also write the tested weights to `file`: .safetensors, .onnx for the network (of several, a file each), or .psl for the rules of a model file; at the end, or with -eval")
	cli.Several(f, &o.predict, "predict", "apply the run folder's tested weights to files of your own and exit: `path` of a file or folder, for tasks on images a PNG, JPEG, GIF or IDX file, for a model file PREDICATE=PATH with features for its network, or with rows of an observed predicate as new examples; repeat it for more")
	f.BoolVar(&o.json, "json", false, "print what -predict says as one JSON object")
	f.StringVar(&o.report, "report", "", "make the page "+report.File+" of a run `folder`, also of an earlier version, and exit")
	f.IntVar(&o.every, "report-every", 0, "steps between two writings of "+report.File+" while the run goes on (default: after validations, as long as it takes little time)")
	f.IntVar(&o.look, "look-every", 0, "steps between further validations, which only show how the run goes and choose nothing; 0 for none")
	f.StringVar(&o.progress, "progress-file", "", "keep how far the run has come in `file`, as one JSON object; SIGUSR1 prints it")
	f.StringVar(&o.profile, "cpuprofile", "", "write to `file` what the processor's time goes to, for go tool pprof")
	set, err := cli.Parse(f, args, program()+" -task TASK [flags]", usageTo)
	if err != nil {
		return nil, err
	}
	if o.log != "text" && o.log != "json" {
		return nil, &config.UsageError{Key: "-log", Problem: fmt.Sprintf("%q is none of text, json", o.log)}
	}
	if set["data"] {
		o.pages.Data = o.data
	}
	if err := checkUse(set); err != nil || o.report != "" {
		return o, err
	}
	if err := cli.Folder(o.dir, "-export writes a file of the network or the rules"); err != nil {
		return nil, err
	}
	if o.every < 0 {
		return nil, &config.UsageError{Key: "-report-every", Problem: fmt.Sprintf("%d is negative", o.every)}
	}
	if o.look < 0 {
		return nil, &config.UsageError{Key: "-look-every", Problem: fmt.Sprintf("%d is negative", o.look)}
	}
	for _, s := range flags {
		if set[s.Flag] {
			changes = append(changes, change{s.Key, f.Lookup(s.Flag).Value.(flag.Getter).Get()})
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
	return change{strings.TrimSpace(key), config.Literal(value)}, nil
}

// checkUse refuses flags that mean nothing together.
func checkUse(set map[string]bool) error {
	if set["report"] && len(set) > 1 {
		return cli.Usage("-report takes everything from the run folder; leave the other flags out")
	}
	if err := cli.Beside(set["recommend"], set, "-recommend chooses the settings by the model and its data; leave -%s out", "recommend", "model", "task", "data"); err != nil {
		return err
	}
	if set["json"] && !set["predict"] {
		return cli.Usage("-json is for -predict; leave it out")
	}
	if set["shortcuts"] && (set["predict"] || set["eval"] || set["resume"] || set["export"]) {
		return cli.Usage("-shortcuts counts and does not train; leave -predict, -eval, -resume and -export out")
	}
	for _, c := range []struct {
		given   bool
		others  []string
		problem string
	}{
		{set["check-training"], []string{"predict", "eval", "resume", "export", "settings", "shortcuts", "strict", "progress-file"}, "-check-training tries one batch and writes nothing; leave -%s out"},
		{set["predict"] || set["eval"], []string{"strict", "report-every", "look-every", "progress-file"}, "-%s is for training; leave it out"},
		{set["cpuprofile"], []string{"predict", "settings", "shortcuts", "check-training"}, "-cpuprofile is for training and -eval; leave it out of -%s"},
		{set["predict"], []string{"eval", "resume", "export"}, "-predict and -%s are two commands; leave one of them out"},
	} {
		if at := slices.IndexFunc(c.others, func(other string) bool { return set[other] }); c.given && at >= 0 {
			return cli.Usage(c.problem, c.others[at])
		}
	}
	return nil
}

// resolve builds the configuration. A run that resumes starts from the
// configuration in its folder.
func (o *options) resolve(tasks []learning.Task, changes []change, set map[string]bool, file string) error {
	if o.resume == resumeAuto && o.dir != "" {
		o.resume = resumeIf(train.Begun(o.dir))
	}
	own := false
	if file == "" && (o.resume == resumeYes || o.eval || o.predict != nil) && o.dir != "" {
		folder := filepath.Join(o.dir, "config.toml")
		_, err := os.Stat(folder)
		switch {
		case !errors.Is(err, fs.ErrNotExist):
			file, own = folder, true
		case !set["task"]:
			return &config.UsageError{Key: "out", Problem: o.dir + " holds no run (there is no config.toml)"}
		}
	}
	overlay := func(c *config.Config) error {
		if file != "" {
			if err := c.LoadFile(file); err != nil {
				return err
			}
		}
		for _, s := range changes {
			if own && s.key == "task" && c.Task != "" && c.Task != s.value {
				return config.Usage("task", "%s holds a run of %s, not of %v; leave -task out, or name its own folder with -out", o.dir, c.Task, s.value)
			}
			if err := s.apply(c, tasks); err != nil {
				return err
			}
		}
		return nil
	}
	// File and flags may set the task, the loss, the recipe and the sizes, which decide the
	// defaults. So they are read three times: for the task, for the form and content of its
	// section, and over the defaults.
	choice := config.Config{Recipe: "best", System: "neupsl"}
	if err := overlay(&choice); err != nil {
		return err
	}
	choice.Task = cmp.Or(choice.Task, flaggedTask(tasks, set))
	if o.settings && choice.Task == "" && len(tasks) > 1 {
		o.config = config.Defaults(config.Config{})
		return nil
	}
	told := choice.Training
	var err error
	if o.task, err = learning.Find(tasks, choice.Task); err != nil {
		return err
	}
	if files, ok := o.task.(modelfile.Task); ok {
		files.Data = o.data
		o.task = files
	}
	choice.Task = cmp.Or(choice.Task, o.task.Names()[0])
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
	if own { // the file of a run is complete, and earlier versions left out zeros
		o.config = config.Config{}
		if choice.Options != nil {
			o.config.Options = reflect.New(reflect.TypeOf(choice.Options).Elem()).Interface()
		}
	}
	if err := overlay(&o.config); err != nil {
		return err
	}
	c := &o.config
	c.Training.Budget(told)
	if err := checkChosen(c, tasks, changes, file); err != nil {
		return err
	}
	if err := c.Validate(); err != nil {
		return err
	}
	o.dir = cmp.Or(o.dir, defaultDir(c))
	if file == "" {
		o.unread = settingsBeside(changes)
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

// defaultDir names the run folder of a configuration.
func defaultDir(c *config.Config) string {
	name := []string{c.Task, c.Loss}
	own := c.Uses()
	if own.Name != "" {
		name[0] = own.Name
	}
	if !c.NeuPSL() {
		name[1] = c.System
	}
	if own.Size > 0 {
		name = append(name, fmt.Sprint(own.Size))
	}
	name = append(name, fmt.Sprintf("split%d", c.Split))
	return filepath.Join("checkpoints", strings.Join(name, "-"))
}
