package citation

import (
	"hinge/bilevel"
	"hinge/optim"
	"hinge/train/config"
)

// Options is the tasks' own section of a configuration: the form of the data, the
// network and its pre-training.
type Options struct {
	Form string `toml:"form" range:"planetoid | linqs" doc:"published form of the graph"`
	// Network is smoothed, a perceptron on S²X, propagated, a perceptron on X whose
	// outputs take Steps steps of personalised PageRank with the given Teleport,
	// convolution, a graph convolutional network, or words, a perceptron on X.
	// Hidden lists at most one width but for smoothed, exactly one for convolution. The
	// system stochlog follows paths of at most Steps links.
	Network  string  `toml:"network" range:"smoothed | propagated | convolution | words" doc:"what reads a paper"`
	Hidden   []int   `toml:"hidden" range:"[1, inf)" doc:"widths of the hidden layers of the network"`
	Steps    int     `toml:"propagation-steps" range:"[0, inf)" doc:"steps of personalised PageRank of the network propagated"`
	Teleport float64 `toml:"teleport" range:"[0, 1)" doc:"probability of going back in personalised PageRank"`
	Members  int     `toml:"members" range:"[1, inf)" doc:"networks whose outputs are averaged"`

	// Pre-training on the labels alone, with Adam.
	Restarts      int     `toml:"restarts" range:"[1, inf)" doc:"networks of the pre-training on labels, of which the best on validation data is kept"`
	PretrainRate  float64 `toml:"pretrain-rate" range:"(0, inf)" doc:"step size of the pre-training on labels"`
	PretrainDecay float64 `toml:"pretrain-decay" range:"[0, inf)" doc:"L2 decay of the pre-training on labels"`
	PretrainBatch int     `toml:"pretrain-batch" range:"[0, inf)" zero:"all" doc:"labelled papers of a batch of the pre-training on labels"`
	// PretrainPatience 0 looks at no validation paper.
	PretrainEpochs   int `toml:"pretrain-epochs" range:"[1, inf)" doc:"most epochs of the pre-training on labels"`
	PretrainPatience int `toml:"pretrain-patience" range:"[0, inf)" zero:"the network of the last epoch" doc:"epochs without a better network after which the pre-training on labels ends"`
	// Balance: 0 weighs papers alike, 1 classes alike.
	Balance float64 `toml:"class-balance" range:"[0, inf)" doc:"power of the inverse class size that weighs a labelled paper in pre-training"`

	// Labels: train+valid is the published protocol's choice. Test inference observes them.
	// A run that tests its last weights learns from them too; one that chooses weights by
	// the validation papers learns from the training labels only.
	Labels string `toml:"labels" range:"train | train+valid" flag:"labels" doc:"labels that the test of a citation network may use"`

	// CompleteEvery (ours): if a paper's MAP state has a belief of at least Decided, the paper
	// has that topic's label in the loss until the next completion; the others stay latent.
	// Supervised weighs a mean over the known labels against the energy of a paper. With both
	// 0 the loss is the paper's.
	CompleteEvery int     `toml:"complete-every" range:"[0, inf)" zero:"never" for:"answer energy sp" doc:"steps between two completions of the labels by inference"`
	Decided       float64 `toml:"decided" range:"[0, 1]" for:"energy sp" doc:"least belief of a completed label"`
	Supervised    float64 `toml:"supervised" range:"[0, inf)" doc:"weight of the likelihood of the known labels"`

	// The loss answer has labels that inference completes too, of all papers, each a mean
	// over its papers. DropPapers hides whole papers in place of single words, so that
	// their answers are inferred from others.
	Completed    float64 `toml:"completed" range:"[0, inf)" for:"answer" doc:"weight of completed labels against the known ones"`
	Sharpen      float64 `toml:"sharpen" range:"(0, inf)" zero:"no completed labels" for:"answer" doc:"completed labels are the MAP state to the power 1/sharpen, scaled to sums of 1"`
	CompleteFrom int     `toml:"complete-from" range:"[0, inf)" for:"answer" doc:"step from which completed labels weigh"`
	DropPapers   float64 `toml:"drop-papers" range:"[0, 1)" doc:"probability of hiding all words of a paper in a step"`
	Fresh        bool    `toml:"fresh" doc:"start from a network that has not been pre-trained"`
}

