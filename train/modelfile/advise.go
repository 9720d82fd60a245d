package modelfile

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"hinge/bilevel"
	"hinge/symbolic/ground"
	"hinge/symbolic/model"
	"hinge/train/config"
	"hinge/train/learning"
)

const (
	// fewLabels is the share of a network's outputs below which their labels are too few to learn
	// from alone, manyLabels the share of the targets that then have to be labelled.
	fewLabels, manyLabels = 0.1, 0.5
	// leastExamples is the number of components from which a step learns from some of them,
	// batchOf how many, and stepsOf how many steps such a run has, in 10 to 200 whole epochs.
	leastExamples, batchOf, stepsOf = 40, 20, 3000
	// triedBatches is the number of batches that a loss is tried on.
	triedBatches = 10
)

// Advice is a setting that is chosen by the data, with the reason.
type Advice struct {
	// Key is a key of a configuration file, such as training.batch.
	Key   string
	Value any
	// Why is a sentence without its full stop.
	Why string
}

// counts are what advice goes by.
type counts struct {
	networks                   bool
	targets, labelled          int // targets, and those with a true value
	outputs, known, components int // neural outputs, those of labelled entities, and components with targets
}

func (p *part) counted() counts {
	c := counts{networks: p.Networks(), targets: len(p.labels), components: len(blocksOf(p.template))}
	for _, v := range p.labels {
		if !math.IsNaN(v) {
			c.labelled++
		}
	}
	for _, q := range p.Predicates {
		if q.Network == nil {
			continue
		}
		// An output of a sigmoid has a label of its own. Of classes one that is true labels all, and
		// without it those that are not true teach nothing.
		h, size, told := &head{predicate: q.Name, Network: q.Network}, map[string]int{}, map[string]bool{}
		for a := range p.Data.Atoms(q.Name, ground.Deep) {
			c.outputs++
			sigmoid, fields := q.Network.Output == "sigmoid", a.Args
			if !sigmoid {
				fields = h.entity(a.Args)
			}
			key := strings.Join(fields, "\t")
			size[key]++
			if truth, ok := p.Data.DeepTruth(a.Index); ok && (sigmoid || truth > 0) {
				told[key] = true
			}
		}
		for key := range told {
			c.known += size[key]
		}
	}
	return c
}

// Advise returns the settings that Defaults has for a choice without settings of learning. Errors are
// those of Open. It looks at what has labels in the partition learn: the classes
// of the networks themselves, targets that hang together with them in one large program, or something
// else that rules derive from the classes, in many small programs.
func (t Task) Advise(choice config.Config) ([]Advice, error) {
	o, ok := choice.Options.(*Options)
	if !ok || o.Model == "" {
		return nil, config.Usage("options.model", "missing; -model names a model file")
	}
	p, err := loadPart(o.Model, model.Learn)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, &learning.DataError{Err: fmt.Errorf("%s: the partition learn has no targets: there is nothing to learn from", o.Model)}
	}
	return append(t.advise(p, p.counted()), Advice{Key: "options.model", Value: o.Model, Why: "the model that these settings are for"}), nil
}

// advise is Advise for a partition learn, by its counts.
func (t Task) advise(p *part, c counts) []Advice {
	switch {
	case !c.networks:
		return []Advice{{Key: "loss", Value: "energy", Why: fmt.Sprintf(
			"there are no networks; the weights of the rules are learned from %d of %d targets by the cheapest loss; bce and mse infer in every step", c.labelled, c.targets)}}
	case c.labelled == 0 && c.known > 0:
		return []Advice{
			{Key: "loss", Value: "energy", Why: "the loss of the rules has nothing to learn from"},
			{Key: "options.rules-weight", Value: 0.0, Why: fmt.Sprintf("the labels are %d of %d outputs of the networks themselves, and no target has one", c.known, c.outputs)},
			{Key: "symbolic.freeze-rules", Value: true, Why: "without labels of targets rule weights cannot be learned"},
		}
	case float64(c.known) >= fewLabels*float64(c.outputs) || float64(c.labelled) < manyLabels*float64(c.targets) || c.components < leastExamples:
		start := ""
		if c.known > 0 {
			start = "the labels of the classes start the networks, and "
		}
		return []Advice{{Key: "loss", Value: "energy", Why: fmt.Sprintf(
			"%d of %d outputs of the networks and %d of %d targets have labels, and the number of separate components is %d: %sV with the labels fixed is the cheapest loss",
			c.known, c.outputs, c.labelled, c.targets, c.components, start)}}
	}
	return t.adviseDerived(p, &c)
}

