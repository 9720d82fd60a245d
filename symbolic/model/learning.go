package model

import (
	"slices"
	"strings"

	"hinge/symbolic/facts"
	"hinge/symbolic/psl"
)

// Learning are the options of weight learning (gradientdescent.*, minimizer.*
// and others), with the defaults of the reference system.
type Learning struct {
	// Method is the loss in the names of package bilevel: sp, energy, mse or bce; or
	// the name of a learner that is not here (runtime.learn.method).
	Method string
	// OutputModel is the file for the learned rules, or "".
	OutputModel string
	// Inference is the inference method of learning in the names of package infer,
	// "" for the default (weightlearning.inference).
	Inference string
	// Weights reports whether weights are learned at all
	// (gradientdescent.symbolicweightlearning).
	Weights bool
	// Steps is the number of steps, StepSize their size; Shrink divides it by the
	// number of the step.
	Steps    int
	StepSize float64
	Shrink   bool
	// NegLog, Entropy and L2 are the factors of the regulariser.
	NegLog, Entropy, L2 float64
	// Clip bounds the largest entry of the gradient by MaxGradient.
	Clip        bool
	MaxGradient float64
	// CheckEvery is the number of steps between two tests of the stop rules, Full
	// switches those off.
	CheckEvery int
	Full       bool
	// Movement is the mean squared change of the weights in one step below which
	// sp and energy end, unless MovementBreak is false.
	MovementBreak bool
	Movement      float64
	// TrainingBreak ends learning when the training metric has not risen for
	// TrainingPatience steps; ValidationBreak likewise with the data of the
	// partition validation. The evaluations take place every TrainingEvery and
	// ValidationEvery steps. KeepBest takes the weights with the best validation metric.
	TrainingBreak, ValidationBreak, Validation, KeepBest bool
	TrainingPatience, ValidationPatience                 int
	TrainingEvery, ValidationEvery                       int
	// Timeout is the most seconds, or ≤ 0.
	Timeout float64
	// The rest is for mse and bce: see bilevel.Lagrangian.
	EnergyCoefficient, Penalty, PenaltyGrowth, Multiplier float64
	ProxWeight, PointStep, GapTolerance                   float64
	// Unread are the names of the options of learning that mean nothing here.
	Unread []string

	// Update is MIRROR_DESCENT, PROJECTED_GRADIENT, GRADIENT_DESCENT, or "" for the
	// first.
	Update string

	norm, batches string
}

// defaultLearning holds the reference's defaults.
var defaultLearning = Learning{
	Method: "sp", Weights: true, Steps: 500, StepSize: 0.1, Shrink: true, NegLog: 1, Entropy: 10, Clip: true, MaxGradient: 25,
	CheckEvery: 10, MovementBreak: true, Movement: 1e-3, TrainingPatience: 25, ValidationPatience: 25, TrainingEvery: 1, ValidationEvery: 1,
	Timeout: -1, EnergyCoefficient: 1, Penalty: 10, PenaltyGrowth: 2, Multiplier: 0.1, ProxWeight: 0.01, PointStep: 0.01, GapTolerance: 0.01,
}

// learners maps the reference's learning methods to losses.
var learners = map[string]string{
	"StructuredPerceptron": "sp", "Energy": "energy", "BinaryCrossEntropy": "bce", "SquaredError": "mse",
}

// searches are methods of the reference that try weights, which are not here either.
var searches = []string{"GridSearch", "RandomGridSearch", "GuidedRandomGridSearch", "ContinuousRandomGridSearch", "Hyperband", "GaussianProcessPrior"}

// absentLearners are methods of the reference that are not here.
var absentLearners = []string{
	"OnlineBinaryCrossEntropy", "OnlineSquaredError", "PolicyGradientBinaryCrossEntropy", "PolicyGradientSquaredError",
	"PolicyGradientBinaryStep", "PolicyGradientEvaluation", "PolicyGradient",
}

// IsLearner reports whether a class is a learning method of the reference.
func IsLearner(class string) bool {
	class = className(class)
	return learners[class] != "" || slices.Contains(allLearners, class)
}

// allLearners lists the learners of the reference that are no loss.
var allLearners = slices.Concat(searches, absentLearners)

// Learners lists the learning methods of the reference that are here.
func Learners() []string { return sortedKeys(learners) }