// AnswerLoss is the loss bilevel.LossAnswer, which the citation tasks have besides the common
// losses.
const AnswerLoss = string(bilevel.LossAnswer)

// Uses implements config.Section: the graph is one example without images, and one softmax of
// each paper.
func (*Options) Uses(*config.Config) config.Uses {
	return config.Uses{Losses: []string{AnswerLoss}, Without: []string{
		"neural.augment", "neural.augment-ramp", "neural.test-views", "neural.test-view-strength", "neural.channels", "neural.pretrain",
		"neural.gumbel-samples", "neural.draw-temperature", "neural.gumbel-at-test", "neural.temperature-spread", "neural.noise-spread",
		"neural.sync-batch-norm", "training.shards", "training.more-test", "training.fresh-test", "bilevel.draws", "bilevel.samples",
		"neural.init", "neural.freeze", "neural.rates",
	}}
}

// The values of Options.Labels.
const (
	TrainLabels      = "train"
	TrainValidLabels = "train+valid"
)

// OptionsOf returns the tasks' own section of a configuration of Defaults, and panics
// for one that is another task's.
func OptionsOf(cfg *config.Config) *Options { return cfg.Options.(*Options) }

func (c *Options) Validate(cfg *config.Config) error {
	switch {
	case c.CompleteEvery > 0 && bilevel.LossName(cfg.Loss).Bilevel():
		return config.Usage("options.complete-every", "labels that change are for the losses answer, energy and sp, not %s; set it to 0", cfg.Loss)
	case cfg.Loss == AnswerLoss && c.CompleteEvery > 0 && c.Sharpen == 0:
		return config.Usage("options.sharpen", "missing; the loss answer completes labels every %d steps, and needs a number above 0", c.CompleteEvery)
	case c.DropPapers > 0 && c.Network == "smoothed":
		return config.Usage("options.drop-papers", "%v with a smoothed network: want 0", c.DropPapers)
	case c.Network != "smoothed" && len(c.Hidden) > 1 || c.Network == "convolution" && len(c.Hidden) != 1:
		return config.Usage("options.hidden", "%v: %s takes at most one hidden layer, convolution exactly one", c.Hidden, c.Network)
	case c.Network == "propagated" && c.Steps < 1:
		return config.Usage("options.propagation-steps", "%d steps: want at least one", c.Steps)
	case c.Network != "smoothed" && c.PretrainBatch != 0:
		return config.Usage("options.pretrain-batch", "a %s network sees the whole graph; the batch must be 0", c.Network)
	}
	return nil
}

// Defaults returns the configuration of a citation task: cora, citeseer
// or citation-demo.
//
// The recipe "paper" has the published settings: a softmax on twice smoothed
// features, pre-trained with five restarts, then learned jointly with the rule weights; the
// numbers of the loss are from the paper's table. The package comment has the recipe "best".
func Defaults(task, loss, recipe string) config.Config {
	own := &Options{
		Form: "planetoid", Network: "smoothed", Hidden: []int{}, Members: 1, Labels: TrainValidLabels,
		Restarts: 5, PretrainRate: 1.5, PretrainDecay: 1e-4, PretrainBatch: 32, PretrainEpochs: 250, PretrainPatience: 25,
	}
	c := config.Config{
		Task: task, Loss: loss, Recipe: recipe, System: "neupsl",
		Training: config.Training{Batch: 1, Epochs: 1000, ValidEvery: 5, Patience: 50, Keep: 2},
		Neural: config.Neural{
			LearningRate: 1e-2, Schedule: "constant",
			TemperatureMin: 1, TestTemperature: 1, Pretrain: "none",
		},
		Symbolic: config.Symbolic{Solver: "primal", Epsilon: 1e-3, Gap: 1e-3, WeightOptions: optim.WeightOptions{Step: 1e-2, Shrink: true, Regularizer: optim.Regularizer{NegLog: 1e-3}}},
		Options:  own,
	}
	c.Bilevel = bilevel.Lagrangian{ProxWeight: 1e-1, EnergyCoefficient: 1, PointStep: 1e-3}
	if loss == "bce" {
		c.Bilevel.EnergyCoefficient, c.Bilevel.PointStep = 1e-1, 1e-2
	}
	if task == "citeseer" {
		c.Bilevel.EnergyCoefficient, c.Bilevel.PointStep = 1e-1, 1e-2
		if loss == "bce" {
			c.Bilevel.PointStep = 1e-3
		}
		// Keras adds λ‖w‖² to the loss, whose gradient is 2λw.
		own.PretrainRate, own.PretrainDecay = 1, 2e-6
		if loss == "energy" {
			c.Neural.LearningRate, c.Symbolic.Step = 1e-3, 1e-3
		}
	}
	c.Bilevel.Reference()
	c.Training.FixedBatches = true
	switch {
	case recipe != "paper" && loss == AnswerLoss:
		throughRules(&c, own)
	case recipe != "paper":
		best(&c, own)
	}
	return c
}

