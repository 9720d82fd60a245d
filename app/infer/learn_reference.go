package infer

import (
	"cmp"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/bilevel"
	"hinge/optim"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/config"
	"hinge/train/modelfile"
)

// updates maps the steps on weights of the reference to methods.
var updates = map[string]optim.Method{
	"": optim.Mirror, "MIRROR_DESCENT": optim.Mirror, "PROJECTED_GRADIENT": optim.Projected, "GRADIENT_DESCENT": optim.Gradient,
}

// weightOptions are the options of the model about the step on the weights.
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

// never is a number of steps that no run makes.
const never = 1 << 30

// referenceSettings are those that the options of the model say, which are here alone turned into
// ours, and the reference's defaults. validates is true where the partition validation chooses.
func (l *learned) referenceSettings(c *command, in *problem.Input) (validates bool, err error) {
	o := &in.Options.Learning
	instead, err := o.Check()
	if err != nil {
		return false, err
	}
	for _, text := range instead {
		c.Add(model.Warning{Warning: psl.Warning{Pos: psl.Pos{File: in.File}, Msg: text}, Loud: true})
	}
	if !o.Weights {
		return false, cli.Usage("%s: gradientdescent.symbolicweightlearning is false, and without networks there is nothing else to learn; --infer infers with the weights as written", in.File)
	}
	l.inferred = in.Epsilon
	in.Method, in.Options.Method = o.Inference, o.Inference
	if in.Method == "" || problem.IsADMM(in.Method) {
		// ADMM is the default of the reference. An exact method finds the optimum that ADMM
		// only approaches.
		in.Method = infer.DefaultMethod().Name()
	}
	if in.Epsilon = c.Epsilon; !c.EpsilonSet {
		// Its ADMM has no ε, in learning as in inference.
		in.Epsilon = cmp.Or(in.Options.Epsilon, in.DefaultEpsilon(c.Options))
	}
	cfg, err := modelfile.Task{}.Defaults(config.Config{Task: modelfile.Task{}.Names()[0], Loss: o.Method, System: "neupsl", Options: &modelfile.Options{Model: in.File}})
	if err != nil {
		return false, err
	}
	cfg.Options.(*modelfile.Options).Model = in.File
	cfg.Symbolic = config.Symbolic{Solver: in.Method, Epsilon: in.Epsilon, Gap: c.Gap, WeightOptions: weightOptions(o)}
	// The reference tests whether it is done after the steps 1, n + 1, 2n + 1, …
	cfg.Training = config.Training{
		Batch: 1, Keep: 2, FixedBatches: true, NoTest: true, StopEvery: o.CheckEvery, Seconds: max(o.Timeout, 0),
		Steps: (o.Steps+o.CheckEvery-1)/o.CheckEvery*o.CheckEvery + 1, ValidEvery: never, LastWeights: !o.KeepBest,
	}
	t := &cfg.Training
	switch {
	case o.ValidationBreak || o.KeepBest:
		validates, t.ValidEvery, t.TiesCount = true, o.ValidationEvery, true
		if o.ValidationBreak {
			t.Patience = o.ValidationPatience + 1 // its steps count from 0
		}
	case o.TrainingBreak && !o.Full:
		if len(in.Evaluations) == 0 { // the reference ends after the patience, having looked at nothing
			return false, cli.Usage("%s: gradientdescent.trainingevaluationbreak needs an evaluator: give a predicate \"evaluations\", or leave the option out", in.File)
		}
		t.ValidEvery, t.Patience = o.TrainingEvery, o.TrainingPatience+1
	}
	cfg.Bilevel = bilevel.Lagrangian{
		ProxWeight: o.ProxWeight, EnergyCoefficient: o.EnergyCoefficient, PointStep: o.PointStep,
		InitialPenalty: o.Penalty, PenaltyGrowth: o.PenaltyGrowth, InitialMultiplier: o.Multiplier, ConstraintTolerance: o.GapTolerance,
		TestEvery: o.CheckEvery, MovementTolerance: 1e-2, Stationarity: bilevel.StationarityMovement, StopOnGap: !o.Full,
		Slack: bilevel.SlackNone, MultiplierFactor: 2, NoFloors: true, LikeReference: true,
	}
	if o.MovementBreak && !bilevel.LossName(o.Method).Bilevel() {
		// The reference has no such rule for bce and mse.
		cfg.Symbolic.Movement = o.Movement
	}
	if o.Full {
		t.Patience, t.StopEvery, cfg.Symbolic.Movement = 0, 0, 0
	}
	l.config = cfg
	return validates, nil
}
