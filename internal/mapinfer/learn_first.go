package mapinfer

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"hinge/bilevel"
	"hinge/internal/cli"
	"hinge/optim"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/weights"
)

// learnsFirst tells whether the model is learned before it is inferred: it has
// data to learn from, and nobody named a partition, weights or -learn.
func (j *job) learnsFirst() bool {
	return j.m.Learns && j.loss == "" && j.rules == "" && j.partition == string(model.Infer) && !j.partitionSet
}

// learnFirst learns the weights from the partition learn with the method and the
// parameters of the model, as the reference does, and gives them to the rules to
// infer with. A model without data to infer is only learned.
func (j *job) learnFirst() error {
	o := *j.options
	o.partition = string(model.Learn)
	k := newJob(&o, j.stop, j.progress, j.stdout)
	k.doubts = j.doubts
	if err := k.load(); err != nil {
		return err
	}
	k.warnOfIntegers()
	options := &k.m.Options.Learning
	instead, err := options.Check()
	if err != nil {
		return err
	}
	for _, text := range instead {
		k.add(model.Warning{Warning: psl.Warning{Pos: psl.Pos{File: k.m.File}, Msg: text}, Loud: true})
	}
	k.loss, k.name = options.Method, options.Inference
	if k.name == "" || k.name == "admm" {
		// ADMM is its default; an exact method finds the same point.
		k.name = infer.DefaultMethod().Name()
	}
	if o.epsilon = j.options.epsilon; !j.epsilonSet {
		o.epsilon = dualEpsilon
		if e := k.m.Options.Epsilon; e > 0 {
			o.epsilon = e
		}
	}
	if err := k.ground(); err != nil {
		return err
	}
	if k.strict {
		if err := k.strictly(); err != nil {
			return err
		}
	}
	l := new(learned)
	if l.rules, err = k.softRules(); err != nil {
		return err
	}
	if err := k.learnWith(options, l); err != nil {
		return k.learningError(err)
	}
	if !j.m.Infers {
		return k.finish(l)
	}
	for i, r := range l.rules {
		r.Weight = l.Weights[i]
	}
	own := slices.Clone(j.m.Rules.Rules[len(j.m.Rules.Rules)-j.m.Own:])
	j.m.Rules = &psl.Program{Rules: append(slices.Clone(k.m.Rules.Rules), own...)}
	j.m.Rules.Distinct()
	j.first, l.loss, l.epsilon = l, k.loss, k.epsilon
	return nil
}

// config turns the model's options of learning into those of package weights.
func (j *job) config(o *model.Learning) (weights.Config, error) {
	method, err := j.inferenceMethod()
	if err != nil {
		return weights.Config{}, err
	}
	c := weights.Config{
		Loss: bilevel.LossName(o.Method), Epsilon: j.epsilon, Step: o.StepSize, Shrink: o.Shrink, MaxNorm: o.MaxGradient,
		NegLog: o.NegLog, Entropy: o.Entropy, L2: o.L2, Epochs: o.Steps + 1, ScoreEvery: o.CheckEvery, Patience: -1,
		Lagrangian: bilevel.Lagrangian{
			ProxWeight: o.ProxWeight, EnergyCoefficient: o.EnergyCoefficient, PointStep: o.PointStep,
			InitialPenalty: o.Penalty, PenaltyGrowth: o.PenaltyGrowth, InitialMultiplier: o.Multiplier, ConstraintTolerance: o.GapTolerance,
		},
		Solver: infer.Settings{Method: method, Workers: j.threads},
	}
	if !o.Clip {
		c.MaxNorm = -1
	}
	if o.Multiplier == 0 {
		c.InitialMultiplier = -1
	}
	if o.TrainingBreak && !o.Full {
		c.Patience = o.TrainingPatience
	}
	if o.Full {
		c.ConstraintTolerance = math.SmallestNonzeroFloat64
	}
	if !slices.Contains(exact, j.name) {
		c.Gap = referenceGap
		if j.m.Options.Gap > 0 {
			c.Gap = j.m.Options.Gap
		}
	}
	if _, err := c.Resolve(); err != nil {
		return c, cli.Usage("%s: learning: %v", j.m.File, err)
	}
	return c, nil
}

// learnWith learns with the options of a model.
func (j *job) learnWith(o *model.Learning, l *learned) error {
	problem, err := j.learningProblem()
	if err != nil {
		return err
	}
	c, err := j.config(o)
	if err != nil {
		return err
	}
	l.start = j.program.Weights()
	if err := optim.ToSimplex(l.start); err != nil {
		return err
	}
	if !o.Weights {
		// The reference scales them all the same.
		l.Result = &weights.Result{Weights: slices.Clone(l.start), Stopped: weights.StoppedEpochs, BestScore: math.NaN()}
		return nil
	}
	if !o.TrainingBreak {
		problem.Score = nil
	}
	var epoch atomic.Int64
	j.progress.start("learning by "+o.Method, func() string { return fmt.Sprintf("step %d of at most %d", epoch.Load(), o.Steps+1) })
	if c.Loss.Bilevel() {
		l.Result, err = weights.Learn(j.stop.ctx, problem, c, func(p weights.Progress) { epoch.Store(int64(p.Epoch)) })
		return err
	}
	l.Result, err = j.steps(o, problem, c, &epoch)
	return err
}

