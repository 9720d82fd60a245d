package modelfile

import (
	"path/filepath"
	"strings"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/model"
	"hinge/train/config"
	"hinge/train/learning"
)

// Task is the task "model": to train the networks and rule weights of a model file.
type Task struct {
	// Data is the data root of MNIST's images for Defaults and Advise, which try a loss on a model.
	Data string
}

func (Task) Names() []string { return []string{"model"} }

// Options are the task's own section of a configuration.
type Options struct {
	Model string `toml:"model" flag:"model,file" doc:"model file, JSON or YAML, whose networks and rule weights to learn (task model)"`
	// RulesWeight: with 0 the networks learn from labels alone and the rule weights stay;
	// inference has the rules all the same.
	RulesWeight float64 `toml:"rules-weight" range:"[0, inf)" doc:"factor of the loss of the rules, which learns from the true values of the targets"`
	LabelWeight float64 `toml:"label-weight" range:"[0, inf)" doc:"factor of the cross entropy of the true values of the networks' own predicates"`
	// LabelsAlways: few labels, each of them in the one batch of an epoch that has its
	// entity, weigh little against the rules, which have taken a way by then.
	LabelsAlways bool    `toml:"labels-always" doc:"learn from all labels of the networks in every step, not only from those of the entities in its batch"`
	LabelEpochs  int     `toml:"label-epochs" range:"[0, inf)" doc:"steps at the start, before those of the run, that learn from the labels of the networks alone"`
	LabelRate    float64 `toml:"label-rate" range:"(0, inf)" zero:"none, without label-epochs" doc:"step size of Adam in the label-epochs"`
	// MarginalWeight is the weight of a prior that is neither in rules nor in labels: all
	// classes occur. It decides early between readings, and would later falsify the beliefs.
	MarginalWeight float64   `toml:"marginal-weight" range:"[0, inf)" doc:"factor, which falls to 0 over the run, of log C − H: H is the entropy of the mean of the beliefs of a batch's entities in C classes, so that it is 0 where all classes occur equally often"`
	Threshold      Threshold `toml:"threshold" zero:"the evaluators' own" flag:"threshold" doc:"value in [0, 1] from which on atoms of a DiscreteEvaluator count as true in the test, or validation: the best one on the partition validation, which is kept with the run"`

	// alone is set for a model file without networks, mixed for one whose outputs are not all rows
	// of classes of which one holds.
	alone, mixed bool
}

// Threshold is a text, in place of which a file or -set may have a number.
type Threshold string

// UnmarshalText implements encoding.TextUnmarshaler, to which a decoder gives numbers too.
func (t *Threshold) UnmarshalText(text []byte) error {
	*t = Threshold(text)
	return nil
}

// Uses implements config.Section: runs are named after the model's folder, or after its
// file; the examples have programs of their own, which are not divided. Rules and dropout, which
// the file itself has, Validate refuses.
func (o *Options) Uses(*config.Config) config.Uses {
	u := config.Uses{Name: o.name(), Losses: config.LossesOfRows(), Without: []string{
		"split", "neural.channels", "neural.pretrain", "neural.gumbel-at-test", "neural.sync-batch-norm",
		"training.shards", "training.more-test", "training.fresh-test",
	}}
	if o.mixed {
		u.Losses = nil
	}
	if o.alone {
		u.Without, u.Instead, u.Zero = append(u.Without, ofNetworks.Without...), insteadAlone, zeroAlone
	}
	return u
}

// ofNetworks are the settings without effect in a model file without networks.
var ofNetworks = config.Uses{Without: []string{
	"neural", "symbolic.rules-after", "bilevel.draws", "bilevel.samples", "options.rules-weight",
	"options.label-weight", "options.labels-always", "options.label-epochs", "options.label-rate", "options.marginal-weight",
}}

// insteadAlone returns what a setting of networks is refused with where the model has none.
func insteadAlone(key string) string {
	if ofNetworks.Use(key) {
		return ""
	}
	text := "is for networks, and the model has none: the weights of its rules are all that is learned; "
	if instead := map[string]string{
		"neural.learning-rate": "mirror-step", "neural.schedule": "shrink-step", "neural.clip-norm": "clip", "neural.weight-decay": "l2-regularizer",
	}[key]; instead != "" {
		return text + "set symbolic." + instead + " for them"
	}
	return text + "leave it out"
}

// zeroAlone has what neupsl.NewRuleModel takes for zeros.
var zeroAlone = map[string]string{
	"bilevel.prox-weight":          "2 over the number of weighted rules with ground rules",
	"bilevel.constraint-tolerance": "1e-3 times prox-weight times the number of targets",
}

