package train

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hinge/bilevel"
	"hinge/optim"
)

// Config is the complete description of a run: together with the data and the
// version of the program it determines every bit of the result. It is read
// from and written to TOML; the run folder holds the resolved form.
type Config struct {
	// Task names a Task, Loss is one of Losses, which learn through the value function,
	// or one of the task's own (see Chooser). Recipe is best (ours) or paper (the
	// settings of the paper's experiments).
	Task   string `toml:"task"`
	Loss   string `toml:"loss"`
	Recipe string `toml:"recipe"`
	// System is what learns: neupsl, or a system of the task's that it is compared
	// with (see Chooser), which has a loss of its own and for which Loss and the
	// section symbolic mean nothing. Empty means neupsl.
	System string `toml:"system"`
	// Split is the data split 0, 1, …, Seed the seed of everything random but the
	// split.
	Split int    `toml:"split"`
	Seed  uint64 `toml:"seed"`
	// Rules is a rule file that replaces the task's own; empty means its own.
	Rules string `toml:"rules"`

	Training Training `toml:"training"`
	Neural   Neural   `toml:"neural"`
	Symbolic Symbolic `toml:"symbolic"`
	// Bilevel holds the parameters of the losses mse and bce. Its key draws counts
	// Gumbel samples, its key samples examples of a batch.
	Bilevel bilevel.Lagrangian `toml:"bilevel"`
	// Options is the task's own section: a pointer to a struct with toml tags, which the
	// task's Defaults makes, or nil. It is saved, hashed and compared on resume with
	// all else, and checked where it is a Section. Copies of a Config share it.
	Options any `toml:"options,omitempty"`
}

// Training holds the budget and the stop rules.
type Training struct {
	// Steps and Epochs bound the run; the smaller budget wins, 0 means no bound.
	// At least one must be set.
	Steps  int `toml:"steps"`
	Epochs int `toml:"epochs"`
	// Batch is the number of examples a gradient step sees.
	Batch int `toml:"batch"`
	// Shards is the number of parts that every batch is cut into: each is a pass of its
	// own through the network, with batch statistics of its own (but see
	// Neural.SyncBatchNorm), and the gradients are added in the order of the parts, by one process or by ranks that divide them. 0
	// means 1. The result depends on it, and not on the number of ranks.
	Shards int `toml:"shards,omitempty"`
	// FixedBatches keeps the same batches in every epoch and permutes only their
	// order; examples that do not fill a batch are never learned from.
	FixedBatches bool `toml:"fixed-batches"`
	// SumLoss learns from the sum over a batch instead of the mean. Adam does not
	// see the difference, but gradient clipping does.
	SumLoss bool `toml:"sum-loss,omitempty"`
	// ValidEvery is the number of steps between validations. Patience stops the
	// run when the last improvement lies more than that many steps back (a tie
	// counts as an improvement); 0 never stops.
	ValidEvery int `toml:"valid-every"`
	Patience   int `toml:"patience"`
	// LastWeights tests the last weights instead of the best on validation: for
	// schedules that end with steps of zero, where the averages have settled and
	// to choose by a few hundred examples is to choose by chance.
	LastWeights bool `toml:"last-weights,omitempty"`
	// CheckpointEvery is the number of steps between checkpoints. 0 means by
	// time: after the first step that ends a minute or more after the last
	// checkpoint. Keep is how many checkpoints stay while a run goes on; the newest
	// stays of one that has ended.
	CheckpointEvery int `toml:"checkpoint-every"`
	Keep            int `toml:"keep"`
	// MoreTest tests the final weights on the task's further examples too; with
	// NoTest they are a further validation.
	MoreTest bool `toml:"more-test"`
	// FreshTest tests the final weights on the task's fresh examples too, which no
	// choice of settings has seen (see FreshTester).
	FreshTest bool `toml:"fresh-test,omitempty"`
	// NoTest is for runs that settings are chosen by: no test example is answered.
	NoTest bool `toml:"no-test,omitempty"`
}

// shards is the number of parts of a batch.
func (t *Training) shards() int { return max(t.Shards, 1) }

// Pass is the number of examples that the model is given at a time: those of a batch, or of
// each of its shards.
func (t *Training) Pass() int { return t.Batch / t.shards() }

