// Package config has the configuration of a run: its settings with their declarations, the losses
// and systems they choose from, and what follows from them alone: the options of inference and of
// the loss, the batches of an epoch, and the identity of a run.
//
//	c := config.Defaults(config.Config{Task: "mnist-add1"})
//	err := c.LoadFile("config.toml")                 // overlays a file
//	key, err := c.SetText("neural.learning-rate=.01") // or one setting
//	err = c.Validate()
//
// A setting is declared once, by the tags of its field (package optim/setting). Errors are
// UsageErrors, which name the key, and for files the line and column. A Config is a plain value,
// for one goroutine at a time; copies share the task's own section.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/optim/setting"
)

// Config is the complete description of a run: together with the data and the
// version of the program it determines every bit of the result. It is read
// from and written to TOML; the run folder holds the resolved form. The tags of a field
// declare the setting (see package optim/setting) for -help, -settings, checks, hints and the
// page of a run. Its default comes from [Defaults], or from a task's Defaults.
type Config struct {
	Task string `toml:"task" flag:"task" doc:"what to learn"`
	// Loss is one of CommonLosses, or a loss of the task (see Uses).
	Loss   string `toml:"loss" for:"neupsl" flag:"loss" doc:"what learning minimises"`
	Recipe string `toml:"recipe" range:"best | paper" flag:"recipe" doc:"the settings to begin with: ours, or those of the paper's experiments"`
	// System is the system that learns: neupsl, or a system that the task compares it with
	// (see Uses), which has its own loss.
	System string `toml:"system" zero:"neupsl" flag:"system" doc:"what learns: neupsl, or a system that the task compares it with"`
	Split  int    `toml:"split" range:"[0, inf)" flag:"split" doc:"data split, from 0; each task says how many it has"`
	Seed   uint64 `toml:"seed" range:"[0, 9223372036854775807]" flag:"seed" doc:"seed of everything random but the split"`
	Rules  string `toml:"rules" zero:"the task's own" for:"neupsl" flag:"rules,file" doc:"a rule file in place of the task's own rules"`

	Training Training `toml:"training"`
	Neural   Neural   `toml:"neural"`
	Symbolic Symbolic `toml:"symbolic" for:"neupsl"`
	// Bilevel holds the parameters of the losses mse and bce. Its key draws counts
	// Gumbel samples, its key samples examples of a batch.
	Bilevel bilevel.Lagrangian `toml:"bilevel"`
	// Options is the task's own section: a pointer to a struct with toml tags, made by the
	// task's Defaults, or nil. It is saved, hashed and compared on resume with the rest. Its
	// tags are checked like the tags of this struct, and if it is a Section its Validate is
	// called. Copies of a Config share it.
	Options any `toml:"options,omitempty"`
}

