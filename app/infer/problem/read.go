package problem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hinge/app/cli"
	"hinge/symbolic/facts"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/modelfile"
	"hinge/train/record"
)

// Input is the result of the stage read: the model with its data, and the choices. A flag
// beats the model, and the model beats the default.
type Input struct {
	*model.Model
	Method string
	// Out is the folder of results, "" for none; Table is the file or table that takes the
	// atoms instead, nil for none.
	Out          string
	Table        *facts.Destination
	Epsilon, Gap float64
	Threads      int
	// Trained holds the networks and rule weights of -weights, else nil.
	Trained *modelfile.Trained
	// read are the files that were read.
	read []string
	// rulesEpsilon is the ε that the weights of -rules were learned with, 0 where they do not say.
	rulesEpsilon float64
	// Kept are the thresholds of -rules or -weights.
	Kept     model.Thresholds
	ReadTime time.Duration
}

// Read loads the model with the data of a partition.
func (c *Session) Read(partition model.Partition) (*Input, error) {
	begin := time.Now()
	read := []string{c.Rules}
	reading := func(path string) {
		read = append(read, path)
		c.Progress.Start("reading " + path)
	}
	reading(c.Model)
	m, err := model.Load(c.Model, model.LoadOptions{Partition: partition, Data: c.data, Set: c.set, Reading: reading})
	if err != nil {
		return nil, err
	}
	in := &Input{Model: m, Gap: c.Gap, ReadTime: time.Since(begin), Out: cmp.Or(c.out, m.Options.ResultsDir), Threads: cmp.Or(c.threads, m.Options.Threads)}
	for _, w := range m.Warnings {
		c.Add(w)
	}
	if len(m.Unused) > 0 && !c.Quiet {
		c.Progress.Note(fmt.Sprintf("infer: %s: options that change no answer: %s", m.File, strings.Join(m.Unused, ", ")))
	}
	if m.Data.Targets() == 0 && !(c.LearnsFirst(m) && !m.Infers) {
		return nil, &facts.Error{Err: fmt.Errorf("%s: the partition has no targets: there is nothing to infer", m)}
	}
	for _, r := range m.Rules.Rules {
		read = append(read, r.Pos.File)
	}
	in.read = slices.Compact(read)
	if err := in.spare(c); err != nil {
		return nil, err
	}
	if err := in.replaceRules(c); err != nil {
		return nil, err
	}
	if err := in.readTrained(c); err != nil {
		return nil, err
	}
	if in.Table, err = facts.ParseDestination(in.Out); err != nil {
		return nil, cli.Usage("-out: %v", err)
	}
	switch {
	case in.Table != nil && c.OnlyLearns():
		return nil, cli.Usage("-out: -learn writes rules, not atoms: name a folder")
	case in.Table != nil:
		// The folder is left to what has no place in a table: there is none.
		in.Out = ""
		if c.Untold { // rank 0 alone writes: two at once would lock each other out
			break
		}
		if err := in.Table.Check(context.Background(), in.Arity()); err != nil {
			return nil, cli.Usage("-out: %v", err)
		}
	case in.Out != "":
		instead := "values go to one file as FILE.csv, FILE.jsonl or FILE.parquet, and -json prints the result"
		if c.OnlyLearns() {
			instead = "the rules go to rules.psl in it"
		}
		if err := cli.Folder(in.Out, instead); err != nil {
			return nil, err
		}
		// A folder that cannot be made or written to is an error now, not after an hour of solving.
		if err := cmp.Or(os.MkdirAll(in.Out, 0o777), record.Writable(in.Out)); err != nil {
			return nil, cli.Usage("-out: %v", err)
		}
	}
	in.Method = cmp.Or(c.method, m.Options.Method, infer.DefaultMethod().Name())
	in.Epsilon = c.Epsilon
	if in.Trained != nil { // the weights of its rules are relative to its ε
		in.Epsilon = cmp.Or(in.Epsilon, in.Trained.Config.Symbolic.Epsilon)
	}
	in.Epsilon = cmp.Or(in.Epsilon, in.rulesEpsilon, m.Options.Epsilon, in.DefaultEpsilon(c.Options))
	if least, ofAll := in.leastWeights(); in.Epsilon == smallEpsilon(least) && (ofAll < least || least < epsilonShare*in.Epsilon) {
		c.Warn("the smallest weight, %.3g, is beside ε = %g at the limit of rounding: values that such rules alone decide may be wrong", ofAll, in.Epsilon)
	}
	return in, nil
}

