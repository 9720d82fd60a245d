package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hinge/internal/cli"
	"hinge/symbolic/infer"
	"hinge/train"
	"hinge/train/tasks"
)

// options are the resolved command line.
type options struct {
	config train.Config
	dir    string
	data   string
	log    string
	quiet  bool
	resume bool
	eval   bool
	// export is the file the tested weights go to, predict the images to answer,
	// json the form of the answers.
	export  string
	predict []string
	json    bool
}

// parse resolves defaults, configuration file and flags, in this order.
func parse(args []string, usageTo io.Writer) (*options, error) {
	o := new(options)
	var c train.Config // what flags said; only flags in set count
	var file string
	f := flag.NewFlagSet("train", flag.ContinueOnError)
	f.StringVar(&c.Task, "task", "", "what to learn: "+strings.Join(tasks.Names(), ", ")+", or mnist-addN for longer numbers")
	f.StringVar(&c.Loss, "loss", "", "loss: "+strings.Join(train.Losses, ", ")+", through the solver; for additions also "+train.ChainLoss+
		" (default energy; chain for numbers of more than two digits)")
	f.StringVar(&c.System, "system", "neupsl", "system that learns: "+strings.Join(train.Systems, ", "))
	f.StringVar(&c.Recipe, "recipe", "best", "settings: best (ours) or paper (as the paper's experiments)")
	f.StringVar(&c.Symbolic.Solver, "solver", "auto", "inference method: "+strings.Join(infer.Names(), ", ")+"; the default of citation tasks is primal")
	f.StringVar(&c.Neural.Pretrain, "pretrain", "", "pre-training of the backbone: "+strings.Join(train.Pretrainers, ", ")+" (default: the recipe's)")
	f.IntVar(&c.Additions, "additions", 0, "training additions (default 300 for mnist-add1, 150 for mnist-add2)")
	f.IntVar(&c.Split, "split", 0, "data split, 0 to 9; more for citation tasks")
	labels := f.String("labels", "", "labels that the test of a citation task may use: "+train.TrainLabels+", "+train.TrainValidLabels+" (default: the recipe's, "+train.TrainLabels+" for best)")
	f.Uint64Var(&c.Seed, "seed", 0, "seed of everything random but the split")
	f.StringVar(&c.Rules, "rules", "", "rule `file` instead of the task's own")
	f.IntVar(&c.Training.Steps, "steps", 0, "budget in gradient steps (default: the recipe's)")
	f.IntVar(&c.Training.Epochs, "epochs", 0, "budget in epochs (default: the recipe's)")
	f.IntVar(&c.Training.ValidEvery, "valid-every", 0, "steps between validations (default: the recipe's)")
	f.IntVar(&c.Training.CheckpointEvery, "checkpoint-every", 0, "steps between checkpoints (default: one a minute)")
	f.BoolVar(&c.Symbolic.FreezeRules, "freeze-rules", false, "leave the rule weights as they start (default: the recipe's)")
	f.BoolVar(&c.Symbolic.Check, "check", false, "re-check every solve outside the solver")
	f.StringVar(&file, "config", "", "TOML `file` with settings; flags beat it")
	f.StringVar(&o.dir, "out", "", "run `folder` (default checkpoints/<task>-<loss>-<size>-split<K>)")
	f.StringVar(&o.data, "data", os.Getenv("HINGE_DATA"), "data root `folder` (also HINGE_DATA)")
	f.StringVar(&o.log, "log", "text", "form of the log: text or json")
	f.BoolVar(&o.quiet, "quiet", false, "no progress")
	f.BoolVar(&o.resume, "resume", false, "go on from the newest good checkpoint in the run folder")
	f.BoolVar(&o.eval, "eval", false, "evaluate the run folder's best weights and exit")
	f.StringVar(&o.export, "export", "", "also write the tested weights to `file`: .safetensors, or .onnx for the network; at the end, or with -eval")
	f.Func("predict", "read the digits of your own images with the run folder's best weights, answer their additions and exit: `path` of a PNG, JPEG or IDX file or of a folder; repeat it for more", func(path string) error {
		o.predict = append(o.predict, path)
		return nil
	})
	f.BoolVar(&o.json, "json", false, "print what -predict says as one JSON object")
	set, err := cli.Parse(f, args, "train -task TASK [flags]", usageTo)
	if err != nil {
		return nil, err
	}
	if o.log != "text" && o.log != "json" {
		return nil, &train.UsageError{Key: "-log", Problem: fmt.Sprintf("%q is none of text, json", o.log)}
	}
	if err := checkUse(set); err != nil {
		return nil, err
	}
	return o, o.resolve(c, *labels, set, file)
}