// Training holds the budget and the stop rules.
type Training struct {
	// At least one of Steps and Epochs must be set; the smaller budget wins. Of defaults, one that is
	// told replaces the other (Budget).
	Steps  int `toml:"steps" range:"[0, inf)" zero:"no bound" flag:"steps" doc:"budget in gradient steps"`
	Epochs int `toml:"epochs" range:"[0, inf)" zero:"no bound" flag:"epochs" doc:"budget in epochs"`
	Batch  int `toml:"batch" range:"[1, inf)" flag:"batch" doc:"examples that a gradient step sees; of a model file components of its program, and 1 is all of them"`
	// Shards: each shard is a separate pass through the network with its own batch statistics
	// (but see Neural.SyncBatchNorm). The gradients are added in the order of the shards, by
	// one process or by ranks that divide them. The result depends on the number of shards and
	// not on the number of ranks.
	Shards       int  `toml:"shards" range:"[0, inf)" zero:"as many as ranks" flag:"shards" doc:"parts of a batch, each a pass of its own, that ranks can share"`
	FixedBatches bool `toml:"fixed-batches" doc:"the same batches in every epoch, in another order; examples that do not fill one are never learned from"`
	// SumLoss: Adam does not see the difference, but gradient clipping does.
	SumLoss bool `toml:"sum-loss" for:"energy sp mse bce answer k-best" doc:"learn from the sum over a batch, not its mean"`
	// Patience counts a tie as an improvement, and lasts until the next validation at least.
	ValidEvery int `toml:"valid-every" range:"[1, inf)" flag:"valid-every" doc:"steps between validations"`
	Patience   int `toml:"patience" range:"[0, inf)" zero:"never" doc:"steps without a better validation after which to stop"`
	// TiesCount makes a tie an improvement of rule weights, too, as in validations of the reference.
	TiesCount bool `toml:"-"`
	// StopEvery and Seconds are stop rules of the reference engine. What Seconds stops depends
	// on the machine.
	StopEvery int     `toml:"stop-every" range:"[0, inf)" zero:"1" doc:"steps between two looks at patience and symbolic.movement, the first of them after the first step"`
	Seconds   float64 `toml:"seconds" range:"[0, inf)" zero:"no bound" doc:"seconds of learning after which the run ends"`
	// LastWeights is for schedules that end with steps of zero, where the averages have
	// settled and to choose by a few hundred examples is to choose by chance.
	LastWeights bool `toml:"last-weights" doc:"test the last weights, not the best on validation"`
	// CheckpointEvery by time: after the first step that ends a minute or more after the
	// last checkpoint.
	CheckpointEvery int `toml:"checkpoint-every" range:"[0, inf)" zero:"one a minute" flag:"checkpoint-every" doc:"steps between checkpoints"`
	Keep            int `toml:"keep" range:"[1, inf)" doc:"checkpoints that stay while a run goes on; the newest stays of one that has ended"`
	// MoreTest with NoTest makes them a further validation.
	MoreTest bool `toml:"more-test" doc:"test the final weights on the task's further examples too"`
	// FreshTest: no choice of settings has seen these examples (see FreshTestPart).
	FreshTest bool `toml:"fresh-test" doc:"test the final weights on the task's fresh examples too"`
	// NoTest is for runs that settings are chosen by.
	NoTest bool `toml:"no-test" doc:"answer no test example"`
}

// OffSimplex reports whether the rule weights leave the unit simplex.
func (s *Symbolic) OffSimplex() bool { return s.Method == optim.Gradient }

// Still reports whether the rule weights stay as they are at a progress of 0 to 1 through the run.
func (s *Symbolic) Still(progress float64) bool { return s.FreezeRules || progress < s.After }

// Budget drops the default for one of Steps and Epochs where a person has told the other: told
// has the settings that were told, zero elsewhere.
func (t *Training) Budget(told Training) {
	if told.Steps > 0 && told.Epochs == 0 {
		t.Epochs = 0
	}
	if told.Epochs > 0 && told.Steps == 0 {
		t.Steps = 0
	}
}

// Parts is the number of parts of a batch.
func (t *Training) Parts() int { return max(t.Shards, 1) }

// Pass is the number of examples that the model is given at a time: a batch, or one of its
// shards.
func (t *Training) Pass() int { return t.Batch / t.Parts() }

