package infer

import (
	"cmp"
	"math"
	"slices"

	"hinge/app/cli"
	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/weights"
	"hinge/train/weights/search"
)

// plan says how the weights are learned: by the flags of -learn, or by the options of the model.
type plan struct {
	*input // of the partition to learn from
	// loss is the loss, or the name of the search.
	loss string
	// search tries weights; where it is nil, they are learned by gradients as config says.
	search search.Method
	config weights.Config
	// Where scored is true the evaluation may end learning, where fixed is true the weights
	// stay as they are.
	scored, fixed bool
	// options are the model's options, which also say when to stop; nil with -learn.
	options *model.Learning
	// Where infers is true the model is inferred with what was learned.
	infers bool
}

// onlyLearns reports whether -learn asks for weights and no inference.
func (o *options) onlyLearns() bool { return o.loss != "" && o.loss != learnNone }

// learnsFirst reports whether the model is learned before it is inferred. It then has
// data to learn from and no networks (cmd/train learns those), and no flag names a
// partition, rules or a loss.
func (o *options) learnsFirst(m *model.Model) bool {
	return m.Learns && o.loss == "" && o.rules == "" && m.Data.DeepAtoms() == 0 && m.Partition == model.Infer && !o.partitionSet
}

// planLearning says how to learn. The plan is nil where the weights are used as they are. A
// model that is learned before it is inferred is read again, with the partition learn.
func (c *command) planLearning(in *input) (*plan, error) {
	if c.onlyLearns() {
		return planOfFlags(in, c.learning)
	}
	if !c.learnsFirst(in.Model) {
		return nil, nil
	}
	infers := in.Infers
	in, err := c.read(model.Learn)
	if err != nil {
		return nil, err
	}
	o := &in.Options.Learning
	instead, err := o.Check()
	if err != nil {
		return nil, err
	}
	for _, text := range instead {
		c.add(model.Warning{Warning: psl.Warning{Pos: psl.Pos{File: in.File}, Msg: text}, Loud: true})
	}
	p := &plan{input: in, loss: o.Method, options: o, infers: infers, scored: o.TrainingBreak, fixed: !o.Weights}
	in.method = o.Inference
	if in.method == "" || isADMM(in.method) || isIncremental(in.method) {
		// ADMM is the default of the reference. An exact method finds the optimum that ADMM
		// and SGD only approach.
		in.method = infer.DefaultMethod().Name()
	}
	byDefault := dualEpsilon
	if o.Searches() {
		p.search = searchMethod(o)
		byDefault = smallEpsilon // a search only compares weights with each other
	}
	if in.epsilon = c.epsilon; !c.epsilonSet {
		in.epsilon = cmp.Or(in.Options.Epsilon, byDefault)
	}
	if p.search == nil {
		p.config, err = modelConfig(in)
	}
	return p, err
}

// planOfFlags is the plan of -learn.
func planOfFlags(in *input, flags learning) (*plan, error) {
	method, err := in.inferenceMethod()
	if err != nil {
		return nil, err
	}
	c := flags.Config
	c.Epsilon, c.Gap = in.epsilon, cmp.Or(in.gap, in.learningGap())
	c.Solver = infer.Settings{Method: method, Workers: in.threads, MaxIterations: in.Options.MaxIterations(in.method)}
	return &plan{input: in, loss: flags.loss, config: c, scored: true}, nil
}

// learningGap is the gap at which inference stops while weights are learned. It is 0 for
// methods that end with the optimum.
func (in *input) learningGap() float64 {
	if isExact(in.method) {
		return 0
	}
	return cmp.Or(in.Options.Gap, referenceGap)
}

// updates maps the steps on weights of the reference to methods.
var updates = map[string]optim.Method{
	"": optim.Mirror, "MIRROR_DESCENT": optim.Mirror, "PROJECTED_GRADIENT": optim.Projected, "GRADIENT_DESCENT": optim.Gradient,
}