// checkUse refuses flags that mean nothing beside each other.
func checkUse(set map[string]bool) error {
	if set["json"] && !set["predict"] {
		return cli.Usage("-json is for -predict; leave it out")
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
func (o *options) resolve(c train.Config, labels string, set map[string]bool, file string) error {
	if file == "" && (o.resume || o.eval || o.predict != nil) && o.dir != "" {
		own := filepath.Join(o.dir, "config.toml")
		_, err := os.Stat(own)
		switch {
		case !errors.Is(err, fs.ErrNotExist):
			file = own
		case !set["task"]:
			return &train.UsageError{Key: "out", Problem: o.dir + " holds no run (there is no config.toml)"}
		}
	}
	// The file may name the task, the loss, the recipe and the size, which
	// decide the defaults: read it once for those.
	head := train.Config{Loss: c.Loss, Recipe: c.Recipe, System: c.System}
	if file != "" {
		if err := head.LoadFile(file); err != nil {
			return err
		}
	}
	overlay(&head, c, set)
	if head.Loss == "" {
		head.Loss = tasks.DefaultLoss(head.System, head.Task)
	}
	config, err := tasks.SystemDefaults(head.System, head.Task, head.Loss, head.Recipe, head.Additions)
	if err != nil {
		return err
	}
	if file != "" {
		if err := config.LoadFile(file); err != nil {
			return err
		}
	}
	overlay(&config, c, set)
	if set["labels"] {
		if config.Citation == nil {
			return &train.UsageError{Key: "labels", Problem: config.Task + " has no citation network; leave it out"}
		}
		config.Citation.Labels = labels
	}
	if err := config.Validate(); err != nil {
		return err
	}
	if !config.NeuPSL() {
		for _, name := range []string{"loss", "rules", "solver", "check", "freeze-rules"} {
			if set[name] {
				return &train.UsageError{Key: name, Problem: fmt.Sprintf("is for neupsl; %s has a loss of its own and no rules, leave it out", config.System)}
			}
		}
	}
	o.config = config
	if o.dir == "" {
		learns := config.Loss
		if !config.NeuPSL() {
			learns = config.System
		}
		if config.Additions > 0 {
			learns += fmt.Sprintf("-%d", config.Additions)
		}
		o.dir = filepath.Join("checkpoints", fmt.Sprintf("%s-%s-split%d", config.Task, learns, config.Split))
	}
	return nil
}

// overlay copies the settings of c whose flag was given.
func overlay(to *train.Config, c train.Config, set map[string]bool) {
	for name, copyOne := range map[string]func(){
		"task":             func() { to.Task = c.Task },
		"loss":             func() { to.Loss = c.Loss },
		"recipe":           func() { to.Recipe = c.Recipe },
		"system":           func() { to.System = c.System },
		"solver":           func() { to.Symbolic.Solver = c.Symbolic.Solver },
		"pretrain":         func() { to.Neural.Pretrain = c.Neural.Pretrain },
		"additions":        func() { to.Additions = c.Additions },
		"split":            func() { to.Split = c.Split },
		"seed":             func() { to.Seed = c.Seed },
		"rules":            func() { to.Rules = c.Rules },
		"steps":            func() { to.Training.Steps = c.Training.Steps },
		"epochs":           func() { to.Training.Epochs = c.Training.Epochs },
		"valid-every":      func() { to.Training.ValidEvery = c.Training.ValidEvery },
		"checkpoint-every": func() { to.Training.CheckpointEvery = c.Training.CheckpointEvery },
		"freeze-rules":     func() { to.Symbolic.FreezeRules = c.Symbolic.FreezeRules },
		"check":            func() { to.Symbolic.Check = c.Symbolic.Check },
	} {
		if set[name] {
			copyOne()
		}
	}
}