// Neural holds the network and its optimiser.
type Neural struct {
	// LearningRate is Adam's step. Schedule is constant or cosine (to zero at
	// the end of the budget, after Warmup epochs of linear growth).
	LearningRate float64 `toml:"learning-rate"`
	Schedule     string  `toml:"schedule"`
	Warmup       int     `toml:"warmup-epochs"`
	// WeightDecay is added to the gradient, or applied to the weights directly
	// when Decoupled (AdamW; then biases and batch norm do not decay).
	WeightDecay float64 `toml:"weight-decay"`
	Decoupled   bool    `toml:"decoupled-decay"`
	// ClipNorm bounds the global gradient norm; 0 does not clip.
	ClipNorm float64 `toml:"clip-norm"`
	// Average is the decay per step of the moving average of the weights that
	// validation and test use; 0 uses the weights themselves.
	Average float64 `toml:"average"`
	// Channels is the number of the backbone's input channels, 1 (or 0) or 3; grey
	// images are repeated over them.
	Channels int `toml:"channels,omitempty"`
	// SyncBatchNorm takes the statistics of batch normalisation in training over all
	// shards of a batch together, not by shard: the run is then that of whole batches,
	// but for rounding and for noise, which is drawn by shard. One shard needs none.
	SyncBatchNorm bool `toml:"sync-batch-norm,omitempty"`
	// Dropout is the probability of the head's dropout.
	Dropout float64 `toml:"dropout"`
	// Samples is K, the Gumbel-softmax draws a forward pass makes in training.
	// 0 means a plain softmax.
	Samples int `toml:"gumbel-samples"`
	// DrawTemperature T > 0 takes the soft minimum −T log mean e^(−V/T) of an
	// example's values over the samples where 0 takes their mean.
	DrawTemperature float64 `toml:"draw-temperature"`
	// NoisyTest leaves one Gumbel draw on in validation and test.
	NoisyTest bool `toml:"gumbel-at-test"`
	// The temperature of the softmax in training is
	// max(TemperatureMin, TemperatureStart·exp(−TemperatureDecay·epoch)); a start of 0
	// means 1.
	TemperatureStart float64 `toml:"temperature-start,omitempty"`
	TemperatureDecay float64 `toml:"temperature-decay"`
	TemperatureMin   float64 `toml:"temperature-min"`
	// TemperatureSpread ≥ 1 has the draws of a forward pass in training at temperatures
	// that grow geometrically up to that multiple: hot ones still see what a confident
	// network gets wrong, where the derivative of a cold softmax is zero. 0 means 1.
	TemperatureSpread float64 `toml:"temperature-spread,omitempty"`
	// NoiseSpread ≥ 1 has the noise of those draws grow geometrically up to that multiple:
	// loud ones still draw the classes that a confident network excludes. 0 means 1.
	NoiseSpread float64 `toml:"noise-spread,omitempty"`
	// TestTemperature is the softmax temperature in validation and test.
	TestTemperature float64 `toml:"test-temperature"`
	// Augment names how training images are distorted, anew in every step: none
	// (or empty), light or strong.
	Augment string `toml:"augment"`
	// AugmentRamp is the share of the run, 0 to 1, over which the distortion grows
	// linearly from none to its full strength.
	AugmentRamp float64 `toml:"augment-ramp"`
	// Views is the number of distorted views of each image, beside the plain
	// one, that the test averages the network's outputs over, and the last
	// validation, of the weights that are tested; ViewStrength scales the
	// distortions against those of training. Validation between steps only
	// compares weights and looks at the plain image.
	Views        int     `toml:"test-views"`
	ViewStrength float64 `toml:"test-view-strength"`
	// Pretrain names the pre-training of the backbone on the training images:
	// none (or empty), simclr (as the reference experiments) or best (a quick and
	// milder form of it).
	Pretrain string `toml:"pretrain"`
}

// Symbolic holds the solver and the learning of the rule weights.
type Symbolic struct {
	// Solver is an inference method of package infer.
	Solver string `toml:"solver"`
	// Epsilon is ε of the regularised LCQP (paper, section 5.1).
	Epsilon float64 `toml:"epsilon"`
	// Gap is the primal–dual gap per connected component at which a solve stops.
	Gap float64 `toml:"gap"`
	// WeightOptions are the step on the rule weights: on the simplex, so not
	// optim.Gradient.
	optim.WeightOptions
	// After is the share of the run, 0 to 1, that goes by before the rule weights
	// move (ours): a rule can be told to be wrong only where the network already
	// reads its images.
	After float64 `toml:"rules-after,omitempty"`
	// Check re-checks every solve outside the solver.
	Check bool `toml:"check"`
	// FreezeRules leaves the rule weights where they start, at the rule file's on the
	// unit simplex; WeightOptions and After mean nothing then.
	FreezeRules bool `toml:"freeze-rules,omitempty"`
}