// stoppedMovement is a reason to stop that package weights does not know: the
// weights hardly move. stoppedTimeout is another.
const (
	stoppedMovement weights.Stopped = "movement"
	stoppedTimeout  weights.Stopped = "timeout"
)

// steps learns by sp or energy, whose only state are the weights, one call of
// weights.Learn a step: the reference's stop rules ask for the weights between
// steps. Tests come after the steps 0, n, 2n, …
func (j *job) steps(o *model.Learning, p weights.Problem, c weights.Config, epoch *atomic.Int64) (*weights.Result, error) {
	begin := time.Now()
	total := &weights.Result{Stopped: weights.StoppedEpochs, BestScore: math.NaN()}
	v, err := j.validation(o)
	if err != nil {
		return nil, err
	}
	c.Epochs, c.ScoreEvery, c.Shrink = 1, 1, false
	w := j.program.Weights()
	if err := optim.ToSimplex(w); err != nil {
		return nil, err
	}
	for step := 0; ; step++ {
		epoch.Store(int64(step + 1))
		if err := v.rate(step, w); err != nil {
			return nil, err
		}
		for i := range j.program.Rules {
			j.program.Rules[i].Weight = w[i]
		}
		if c.Step = o.StepSize; o.Shrink {
			c.Step /= float64(step + 1)
		}
		score := math.NaN()
		r, err := weights.Learn(j.stop.ctx, p, c, func(p weights.Progress) { score = p.Score })
		if err != nil {
			return nil, err
		}
		total.Epochs, total.Incompatibility = step+1, r.Incompatibility
		total.SolverS, total.Solves, total.Unsolved = total.SolverS+r.SolverS, total.Solves+r.Solves, total.Unsolved+r.Unsolved
		if step%o.TrainingEvery == 0 && score == score && !(score <= total.BestScore) {
			total.BestScore, total.BestEpoch = score, step
		}
		moved := 0.0
		for i := range w {
			moved += (r.Weights[i] - w[i]) * (r.Weights[i] - w[i]) / float64(len(w))
		}
		w = r.Weights
		switch {
		case o.Timeout > 0 && time.Since(begin).Seconds() > o.Timeout:
			total.Stopped = stoppedTimeout
		case step%o.CheckEvery != 0:
			continue
		case step >= o.Steps:
		case o.Full:
			continue
		case o.TrainingBreak && score == score && step-total.BestEpoch > o.TrainingPatience,
			o.ValidationBreak && v != nil && step-v.bestStep > o.ValidationPatience:
			total.Stopped = weights.StoppedPatience
		case o.MovementBreak && moved <= o.Movement:
			total.Stopped = stoppedMovement
		default:
			continue
		}
		break
	}
	if total.Weights = w; o.KeepBest && v != nil && v.best != nil {
		total.Weights, total.BestScore, total.BestEpoch = v.best, v.bestScore, v.bestStep
	}
	total.WallS = time.Since(begin).Seconds()
	return total, nil
}

// summary is what -json prints of l, nil if nothing was learned.
func (l *learned) summary() *firstLearned {
	if l == nil {
		return nil
	}
	s := &firstLearned{Loss: l.loss, Epsilon: l.epsilon, Epochs: l.Epochs, Stopped: string(l.Stopped), LearnS: l.WallS}
	s.Rules = l.list()
	return s
}

// validator rates weights on the partition validation.
type validator struct {
	*job
	every     int
	score     func(y []float64) (float64, error)
	best      []float64
	bestScore float64
	bestStep  int
}

// validation loads the partition validation, or returns nil if no option asks
// for it.
func (j *job) validation(o *model.Learning) (*validator, error) {
	if !o.ValidationBreak && !o.KeepBest {
		return nil, nil
	}
	options := *j.options
	options.partition = string(model.Validation)
	k := newJob(&options, j.stop, j.progress, j.stdout)
	k.doubts = j.doubts
	if err := k.load(); err != nil {
		return nil, err
	}
	k.epsilon, k.name = j.epsilon, infer.DefaultMethod().Name()
	if err := k.ground(); err != nil {
		return nil, err
	}
	p, err := k.learningProblem()
	if err != nil {
		return nil, err
	}
	if p.Score == nil {
		return nil, cli.Usage("%s: validation needs an evaluator", k.m.File)
	}
	if len(k.program.Rules) != len(j.program.Rules) {
		return nil, cli.Usage("%s: the partitions learn and validation have different rules", k.m.File)
	}
	return &validator{job: k, every: o.ValidationEvery, score: p.Score, bestScore: math.Inf(-1)}, nil
}

// rate rates the weights before a step. Ties count as better, as in the
// reference.
func (v *validator) rate(step int, w []float64) error {
	if v == nil || step%v.every != 0 {
		return nil
	}
	if err := v.instance.SetWeights(w); err != nil {
		return err
	}
	if err := infer.Solve(v.instance, nil, infer.Settings{Workers: v.threads}, &v.result); err != nil {
		return err
	}
	if v.result.Status == infer.Infeasible {
		return v.infeasible(v.result.Certificate)
	}
	s, err := v.score(v.result.Y)
	if err == nil && s >= v.bestScore-1e-6 {
		v.best, v.bestScore, v.bestStep = slices.Clone(w), s, step
	}
	return err
}