// adviseDerived is the advice for labels of something that rules derive from the classes.
func (t Task) adviseDerived(p *part, c *counts) []Advice {
	perEpoch := (c.components + batchOf - 1) / batchOf // empty examples fill the last batch
	epochs := min(max(stepsOf/perEpoch, 10), 200)
	list := []Advice{
		{Key: "training.batch", Value: batchOf, Why: fmt.Sprintf("the program has %d components, examples of their own", c.components)},
		{Key: "training.epochs", Value: epochs, Why: fmt.Sprintf("%d steps; an epoch has %d", epochs*perEpoch, perEpoch)},
		{Key: "training.valid-every", Value: perEpoch, Why: "a validation an epoch"},
		{Key: "training.patience", Value: max(epochs/3, 1) * perEpoch, Why: "a third of the run"},
		{Key: "symbolic.freeze-rules", Value: true, Why: "the rules are taken to define what the labels mean"},
	}
	if c.known > 0 {
		list = append(list,
			Advice{Key: "options.labels-always", Value: true, Why: fmt.Sprintf("only %d of %d outputs of the networks have labels; they count in every step", c.known, c.outputs)},
			Advice{Key: "options.label-weight", Value: 3.0, Why: "they decide what the classes mean, which takes weight from the first step on"},
			Advice{Key: "options.marginal-weight", Value: 1.0, Why: "all classes occur, which decides early too; set 0 where some class is rare"})
	}
	something := fmt.Sprintf("the labels are of %d targets, which rules derive from the classes of the networks", c.labelled)
	err := t.tried(p, append([]Advice{{Key: "loss", Value: string(bilevel.LossKBest)}}, list...))
	if err == nil {
		return append([]Advice{{Key: "loss", Value: string(bilevel.LossKBest), Why: something + "; it lists the states that the labels allow"}}, list...)
	}
	return append([]Advice{
		{Key: "loss", Value: "energy", Why: fmt.Sprintf("%s; k-best does not take them (%v)", something, err)},
		{Key: "neural.gumbel-samples", Value: 32, Why: "decisions in place of beliefs, which satisfy rules without being right"},
		{Key: "neural.draw-temperature", Value: 0.05, Why: "the draws that agree with the labels count most"},
		{Key: "neural.temperature-start", Value: 0.3, Why: "a draw is nearly a decision"},
		{Key: "neural.temperature-min", Value: 0.25, Why: "draws stay decisions to the end"},
	}, list...)
}

// tried opens the model of a partition learn with settings and computes the gradient of some batches.
func (t Task) tried(p *part, list []Advice) error {
	cfg := networkDefaults(config.Defaults(config.Config{Task: t.Names()[0]}))
	cfg.Options.(*Options).Model, cfg.Training.NoTest = p.File, true
	if err := apply(&cfg, list); err != nil {
		return err
	}
	m, err := openFile(cfg, t.Data, p)
	if err != nil {
		return err
	}
	for i, batch := range cfg.Batches(m.Examples(learning.TrainPart), 0) {
		if i == triedBatches {
			break
		}
		if _, err := m.Gradient(learning.Step{Temperature: 1}, batch); err != nil {
			return err
		}
	}
	return nil
}

func apply(c *config.Config, list []Advice) error {
	var errs []error
	for _, a := range list {
		errs = append(errs, c.Set(a.Key, a.Value))
	}
	return errors.Join(errs...)
}

// told reports whether a choice has settings of learning besides its budget, so that the defaults are
// not chosen by the data.
func told(c *config.Config) bool {
	t, n := c.Training, c.Neural
	t.Steps, t.Epochs, t.Seconds, t.ValidEvery, t.CheckpointEvery, t.Keep, t.NoTest, t.LastWeights, n.Init = 0, 0, 0, 0, 0, 0, false, false, ""
	zero := func(v any) bool { return reflect.ValueOf(v).IsZero() }
	return c.Loss != "" || !zero(t) || !zero(n) || !zero(c.Symbolic) || !zero(c.Bilevel)
}