// Losses lists the losses that every task has: they learn through the value
// function.
var Losses = []string{"energy", "sp", "mse", "bce"}

// Augmentations lists the strengths of image distortion.
var Augmentations = []string{"none", "light", "strong"}

// Recipes lists the recipes that exist.
var Recipes = []string{"best", "paper"}

// A UsageError is a fault of the configuration or of a flag: it names the key
// and says what is allowed.
type UsageError struct{ Key, Problem string }

func (e *UsageError) Error() string { return e.Key + ": " + e.Problem }

// Usage returns a *UsageError about a key of the configuration, its problem formatted.
func Usage(key, format string, args ...any) error {
	return &UsageError{Key: key, Problem: fmt.Sprintf(format, args...)}
}

// Section is implemented by the own section of a task (Config.Options) that checks
// itself.
type Section interface {
	// Validate reports the first setting that makes no sense, as a UsageError; c is the
	// whole configuration.
	Validate(c *Config) error
}

// Chooser is implemented by the own section of a task that has losses beside Losses,
// or systems beside neupsl.
type Chooser interface {
	OwnLosses() []string
	OwnSystems() []string
}

// Sizer is implemented by the own section of a task that comes in sizes; the default
// name of a run folder has it.
type Sizer interface{ Size() int }

// OptionsOf returns the task's own section as what the task made it.
func OptionsOf[T any](c *Config) (*T, error) {
	o, ok := c.Options.(*T)
	if !ok || o == nil {
		return nil, Usage("options", "the section is missing, or that of another task than %s", c.Task)
	}
	return o, nil
}

// NeuPSL tells whether NeuPSL learns, not a system it is compared with.
func (c *Config) NeuPSL() bool { return c.System == "" || c.System == "neupsl" }