// weightOptions turns the options of the model about the step on the weights into ours.
func weightOptions(o *model.Learning) optim.WeightOptions {
	w := optim.WeightOptions{
		Method: updates[o.Update], Step: o.StepSize, Shrink: o.Shrink, MaxNorm: o.MaxGradient,
		Regularizer: optim.Regularizer{NegLog: o.NegLog, Entropy: o.Entropy, L2: o.L2},
	}
	if !o.Clip {
		w.MaxNorm = -1 // no bound
	}
	return w
}

// modelConfig turns the options of the model into the settings of package weights.
func modelConfig(in *input) (weights.Config, error) {
	method, err := in.inferenceMethod()
	if err != nil {
		return weights.Config{}, err
	}
	o := &in.Options.Learning
	c := weights.Config{
		Loss: bilevel.LossName(o.Method), Epsilon: in.epsilon, WeightOptions: weightOptions(o), ScoreEvery: o.TrainingEvery, Patience: -1,
		// The reference tests whether it is done after the steps 0, n, 2n, …
		Epochs: (o.Steps+o.CheckEvery-1)/o.CheckEvery*o.CheckEvery + 1,
		Lagrangian: bilevel.Lagrangian{
			ProxWeight: o.ProxWeight, EnergyCoefficient: o.EnergyCoefficient, PointStep: o.PointStep,
			InitialPenalty: o.Penalty, PenaltyGrowth: o.PenaltyGrowth, InitialMultiplier: o.Multiplier, ConstraintTolerance: o.GapTolerance,
			TestEvery: o.CheckEvery,
		},
		Solver: infer.Settings{Method: method, Workers: in.threads},
		Gap:    in.learningGap(),
	}
	if o.Multiplier == 0 {
		c.InitialMultiplier = -1
	}
	if o.Full {
		c.ConstraintTolerance = math.SmallestNonzeroFloat64
	}
	if _, err := c.Resolve(); err != nil {
		return c, cli.Usage("%s: learning: %v", in.File, err)
	}
	return c, nil
}

// searchMethod is the search that a model names, with its options.
func searchMethod(o *model.Learning) search.Method {
	s := &o.Search
	draws := search.Draws{Alpha: s.Alpha, Uniform: !s.Dirichlet}
	switch o.Method {
	case "GridSearch":
		return search.Grid{Values: s.Grid}
	case "RandomGridSearch":
		return search.RandomGrid{Values: s.Grid, Locations: s.RandomLocations}
	case "GuidedRandomGridSearch":
		return search.GuidedRandomGrid{Values: s.Grid, Seeds: s.GuidedSeeds, Explore: s.GuidedExplore, Locations: s.RandomLocations}
	case "ContinuousRandomGridSearch":
		return search.ContinuousRandom{Draws: draws, Locations: s.ContinuousLocations}
	case "Hyperband":
		return search.Hyperband{Draws: draws, Size: s.BracketSize, Brackets: s.Brackets, Survival: s.Survival}
	}
	return search.GaussianProcess{Draws: draws, Candidates: s.Candidates, Trials: s.Trials, Explore: s.Explore,
		Scale: s.Scale, Relevance: s.Relevance, Space: search.Space(s.Space), Full: !s.EarlyStop, NoStart: !s.UseStart}
}

// softRules returns the soft rules of the model, one for each weight.
func softRules(p *problem) ([]*psl.Rule, error) {
	soft := slices.DeleteFunc(slices.Clone(p.Rules.Rules), func(r *psl.Rule) bool { return r.Hard })
	if len(soft) == 0 {
		return nil, cli.Usage("-learn: the model has no weighted rule")
	}
	for i, g := range p.program.Rules {
		if i >= len(soft) || g.Source != soft[i].Pos.String() {
			return nil, cli.Usage("-learn: %s: a rule whose filters hold disjunctions has several weights; write a rule for each of them", g.Source)
		}
	}
	return soft, nil
}