// throughRules: the network sees a paper's own words, the rules carry citations and
// similar words, and the network learns from the answers of inference alone. Chosen by
// validation papers of splits 30 to 35, with a program of trials.
func throughRules(c *config.Config, n *Options) {
	n.Network, n.Hidden, n.Labels, n.Balance = "words", []int{64}, TrainLabels, 1
	n.Fresh, n.DropPapers, n.Completed, n.Sharpen, n.CompleteEvery, n.CompleteFrom = true, 0.5, 1, 0.5, 10, 100
	// These fit the network without rules that it is compared with.
	n.Restarts, n.PretrainRate, n.PretrainDecay, n.PretrainBatch = 1, 1e-2, 5e-4, 0
	n.PretrainEpochs, n.PretrainPatience = 100, 0
	c.Neural.Dropout, c.Neural.LearningRate, c.Neural.WeightDecay = 0.5, 1e-2, 5e-4
	c.Symbolic.Gap = 1e-7
	// The labels of training papers, which the network soon knows by heart, would have it
	// believed alone: a small step, and a regulariser that holds the weights near each other.
	c.Symbolic.Step, c.Symbolic.Shrink, c.Symbolic.NegLog = 5e-3, false, 1e-2
	c.Training.Epochs, c.Training.ValidEvery, c.Training.Patience, c.Training.LastWeights = 200, 50, 0, true
}

// best: what predicted best on validation papers of the paper's splits in trials of
// ours (table5-selection of lab/cmd/bench varies it). A perceptron with propagation is fitted to the labels
// by cross entropy; then it learns through the rules, from labels that inference
// completes, beside the likelihood of those that are known. Nothing of a run is chosen by
// its validation papers, so that it can learn from their labels too. The losses mse and
// bce have no labels that change, and learn from those that are known.
func best(c *config.Config, n *Options) {
	n.Network, n.Hidden, n.Steps, n.Teleport = "propagated", []int{64}, 10, 0.1
	n.Restarts, n.PretrainRate, n.PretrainDecay, n.PretrainBatch = 1, 1e-2, 5e-4, 0
	n.PretrainEpochs, n.PretrainPatience = 120, 0
	if c.Task == "citeseer" {
		n.PretrainEpochs = 100
	}
	n.Balance, n.Labels = 0.5, TrainLabels
	n.CompleteEvery, n.Decided, n.Supervised = 10, 0.5, 0.3
	c.Neural.Dropout, c.Neural.LearningRate = 0.5, 1e-2
	// The loss is a sum over papers, the loss of pre-training a mean: this is PretrainDecay
	// besides Supervised times the number of papers. Without it the network memorises the few
	// labels while it learns through the rules.
	switch c.Task {
	case "cora":
		c.Neural.WeightDecay = 0.4
	case "citeseer":
		n.Supervised, c.Neural.TestTemperature, c.Neural.WeightDecay = 0.35, 0.5, 0.6
	default:
		c.Neural.WeightDecay = 0.1
	}
	if bilevel.LossName(c.Loss).Bilevel() {
		n.CompleteEvery, c.Neural.WeightDecay = 0, 0
	}
	c.Symbolic.FreezeRules, c.Symbolic.Gap = true, 1e-2
	c.Training.Epochs, c.Training.ValidEvery, c.Training.Patience, c.Training.LastWeights = 100, 50, 0, true
}