// name returns the name of the model's folder, the working directory's for a file without one, or that of its file.
func (o *Options) name() string {
	file := filepath.Base(o.Model)
	file = strings.TrimSuffix(file, filepath.Ext(file))
	path, err := filepath.Abs(o.Model)
	if folder := filepath.Base(filepath.Dir(path)); err == nil && file == "model" && folder != string(filepath.Separator) {
		return folder
	}
	return file
}

func (o *Options) Validate(c *config.Config) error {
	n := &c.Neural
	_, threshold := model.ParseThreshold(string(o.Threshold))
	switch {
	case o.Model == "":
		return config.Usage("options.model", "missing; -model names a model file")
	case threshold != nil:
		return config.Usage("options.threshold", "%v", threshold)
	case o.LabelEpochs > 0 && !(o.LabelRate > 0):
		return config.Usage("options.label-rate", "%v is not a positive number", o.LabelRate)
	case o.LabelsAlways && c.Training.Batch == 1:
		return config.Usage("options.labels-always", "without a training.batch every step has the whole partition and all labels; leave it out")
	case o.RulesWeight == 0 && !c.Symbolic.FreezeRules:
		return config.Usage("options.rules-weight", "without the loss of the rules their weights cannot be learned: set symbolic.freeze-rules = true")
	case c.Training.Shards > 1:
		return config.Usage("training.shards", "the examples of a model file have programs of their own, which shards cannot share; leave it out")
	case c.Rules != "":
		return config.Usage("rules", "the rules are those of the model file; leave it out")
	case n.Dropout != 0:
		return config.Usage("neural.dropout", "is a key of the networks in the model file; leave it out")
	case n.Pretrain != "" && n.Pretrain != "none":
		return config.Usage("neural.pretrain", "a model file has no pre-training; options.label-epochs learns from labels of the networks first")
	case n.NoisyTest:
		return config.Usage("neural.gumbel-at-test", "cmd/infer applies what is learned, without noise; leave it out")
	}
	return nil
}

// Defaults implements learning.Task. A file without networks has defaults of its own. Unless the
// choice has settings of learning, the defaults have what Advise says about the file.
func (t Task) Defaults(choice config.Config) (config.Config, error) {
	if !choice.NeuPSL() {
		return config.Config{}, config.Usage("system", "a model file has no %q", choice.System)
	}
	if choice.Recipe == "paper" {
		return config.Config{}, config.Usage("recipe", "a model file has no published settings; leave it out")
	}
	c := config.Defaults(choice)
	o, ok := choice.Options.(*Options)
	if ok && o.Model != "" {
		// What is wrong with the file is said where it is opened.
		if m, err := model.Load(o.Model, model.LoadOptions{Partition: model.Learn, NoData: true}); err == nil && !m.Networks() {
			return rulesDefaults(c, m), nil
		}
	}
	c = networkDefaults(c)
	if !ok || o.Model == "" || told(&choice) {
		return c, nil
	}
	advice, err := t.Advise(choice)
	if err != nil {
		return c, nil
	}
	return c, apply(&c, advice)
}

// networkDefaults are the defaults of a file with networks. The steps on weights and points are the
// paper's for citation networks, which are one program, too; Adam at 1e-2 for 200 steps.
func networkDefaults(c config.Config) config.Config {
	c.Training = config.Training{Batch: 1, Epochs: 200, ValidEvery: 5, Patience: 100, Keep: 2, FixedBatches: true}
	c.Neural = config.Neural{LearningRate: 1e-2, Schedule: "constant", TemperatureMin: 1, TestTemperature: 1, Augment: "none", Pretrain: "none"}
	c.Symbolic = config.Symbolic{Solver: "auto", Epsilon: 1e-3, Gap: 1e-3, WeightOptions: optim.WeightOptions{Step: 1e-2, Shrink: true, Regularizer: optim.Regularizer{NegLog: 1e-3}}}
	c.Bilevel = bilevel.Lagrangian{ProxWeight: 1e-1, EnergyCoefficient: 1, PointStep: 1e-2}
	c.Bilevel.Reference()
	c.Options = &Options{RulesWeight: 1, LabelWeight: 1, LabelRate: 1e-2}
	return c
}

// Open implements learning.Task: a *Model, or *Rules of a file without networks.
func (Task) Open(cfg config.Config, data string) (learning.Model, error) {
	return openFile(cfg, data, nil)
}

var _ config.Section = (*Options)(nil)