// spare refuses results that would take the place of a file that was read, or of one another.
func (in *Input) spare(c *Session) error {
	if err := in.Spare("-groundrules", c.GroundRules); err != nil || in.Out == "" {
		return err
	}
	results := []string{in.Out}
	for _, p := range in.Data.Predicates() {
		if !c.OnlyLearns() && (p.Targets+p.Deep > 0 || in.Options.AllAtoms && p.Observations > 0) {
			results = append(results, in.ResultFile(p.Name))
		}
	}
	listed, _ := filepath.Abs(c.GroundRules)
	if slices.ContainsFunc(results, func(path string) bool { abs, _ := filepath.Abs(path); return c.GroundRules != "" && abs == listed }) {
		return cli.Usage("-groundrules and -out write to one file, %s; name another", c.GroundRules)
	}
	return in.Spare("-out", results...)
}

// ResultFile is the file of a predicate's results in the folder Out: CSV where a constant of them holds a tab
// or a line end, which has no place in a tab-separated file.
func (in *Input) ResultFile(predicate string) string {
	end := ".txt"
	for a := range in.Data.Atoms(predicate) {
		for _, arg := range a.Args {
			if (a.Kind != ground.Observed || in.Options.AllAtoms) && strings.ContainsAny(arg, "\t\n\r") {
				end = ".csv"
			}
		}
	}
	return filepath.Join(in.Out, strings.ToUpper(predicate)+end)
}

// Spare refuses results, of a flag or an option, that would take the place of a file that was read.
func (in *Input) Spare(flag string, results ...string) error {
	for _, path := range results {
		if slices.ContainsFunc(in.read, func(file string) bool { return facts.SameFile(path, file) }) {
			return cli.Usage("%s: the model is read from %s; name another", flag, path)
		}
	}
	return nil
}

// Arity is the largest number of arguments of a predicate.
func (in *Input) Arity() (most int) {
	for _, p := range in.Predicates {
		most = max(most, p.Arity)
	}
	return most
}

// replaceRules puts the rules of -rules in the place of the model's.
func (in *Input) replaceRules(c *Session) error {
	if c.Rules == "" {
		return nil
	}
	src, err := os.ReadFile(c.Rules)
	if err != nil {
		return cli.Usage("-rules: %v", err)
	}
	if in.Kept, _, err = model.ThresholdsOf(c.Rules, string(src)); err != nil {
		return err
	}
	if in.rulesEpsilon, err = modelfile.EpsilonOf(c.Rules, src); err != nil {
		return err
	}
	p, err := psl.Parse(c.Rules, src)
	if err != nil {
		return err
	}
	for _, w := range slices.Concat(p.Warnings, p.Distinct()) {
		c.Add(model.Warning{Warning: w})
	}
	if len(p.Rules) == 0 {
		return cli.Usage("-rules: %s holds no rule", c.Rules)
	}
	in.Rules, in.Options.Normalize = p, false
	return nil
}

// readTrained reads the run of -weights, which a model with networks needs.
func (in *Input) readTrained(c *Session) (err error) {
	networks := in.Data.DeepAtoms() > 0
	switch {
	case networks && c.OnlyLearns():
		return cli.Usage("-learn: %s has networks; cmd/train -model learns them and the rules", in.File)
	case networks && c.Weights == "":
		return cli.Usage("%s has networks: train them with cmd/train -model %s -out RUN, then give -weights RUN here", in.File, in.File)
	case c.Weights == "":
		return nil
	}
	c.Progress.Start("reading " + c.Weights)
	in.Trained, err = modelfile.LoadTrained(c.Weights, func(text string) { c.Warn("-weights: %s", text) })
	if err == nil {
		in.Kept, err = in.Trained.Thresholds()
	}
	return FromTraining("-weights: ", err)
}

// FromTraining gives the errors of package train the kinds of this command.
func FromTraining(prefix string, err error) error {
	var usage *config.UsageError
	var data *learning.DataError
	switch {
	case errors.As(err, &usage) && usage.Key == "out" && prefix != "":
		return cli.Usage("%s%s", prefix, usage.Problem) // the folder is not that of -out
	case errors.As(err, &usage):
		return cli.Usage("%s%v", prefix, usage)
	case errors.As(err, &data):
		return &facts.Error{Err: fmt.Errorf("%s%w", prefix, err)}
	}
	return err
}

// Destination returns the place where the atoms are written, "" if they are printed.
func (in *Input) Destination() string {
	if in.Table != nil {
		return in.Table.String()
	}
	return in.Out
}