// Validate reports the first setting that makes no sense, as a UsageError.
func (c *Config) Validate() error {
	t, n, s := &c.Training, &c.Neural, &c.Symbolic
	losses, systems := Losses, []string{"neupsl"}
	if own, ok := c.Options.(Chooser); ok {
		losses, systems = slices.Concat(losses, own.OwnLosses()), append(systems, own.OwnSystems()...)
	}
	switch {
	case !slices.Contains(losses, c.Loss):
		return Usage("loss", "%q is none of %s", c.Loss, strings.Join(losses, ", "))
	case !slices.Contains(Recipes, c.Recipe):
		return Usage("recipe", "%q is none of %s", c.Recipe, strings.Join(Recipes, ", "))
	case c.System != "" && !slices.Contains(systems, c.System):
		return Usage("system", "%q is none of %s", c.System, strings.Join(systems, ", "))
	case c.Split < 0:
		return Usage("split", "%d is negative", c.Split)
	case c.Seed > math.MaxInt64:
		return Usage("seed", "%d is above %d", c.Seed, uint64(math.MaxInt64))
	case t.Steps < 0 || t.Epochs < 0:
		return Usage("steps", "the budget is negative (steps %d, epochs %d)", t.Steps, t.Epochs)
	case t.Steps == 0 && t.Epochs == 0:
		return Usage("steps", "no budget: set steps or epochs")
	case t.Batch <= 0:
		return Usage("training.batch", "%d is not a positive number", t.Batch)
	case t.Shards < 0:
		return Usage("training.shards", "%d is negative", t.Shards)
	case t.Batch%t.shards() != 0:
		return Usage("training.shards", "batches of %d do not divide into %d shards; set training.batch to a multiple, such as %d", t.Batch, t.Shards, (t.Batch/t.Shards+1)*t.Shards)
	case c.Bilevel.ConstraintSamples%t.shards() != 0:
		return Usage("bilevel.samples", "%d do not divide into %d shards; set a multiple", c.Bilevel.ConstraintSamples, t.Shards)
	case t.ValidEvery <= 0:
		return Usage("training.valid-every", "%d is not a positive number of steps", t.ValidEvery)
	case t.Patience < 0 || t.CheckpointEvery < 0:
		return Usage("training.patience", "patience %d and checkpoint-every %d must not be negative", t.Patience, t.CheckpointEvery)
	case t.Patience > 0 && t.LastWeights:
		return Usage("training.patience", "%d steps without an improvement mean nothing where the last weights are tested", t.Patience)
	case t.NoTest && t.FreshTest:
		return Usage("training.no-test", "a run that must not be tested cannot have a fresh-test; leave one of them out")
	case t.Keep <= 0:
		return Usage("training.keep", "%d: at least one checkpoint must stay", t.Keep)
	case !(n.LearningRate > 0):
		return Usage("neural.learning-rate", "%v is not a positive number", n.LearningRate)
	case n.Schedule != "constant" && n.Schedule != "cosine":
		return Usage("neural.schedule", "%q is none of constant, cosine", n.Schedule)
	case !(n.WeightDecay >= 0) || !(n.ClipNorm >= 0) || n.Warmup < 0:
		return Usage("neural", "weight-decay %v, clip-norm %v and warmup-epochs %d must not be negative", n.WeightDecay, n.ClipNorm, n.Warmup)
	case !(n.Average >= 0 && n.Average < 1):
		return Usage("neural.average", "%v is outside [0, 1)", n.Average)
	case n.Channels != 0 && n.Channels != 1 && n.Channels != 3:
		return Usage("neural.channels", "%d is neither 1 nor 3", n.Channels)
	case !(n.Dropout >= 0 && n.Dropout < 1):
		return Usage("neural.dropout", "%v is outside [0, 1)", n.Dropout)
	case n.Samples < 0 || !(n.DrawTemperature >= 0):
		return Usage("neural.gumbel-samples", "%d samples and draw-temperature %v must not be negative", n.Samples, n.DrawTemperature)
	case !(n.TemperatureDecay >= 0) || !(n.TemperatureMin > 0) || !(n.TestTemperature > 0) || !(n.TemperatureStart >= 0):
		return Usage("neural.temperature-min", "temperatures must be positive and the decay not negative")
	case n.TemperatureSpread != 0 && !(n.TemperatureSpread >= 1):
		return Usage("neural.temperature-spread", "%v is neither 0 nor at least 1", n.TemperatureSpread)
	case n.NoiseSpread != 0 && !(n.NoiseSpread >= 1):
		return Usage("neural.noise-spread", "%v is neither 0 nor at least 1", n.NoiseSpread)
	case n.Augment != "" && !slices.Contains(Augmentations, n.Augment):
		return Usage("neural.augment", "%q is none of %s", n.Augment, strings.Join(Augmentations, ", "))
	case !(n.AugmentRamp >= 0 && n.AugmentRamp <= 1):
		return Usage("neural.augment-ramp", "%v is outside [0, 1]", n.AugmentRamp)
	case n.Views < 0 || !(n.ViewStrength >= 0 && n.ViewStrength <= 1):
		return Usage("neural.test-views", "%d views of strength %v: the number must not be negative, the strength in [0, 1]", n.Views, n.ViewStrength)
	case n.Views > 0 && (n.Augment == "" || n.Augment == "none"):
		return Usage("neural.test-views", "%d views, but no augmentation to make them with", n.Views)
	case n.Pretrain != "" && !slices.Contains(Pretrainers, n.Pretrain):
		return Usage("pretrain", "%q is none of %s", n.Pretrain, strings.Join(Pretrainers, ", "))
	case !(s.Epsilon > 0):
		return Usage("symbolic.epsilon", "%v is not a positive number", s.Epsilon)
	case !(s.Gap > 0):
		return Usage("symbolic.gap", "%v is not a positive number", s.Gap)
	case s.Method != "" && s.Method != optim.Mirror && s.Method != optim.Projected:
		return Usage("symbolic.method", "%q is none of mirror, projected", s.Method)
	case !(s.After >= 0 && s.After <= 1):
		return Usage("symbolic.rules-after", "%v is outside [0, 1]", s.After)
	case !(s.Step >= 0) || !(s.NegLog >= 0) || !(s.Entropy >= 0) || !(s.L2 >= 0):
		return Usage("symbolic.mirror-step", "the step and the regularisers must not be negative")
	case math.IsNaN(s.MaxNorm):
		return Usage("symbolic.clip", "%v is not a number", s.MaxNorm)
	}
	switch own := c.Options.(type) {
	case map[string]any:
		return Usage("options", "the task has no section of its own")
	case Section:
		if err := own.Validate(c); err != nil {
			return err
		}
	}
	return c.validateBilevel()
}
