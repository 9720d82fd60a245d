package infer

import (
	"cmp"
	"math"
	"slices"

	"hinge/app/cli"
	"hinge/bilevel"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/weights"
	"hinge/train/weights/search"
)

// lesson is how the weights are learned: as -learn says, or as the model does.
type lesson struct {
	*input // of the partition to learn from
	// loss is the loss, or the name of the search.
	loss string
	// search tries weights; where it is nil, they are learned by gradients as config says.
	search search.Method
	config weights.Config
	// scored tells that the evaluation may end learning, fixed that weights stay as they are.
	scored, fixed bool
	// options are the model's, which also say when to stop; nil with -learn.
	options *model.Learning
	// infers tells that the model is inferred with what was learned.
	infers bool
}

// onlyLearns tells whether -learn asks for weights and no inference.
func (o *options) onlyLearns() bool { return o.loss != "" && o.loss != learnNone }

// learnsFirst tells whether the model is learned before it is inferred: it has
// data to learn from and no networks, which cmd/train learns, and nobody named a
// partition, weights or -learn.
func (o *options) learnsFirst(m *model.Model) bool {
	return m.Learns && o.loss == "" && o.rules == "" && m.Data.DeepAtoms() == 0 && m.Partition == model.Infer && !o.partitionSet
}

// lesson says how to learn, nil where the weights are used as they are. A model that is
// learned before it is inferred has the data for that in the partition learn.
func (c *command) lesson(in *input) (*lesson, error) {
	if c.onlyLearns() {
		return lessonOfFlags(in, c.learning)
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
	l := &lesson{input: in, loss: o.Method, options: o, infers: infers, scored: o.TrainingBreak, fixed: !o.Weights}
	in.method = o.Inference
	if in.method == "" || in.method == "admm" || isIncremental(in.method) {
		// ADMM is its default; an exact method finds what it and SGD come near.
		in.method = infer.DefaultMethod().Name()
	}
	byDefault := dualEpsilon
	if o.Searches() {
		l.search = searchMethod(o)
		byDefault = smallEpsilon // weights count up to a factor then
	}
	if in.epsilon = c.epsilon; !c.epsilonSet {
		in.epsilon = cmp.Or(in.Options.Epsilon, byDefault)
	}
	if l.search == nil {
		l.config, err = modelConfig(in)
	}
	return l, err
}

// lessonOfFlags is the lesson of -learn.
func lessonOfFlags(in *input, flags learning) (*lesson, error) {
	method, err := in.inferenceMethod()
	if err != nil {
		return nil, err
	}
	c := flags.Config
	c.Epsilon, c.Gap = in.epsilon, cmp.Or(in.gap, in.learningGap())
	c.Solver = infer.Settings{Method: method, Workers: in.threads, MaxIterations: in.Options.MaxIterations(in.method)}
	return &lesson{input: in, loss: flags.loss, config: c, scored: true}, nil
}

// learningGap is the gap at which inference stops while weights are learned, 0 for methods
// that end with the optimum.
func (in *input) learningGap() float64 {
	if isExact(in.method) {
		return 0
	}
	return cmp.Or(in.Options.Gap, referenceGap)
}

// updates maps the reference's steps on weights to those of package weights.
var updates = map[string]weights.Update{
	"": weights.UpdateMirror, "MIRROR_DESCENT": weights.UpdateMirror, "PROJECTED_GRADIENT": weights.UpdateProjected, "GRADIENT_DESCENT": weights.UpdateGradient,
}

// modelConfig turns the model's options of learning into those of package weights.
func modelConfig(in *input) (weights.Config, error) {
	method, err := in.inferenceMethod()
	if err != nil {
		return weights.Config{}, err
	}
	o := &in.Options.Learning
	c := weights.Config{
		Loss: bilevel.LossName(o.Method), Epsilon: in.epsilon, Step: o.StepSize, Shrink: o.Shrink, MaxNorm: o.MaxGradient,
		NegLog: o.NegLog, Entropy: o.Entropy, L2: o.L2, ScoreEvery: o.TrainingEvery, Patience: -1, Update: updates[o.Update],
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
	if !o.Clip {
		c.MaxNorm = -1
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

// softRules returns the model's soft rules, one a weight.
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