// Neural holds the network and its optimiser.
type Neural struct {
	LearningRate float64 `toml:"learning-rate" range:"(0, inf)" doc:"step size of Adam"`
	Schedule     string  `toml:"schedule" range:"constant | cosine" doc:"course of the learning rate: constant, or a cosine to zero at the end of the budget"`
	Warmup       int     `toml:"warmup-epochs" range:"[0, inf)" doc:"epochs at the start, up to a quarter of the run, over which the learning rate grows"`
	WeightDecay  float64 `toml:"weight-decay" range:"[0, inf)" doc:"factor of the weights that is added to the gradient"`
	Decoupled    bool    `toml:"decoupled-decay" doc:"apply the decay to the weights directly (AdamW); biases and batch norm do not decay then"`
	ClipNorm     float64 `toml:"clip-norm" range:"[0, inf)" zero:"no bound" doc:"bound on the norm of the gradient"`
	// Average: validation and test use the average.
	Average float64 `toml:"average" range:"[0, 1)" zero:"the weights themselves" doc:"decay per step of the moving average of the weights, which is tested"`
	// Channels: grey images are repeated over them.
	Channels int `toml:"channels" range:"[1, 3]" zero:"1" doc:"input channels of the network, 1 or 3"`
	// SyncBatchNorm: the run then equals a run with whole batches up to rounding, but noise is
	// drawn for each shard. One shard needs no synchronisation.
	SyncBatchNorm bool    `toml:"sync-batch-norm" flag:"sync-batch-norm" doc:"batch statistics over all shards of a batch together, not by shard"`
	Dropout       float64 `toml:"dropout" range:"[0, 1)" doc:"probability of dropping an input of the network's head"`
	Samples       int     `toml:"gumbel-samples" range:"[0, inf)" zero:"a plain softmax" for:"neupsl" doc:"K, the Gumbel draws of the outputs in a step"`
	// DrawTemperature T > 0 takes the soft minimum −T log mean e^(−V/T) of an
	// example's values over the samples.
	DrawTemperature float64 `toml:"draw-temperature" range:"[0, inf)" zero:"their mean" for:"neupsl" doc:"T of the soft minimum of an example's values over its draws"`
	NoisyTest       bool    `toml:"gumbel-at-test" for:"neupsl" doc:"leave one draw on in validation and test"`
	// The temperature of the softmax in training is
	// max(TemperatureMin, TemperatureStart·exp(−TemperatureDecay·epoch)).
	TemperatureStart float64 `toml:"temperature-start" range:"(0, inf)" zero:"1" doc:"temperature of the softmax at the start of training"`
	TemperatureDecay float64 `toml:"temperature-decay" range:"[0, inf)" doc:"rate per epoch at which the training temperature falls"`
	TemperatureMin   float64 `toml:"temperature-min" range:"[3e-39, inf)" doc:"the least temperature in training"`
	// TemperatureSpread: hot draws still see what a confident network gets wrong, where
	// the derivative of a cold softmax is zero.
	TemperatureSpread float64 `toml:"temperature-spread" range:"[1, inf)" zero:"1" for:"neupsl" doc:"the draws' temperatures grow geometrically up to that multiple"`
	// NoiseSpread: loud draws still draw the classes that a confident network excludes.
	NoiseSpread     float64 `toml:"noise-spread" range:"[1, inf)" zero:"1" for:"neupsl" doc:"the draws' noise grows geometrically up to that multiple"`
	TestTemperature float64 `toml:"test-temperature" range:"[3e-39, inf)" doc:"temperature of the softmax in validation and test"`
	Augment         string  `toml:"augment" range:"none | light | strong" zero:"none" doc:"how training images are distorted, anew in every step"`
	// AugmentRamp is a linear growth from none to its full strength.
	AugmentRamp float64 `toml:"augment-ramp" range:"[0, 1]" doc:"share of the run over which the distortion grows"`
	// Views are averaged in the last validation too, of the weights that are tested.
	// Validation between steps only compares weights and looks at the plain image.
	Views        int     `toml:"test-views" range:"[0, inf)" doc:"distorted views of an image, beside the plain one, that the test averages outputs over"`
	ViewStrength float64 `toml:"test-view-strength" range:"[0, 1]" doc:"distortion of the views at test against that of training"`
	// Pretrain uses the training images: simclr is the pre-training of the reference
	// experiments, best a quick and milder form of it.
	Pretrain string `toml:"pretrain" range:"none | simclr | best" zero:"none" flag:"pretrain" doc:"pre-training of the network by contrast"`
	// Init is read when a run begins, and by no other command.
	Init string `toml:"init" zero:"drawn" flag:"init,file" doc:"a file with the first weights of the network, those of its names and shapes: .safetensors, or a state_dict that torch.save wrote"`
	// Freeze and Rates: see nn.Params.Named for patterns.
	Freeze string `toml:"freeze" zero:"nothing" flag:"freeze,patterns" doc:"patterns, with commas, of the names of parameters that stay as they begin, such as conv1,bn1,layer1; batch norms among them keep their statistics"`
	Rates  string `toml:"rates" zero:"1 for all" flag:"rates,PATTERN=FACTOR" doc:"factors of the learning rate for parameters by patterns, PATTERN=FACTOR with commas, such as layer*=0.1; the last that fits counts"`
}