// learningSettings are the options of learning that are read.
func (l *loader) learningSettings() []setting {
	o := &l.m.Options.Learning
	return []setting{
		{"runtime.learn.method", func(e *option) {
			class := className(e.value)
			if o.Method = learners[class]; o.Method != "" {
				return
			}
			if slices.Contains(allLearners, class) {
				o.Method = class // one that is not here is an error once learning is wanted
				return
			}
			panic(l.hint(e.node, psl.DidYouMean(class, Learners()), "there is no learning method %s; there are %s", facts.Show(e.value), strings.Join(Learners(), ", ")))
		}},
		{"runtime.learn.output.model.path", func(e *option) { o.OutputModel = e.value }},
		{"weightlearning.inference", func(e *option) { o.Inference = l.method(e) }},
		{"weightlearning.timeout", l.number(&o.Timeout, "a number", func(v float64) bool { return v-v == 0 })},
		{"runtime.validation", l.truth(&o.Validation)},
		{"gradientdescent.symbolicweightlearning", l.truth(&o.Weights)},
		{"gradientdescent.symbolicweightupdate", l.word(&o.Update, "MIRROR_DESCENT", "PROJECTED_GRADIENT", "GRADIENT_DESCENT")},
		{"gradientdescent.batchgenerator", func(e *option) { o.batches = className(e.value) }},
		{"gradientdescent.numsteps", l.count(&o.Steps)},
		{"gradientdescent.stepsize", l.positive(&o.StepSize)},
		{"gradientdescent.scalestepsize", l.truth(&o.Shrink)},
		{"gradientdescent.negativelogregularization", l.nonNegative(&o.NegLog)},
		{"gradientdescent.negativeentropyregularization", l.nonNegative(&o.Entropy)},
		{"gradientdescent.l2regularization", l.nonNegative(&o.L2)},
		{"gradientdescent.clipweightgradient", l.truth(&o.Clip)},
		{"gradientdescent.maxgradientmagnitude", l.positive(&o.MaxGradient)},
		{"gradientdescent.maxgradientnorm", func(e *option) { o.norm = strings.ToLower(e.value) }},
		{"gradientdescent.stopcomputeperiod", l.count(&o.CheckEvery)},
		{"gradientdescent.runfulliterations", l.truth(&o.Full)},
		{"gradientdescent.movementbreak", l.truth(&o.MovementBreak)},
		{"gradientdescent.movementtolerance", l.positive(&o.Movement)},
		{"gradientdescent.trainingevaluationbreak", l.truth(&o.TrainingBreak)},
		{"gradientdescent.trainingevaluationpatience", l.count(&o.TrainingPatience)},
		{"gradientdescent.trainingcomputeperiod", l.count(&o.TrainingEvery)},
		{"gradientdescent.validationbreak", l.truth(&o.ValidationBreak)},
		{"gradientdescent.validationpatience", l.count(&o.ValidationPatience)},
		{"gradientdescent.validationcomputeperiod", l.count(&o.ValidationEvery)},
		{"gradientdescent.savevalidationweights", l.truth(&o.KeepBest)},
		{"minimizer.energylosscoefficient", l.nonNegative(&o.EnergyCoefficient)},
		{"minimizer.initialsquaredpenalty", l.positive(&o.Penalty)},
		{"minimizer.squaredpenaltyincreaserate", l.positive(&o.PenaltyGrowth)},
		{"minimizer.initiallinearpenalty", l.nonNegative(&o.Multiplier)},
		{"minimizer.proxruleweight", l.positive(&o.ProxWeight)},
		{"minimizer.proxvaluestepsize", l.positive(&o.PointStep)},
		{"minimizer.objectivedifferencetolerance", l.positive(&o.GapTolerance)},
	}
}

// Check finds options of learning that cannot be honoured. It returns an error if the learner
// does not exist, else their names with the replacement.
func (o *Learning) Check() (instead []string, err error) {
	if slices.Contains(searches, o.Method) {
		return nil, &Error{Msg: "the learning method " + o.Method + ", which tries weights, is not here", Hint: "-learn bce or -learn mse learns them by gradients and keeps those that the evaluator rates best; -learn=none infers with the weights as written"}
	}
	if slices.Contains(absentLearners, o.Method) {
		hint := "-learn=none infers with the weights as written; runtime.learn.method can be " + strings.Join(Learners(), ", ")
		if strings.HasPrefix(o.Method, "PolicyGradient") {
			hint = "networks of classes learn with cmd/train -model FILE -loss k-best"
		}
		return nil, &Error{Msg: "the learning method " + o.Method + " is not here", Hint: hint}
	}
	if o.norm != "" && o.norm != "infinity" {
		instead = append(instead, "gradientdescent.maxgradientnorm "+o.norm+" is not here: the largest entry of the gradient is bounded")
	}
	if o.batches != "" && o.batches != "FullBatchGenerator" {
		instead = append(instead, "gradientdescent.batchgenerator "+o.batches+" is not here: all data are one batch")
	}
	for _, name := range o.Unread {
		if !strings.EqualFold(name, "weightlearning.evaluator") && !strings.HasPrefix(strings.ToLower(name), "connectedcomponents.") {
			instead = append(instead, "the option "+name+" is not here")
		}
	}
	return instead, nil
}
