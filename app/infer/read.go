package infer

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"hinge/app/cli"
	"hinge/symbolic/facts"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/modelfile"
)

// input is the result of the stage read: the model with its data, and the choices. A flag
// beats the model, and the model beats the default.
type input struct {
	*model.Model
	method string
	// out is the folder of results, "" for none; table is the file or table that takes the
	// atoms instead, nil for none.
	out          string
	table        *facts.Destination
	epsilon, gap float64
	threads      int
	// trained holds the networks and rule weights of -weights, else nil.
	trained *modelfile.Trained
	// rulesEpsilon is the ε that the weights of -rules were learned with, 0 where they do not say.
	rulesEpsilon float64
	// kept are the thresholds of -rules or -weights.
	kept     model.Thresholds
	readTime time.Duration
}

// read loads the model with the data of a partition.
func (c *command) read(partition model.Partition) (*input, error) {
	begin := time.Now()
	reading := func(path string) { c.progress.Start("reading " + path) }
	reading(c.model)
	m, err := model.Load(c.model, model.LoadOptions{Partition: partition, Data: c.data, Set: c.set, Reading: reading})
	if err != nil {
		return nil, err
	}
	in := &input{Model: m, gap: c.gap, readTime: time.Since(begin), out: cmp.Or(c.out, m.Options.ResultsDir), threads: cmp.Or(c.threads, m.Options.Threads)}
	for _, w := range m.Warnings {
		c.add(w)
	}
	if len(m.Unused) > 0 && !c.quiet {
		c.progress.Note(fmt.Sprintf("infer: %s: options that change no answer: %s", m.File, strings.Join(m.Unused, ", ")))
	}
	if m.Data.Targets() == 0 && !(c.learnsFirst(m) && !m.Infers) {
		return nil, &facts.Error{Err: fmt.Errorf("%s: the partition has no targets: there is nothing to infer", m)}
	}
	if err := in.replaceRules(c); err != nil {
		return nil, err
	}
	if err := in.readTrained(c); err != nil {
		return nil, err
	}
	if in.table, err = facts.ParseDestination(in.out); err != nil {
		return nil, cli.Usage("-out: %v", err)
	}
	switch {
	case in.table != nil && c.onlyLearns():
		return nil, cli.Usage("-out: -learn writes rules, not atoms: name a folder")
	case in.table != nil:
		// The folder is left to what has no place in a table: there is none.
		in.out = ""
		if err := in.table.Check(context.Background(), in.arity()); err != nil {
			return nil, cli.Usage("-out: %v", err)
		}
	case in.out != "":
		// A folder that cannot be made is an error now, not after an hour of solving.
		if err := os.MkdirAll(in.out, 0o777); err != nil {
			return nil, cli.Usage("-out: %v", err)
		}
	}
	in.method = cmp.Or(c.method, m.Options.Method, infer.DefaultMethod().Name())
	in.epsilon = c.epsilon
	if in.trained != nil { // the weights of its rules are relative to its ε
		in.epsilon = cmp.Or(in.epsilon, in.trained.Config.Symbolic.Epsilon)
	}
	in.epsilon = cmp.Or(in.epsilon, in.rulesEpsilon, m.Options.Epsilon, in.defaultEpsilon(c.options))
	return in, nil
}

// arity is the largest number of arguments of a predicate.
func (in *input) arity() (most int) {
	for _, p := range in.Predicates {
		most = max(most, p.Arity)
	}
	return most
}

// replaceRules puts the rules of -rules in the place of the model's.
func (in *input) replaceRules(c *command) error {
	if c.rules == "" {
		return nil
	}
	src, err := os.ReadFile(c.rules)
	if err != nil {
		return cli.Usage("-rules: %v", err)
	}
	in.kept, _ = model.ThresholdsOf(string(src))
	p, err := psl.Parse(c.rules, src)
	if err != nil {
		return err
	}
	for _, w := range slices.Concat(p.Warnings, p.Distinct()) {
		c.add(model.Warning{Warning: w})
	}
	if len(p.Rules) == 0 {
		return cli.Usage("-rules: %s holds no rule", c.rules)
	}
	in.Rules, in.Options.Normalize, in.rulesEpsilon = p, false, modelfile.EpsilonOf(src)
	return nil
}

// readTrained reads the run of -weights, which a model with networks needs.
func (in *input) readTrained(c *command) (err error) {
	networks := in.Data.DeepAtoms() > 0
	switch {
	case networks && c.onlyLearns():
		return cli.Usage("-learn: %s has networks; cmd/train -model learns them and the rules", in.File)
	case networks && c.weights == "":
		return cli.Usage("%s has networks: train them with cmd/train -model %s -out RUN, then give -weights RUN here", in.File, in.File)
	case c.weights == "":
		return nil
	}
	c.progress.Start("reading " + c.weights)
	in.trained, err = modelfile.LoadTrained(c.weights, func(text string) { c.warn("-weights: %s", text) })
	if err == nil {
		in.kept, err = in.trained.Thresholds()
	}
	return fromTraining("-weights: ", err)
}