// Adam returns the optimiser of a network's parameters. Plain L2 decay acts on every one of them, as the framework
// of the paper's experiments does it, decoupled decay on those that ask for it.
func (n *Neural) Adam(params []optim.Param) (*optim.Adam, error) {
	for i := range params {
		params[i].Decay = params[i].Decay || !n.Decoupled
	}
	return optim.NewAdam(params, optim.AdamOptions{WeightDecay: n.WeightDecay, Decoupled: n.Decoupled})
}

// Symbolic holds the solver and the learning of the rule weights.
type Symbolic struct {
	Solver string `toml:"solver" flag:"solver" doc:"inference method, see INFERENCE.md"`
	// Epsilon: paper, section 5.1.
	Epsilon float64 `toml:"epsilon" range:"(0, inf)" doc:"ε of the regularised quadratic program"`
	Gap     float64 `toml:"gap" range:"(0, inf)" zero:"what the method comes to" doc:"primal–dual gap per connected component at which a solve stops"`
	// WeightOptions are the step on the rule weights. Beside networks it stays on the simplex.
	optim.WeightOptions
	// Movement is a stop rule of the reference engine.
	Movement float64 `toml:"movement" range:"[0, inf)" zero:"never" for:"learned-rules" doc:"mean squared change of the rule weights in a step at which the run ends"`
	// After (ours): learning can find that a rule is wrong only once the network reads the
	// images well enough.
	After float64 `toml:"rules-after" range:"[0, 1]" for:"learned-rules" doc:"share of the run that goes by before rule weights move"`
	Check bool    `toml:"check" flag:"check" doc:"re-check every solve outside the solver"`
	// FreezeRules: at the rule file's weights on the unit simplex.
	FreezeRules bool `toml:"freeze-rules" flag:"freeze-rules" doc:"leave the rule weights as they start"`
}

// CommonLosses lists the losses that every task has: the paper's, and registered
// ones (bilevel.Kind.Everywhere).
func CommonLosses() []string { return lossesHaving(func(k bilevel.Kind) bool { return k.Everywhere }) }

// LossesOfRows lists the further losses of tasks whose networks choose a class in each row
// (bilevel.Kind.Rows).
func LossesOfRows() []string { return lossesHaving(func(k bilevel.Kind) bool { return k.Rows }) }

func lossesHaving(what func(bilevel.Kind) bool) (out []string) {
	for _, l := range bilevel.Having(what) {
		out = append(out, string(l))
	}
	return out
}

// LossKind returns the properties of the configured loss, or the zero Kind for other systems.
func (c *Config) LossKind() bilevel.Kind {
	if !c.NeuPSL() {
		return bilevel.Kind{}
	}
	return bilevel.LossName(c.Loss).Kind()
}

// A UsageError is a fault of the configuration or of a flag: it names the key and what is
// allowed.
type UsageError struct{ Key, Problem string }

func (e *UsageError) Error() string { return e.Key + ": " + e.Problem }

// Usage returns a *UsageError about a key of the configuration, its problem formatted.
func Usage(key, format string, args ...any) error {
	return &UsageError{Key: key, Problem: fmt.Sprintf(format, args...)}
}

// OptionsOf returns the settings of the task's own section, in the type that the task has
// given them.
func OptionsOf[T any](c *Config) (*T, error) {
	o, ok := c.Options.(*T)
	if !ok || o == nil {
		return nil, Usage("options", "the section is missing, or that of another task than %s", c.Task)
	}
	return o, nil
}

// NeuPSL reports whether the system that learns is NeuPSL, and not one of the systems that it
// is compared with.
func (c *Config) NeuPSL() bool { return c.System == "" || c.System == "neupsl" }

// Losses lists the losses of the configured task: the common ones and its own.
func (c *Config) Losses() []string { return slices.Concat(CommonLosses(), c.Uses().Losses) }

// Systems lists the systems that the configured task has.
func (c *Config) Systems() []string { return slices.Concat([]string{"neupsl"}, c.Uses().Systems) }

// Validate returns a UsageError about the first setting that is wrong: its value is outside
// the declared range, or does not go together with another setting.
func (c *Config) Validate() error {
	if _, raw := c.Options.(map[string]any); raw {
		return Usage("options", "the task has no section of its own")
	}
	for _, s := range c.Settings() {
		if instead, ok := retired[fmt.Sprintf("%s = %v", s.Key, s.Value)]; ok {
			return Usage(s.Key, "%v is no more: %s", s.Value, instead)
		}
		if f := (*setting.Fault)(nil); errors.As(s.Check(), &f) {
			return Usage(f.Key, "%s", f.Problem)
		}
	}
	t, n := &c.Training, &c.Neural
	switch {
	case t.Steps == 0 && t.Epochs == 0:
		return Usage("training.steps", "no budget: set steps or epochs")
	case t.Batch%t.Parts() != 0:
		return Usage("training.shards", "batches of %d do not divide into %d shards; set training.batch to a multiple, such as %d", t.Batch, t.Shards, (t.Batch/t.Shards+1)*t.Shards)
	case c.Bilevel.ConstraintSamples%t.Parts() != 0:
		return Usage("bilevel.samples", "%d do not divide into %d shards; set a multiple", c.Bilevel.ConstraintSamples, t.Shards)
	case t.NoTest && t.FreshTest:
		return Usage("training.no-test", "a run that must not be tested cannot have a fresh-test; leave one of them out")
	case n.Init != "" && n.Pretrain != "" && n.Pretrain != "none":
		return Usage("neural.init", "the pre-training %s would overwrite the weights of %s; set neural.pretrain = \"none\", or leave this out", n.Pretrain, n.Init)
	case n.Channels == 2:
		return Usage("neural.channels", "2 is neither 1 nor 3")
	case n.Views > 0 && n.ViewStrength == 0:
		return Usage("neural.test-views", "%d views, but neural.test-view-strength = 0 leaves them as the plain image is", n.Views)
	case n.Views > 0 && (n.Augment == "" || n.Augment == "none"):
		return Usage("neural.test-views", "%d views, but no augmentation to make them with", n.Views)
	case c.LossKind().Solves && !c.LossKind().Draws && n.Samples > 1:
		return Usage("neural.gumbel-samples", "the loss %s takes the outputs as they are, without draws; set 0", c.Loss)
	}
	own, ok := c.Options.(Section)
	if ok {
		if err := own.Validate(c); err != nil {
			return err
		}
	}
	// By reflection: a method with another signature is a slip of the same kind, which no interface shows.
	if half := reflect.ValueOf(c.Options); !ok && half.IsValid() && (half.MethodByName("Validate").IsValid() || half.MethodByName("Uses").IsValid()) {
		return Usage("options", "%T has a method Validate or Uses, which is never called: a config.Section has both", c.Options)
	}
	return c.validateBilevel()
}

// Defaults returns settings that any task can begin with, for the choice that a Task
// is given: 20 epochs of batches of 10 with Adam, a cosine and averaged weights; cold
// draws and their soft minimum, as docs/LEARNING.md has them, for losses that take draws;
// rule weights that stay as they are written.
func Defaults(choice Config) Config {
	c := Config{
		Task: choice.Task, Loss: cmp.Or(choice.Loss, "energy"), Recipe: cmp.Or(choice.Recipe, "best"), System: "neupsl",
		Training: Training{Batch: 10, Epochs: 20, ValidEvery: 100, Keep: 2},
		Neural: Neural{
			LearningRate: 2e-3, Schedule: "cosine", ClipNorm: 3, Average: 0.99,
			Samples: 32, DrawTemperature: 0.2, TemperatureStart: 0.3, TemperatureMin: 0.25, TestTemperature: 1,
			Augment: "none", Pretrain: "none",
		},
		Symbolic: Symbolic{Solver: "auto", Epsilon: 1e-3, Gap: 1e-6, WeightOptions: optim.WeightOptions{Step: 1e-2, Regularizer: optim.Regularizer{NegLog: 1e-3}}, FreezeRules: true},
		Bilevel: bilevel.Lagrangian{
			ProxWeight: 1e-2, EnergyCoefficient: 10, PointStep: 1e-2, ConstraintDraws: 1, InitialMultiplier: 0.1, TestEvery: 5,
			Stationarity: bilevel.StationarityMovement,
		},
	}
	if kind := c.LossKind(); kind.Solves && !kind.Draws {
		c.Neural.Samples = 0
	}
	if c.Loss == string(bilevel.LossAnswer) {
		c.Neural.DrawTemperature = 0
	}
	return c
}
