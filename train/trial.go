package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"hinge/bilevel"
	"hinge/nn/difference"
	"hinge/optim"
	"hinge/symbolic/psl"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
)

const (
	// trialSteps is the number of steps in which one batch is learned, trialArrays the number of
	// arrays of parameters, and of rule weights, whose gradient is compared with differences.
	trialSteps, trialArrays = 200, 12
	// Parts of the loss at the start: at most batchLearned is left of a batch that is learned, and more
	// than batchStuck of one that is not learned at all.
	batchLearned, batchStuck = 0.1, 0.9
	// gradientError is how far a gradient in single precision may be from the differences, of the
	// largest entry.
	gradientError = 0.05
)

// A TrialError lists what a Trial has found wrong, a sentence each.
type TrialError struct{ Problems []string }

func (e *TrialError) Error() string {
	return "the check found faults: " + strings.Join(e.Problems, "; ")
}

// ForTrial returns the configuration with which a model is opened for Trial: the settings of a run
// without augmentation, weight decay, averages or a schedule, and with solves that are checked and so
// exact that differences of the loss mean something. Constraints have a slack and a multiplier: they are met
// with equality at the start, where the penalty alone has no gradient, or a kink.
func ForTrial(cfg config.Config) config.Config {
	n := &cfg.Neural
	n.Augment, n.WeightDecay, n.Average, n.Schedule, n.Warmup = "none", 0, 0, "constant", 0
	cfg.Symbolic.Gap, cfg.Symbolic.Check, cfg.Symbolic.After = min(cfg.Symbolic.Gap, 1e-9), true, 0
	if cfg.Loss == string(bilevel.LossAnswer) {
		cfg.Bilevel.Nudge = 1e-4 // the derivative is exact as it goes to 0
	}
	if bilevel.LossName(cfg.Loss).Bilevel() {
		cfg.Bilevel.Slack, cfg.Bilevel.InitialMultiplier = bilevel.SlackExact, max(cfg.Bilevel.InitialMultiplier, 1)
	}
	return cfg
}

// trial is the state of Trial.
type trial struct {
	cfg     *config.Config
	model   learning.Model
	note    func(line string)
	batch   []int
	step    learning.Step
	buffers [][]float32
	warm    []checkpoint.Tensor
	err     error // of a pass
	TrialError
}

// Trial tries a model on the first batch of a run before the run. note is called with a line for
// each finding: the data, the gradient of the loss by network and rule weights, which is compared
// with difference quotients, and how far the loss falls if the model learns this batch alone. What
// is wrong is a *TrialError. The model and cfg are those of ForTrial; the model is of no use
// afterwards.
func Trial(ctx context.Context, cfg config.Config, model learning.Model, note func(line string)) error {
	t := &trial{cfg: &cfg, model: model, note: note}
	examples := model.Examples(learning.TrainPart)
	if cfg.Training.Batch > examples {
		return config.Usage("training.batch", "%d is more than the number of training examples, %d", cfg.Training.Batch, examples)
	}
	if err := model.Neural().StartFrom(cfg.Neural.Init, note); err != nil {
		return err
	}
	t.batch = cfg.Batches(examples, 0)[0][:cfg.Training.Pass()]
	t.step.Temperature = temperature(&cfg).At(0)
	arrays, numbers := learned(model.Neural().Params())
	note(fmt.Sprintf("data       %s, %d in the batch of this check", psl.Count(examples-model.Empty(), "training example"), len(t.batch)))
	note(fmt.Sprintf("learned    %s of networks in %s, %s", psl.Count(numbers, "number"), psl.Count(arrays, "array"), psl.Count(len(model.Loss().Weights()), "rule weight")))
	work, err := model.Gradient(t.step, t.batch)
	if err != nil {
		return err
	}
	if math.IsNaN(work.Loss) || math.IsInf(work.Loss, 0) {
		return &TrialError{[]string{fmt.Sprintf("the loss of the first batch is %v: look for very large features", work.Loss)}}
	}
	t.keep()
	start, err := newLearner(&cfg, model, 1, trialSteps)
	if err != nil {
		return err
	}
	start.keepBest()
	for _, check := range []func() error{t.networks, t.ruleWeights} {
		if err := errors.Join(check(), t.err, ctx.Err()); err != nil {
			return err
		}
	}
	if err := t.overfit(ctx, start, work.DrawSpread); err != nil {
		return err
	}
	if t.Problems != nil {
		return &t.TrialError
	}
	return nil
}

// keep remembers what a pass changes besides gradients.
func (t *trial) keep() {
	for _, b := range t.model.Neural().Buffers() {
		t.buffers = append(t.buffers, slices.Clone(b.Value))
	}
	for _, w := range t.model.Loss().Warm() {
		if d, ok := w.Data.([]float64); ok {
			w.Data = slices.Clone(d)
		}
		t.warm = append(t.warm, w)
	}
}

// loss returns the loss of the batch, NaN after an error. All calls begin in the state of keep.
func (t *trial) loss() float64 {
	for i, b := range t.model.Neural().Buffers() {
		copy(b.Value, t.buffers[i])
	}
	err := t.model.Loss().SetWarm(func(name string) (checkpoint.Tensor, error) {
		at := slices.IndexFunc(t.warm, func(w checkpoint.Tensor) bool { return w.Name == name })
		if at < 0 {
			return checkpoint.Tensor{}, fmt.Errorf("train: the state of the loss has no %s", name)
		}
		return t.warm[at], nil
	})
	var work learning.Work
	if err == nil {
		work, err = t.model.Gradient(t.step, t.batch)
	}
	if err != nil {
		t.err = err
		return math.NaN()
	}
	return work.Loss
}

// networks compares the gradient by the parameters with differences: for arrays that are spread
// over the networks, along the gradient of random halves of an array.
func (t *trial) networks() error {
	params := t.model.Neural().Params()
	if len(params) == 0 {
		return nil
	}
	here := t.loss()
	norm, checked := optim.GradNorm(params), 0
	if norm == 0 {
		t.Problems = append(t.Problems, "the gradient of the networks is zero: no rule connects their outputs with the labels, or the outputs keep all rules whatever the labels are")
		return nil
	}
	grads := make([][]float32, len(params))
	for i, p := range params {
		grads[i] = slices.Clone(p.Grad)
	}
	var worst error
	rng := rand.New(rand.NewPCG(t.cfg.Seed, 1))
	var silent []string
	for i := range params {
		p, grad := params[i], grads[i]
		own := optim.GradNorm([]optim.Param{{Value: p.Value, Grad: grad}})
		if own == 0 {
			silent = append(silent, p.Name)
		}
		if own <= 1e-4*norm || i*trialArrays/len(params) == (i-1)*trialArrays/len(params) && i > 0 {
			continue // such as the bias before a batch norm, whose gradient is rounding alone
		}
		checked++
		// Two random halves of the array, each moved along its gradient: the numbers are in single
		// precision, and a move of one alone drowns in rounding.
		for half := range 2 {
			part := make([]float32, len(grad))
			for j, g := range grad {
				if rng.IntN(2) == half {
					part[j] = g
				}
			}
			if err := t.along(&p, part, max(math.Abs(here), own/10)); err != nil && worst == nil {
				worst = err
			}
		}
	}
	if worst != nil {
		t.Problems = append(t.Problems, fmt.Sprintf("a gradient of the networks is not that of the loss: %v", worst))
		return nil
	}
	t.note(fmt.Sprintf("networks   the gradient is that of differences, in %s; its norm is %.3g", psl.Count(checked, "array"), norm))
	if len(silent) > 0 {
		t.note(fmt.Sprintf("           without a gradient in this batch: %s", strings.Join(silent, ", ")))
	}
	return nil
}

// along compares the derivative of the loss along a part of the gradient of an array with differences.
// A move by 1/256 of them changes the loss by a thousandth of here, or where the loss bends by an eighth
// or a 32nd of that.
func (t *trial) along(p *optim.Param, part []float32, here float64) error {
	square := 0.0
	for _, g := range part {
		square += float64(g) * float64(g)
	}
	if square == 0 {
		return nil
	}
	origin := slices.Clone(p.Value)
	defer copy(p.Value, origin)
	var err error
	for _, change := range []float64{0.256, 0.032, 0.008} {
		at, scale := []float32{0}, change*here/square
		err = difference.Check(p.Name+" along its gradient", at, []float32{float32(scale * square)}, 1, gradientError, func() float64 {
			for j, g := range part {
				p.Value[j] = origin[j] + float32(scale*float64(at[0])*float64(g))
			}
			return t.loss()
		})
		if err == nil {
			return nil
		}
	}
	return err
}

// ruleWeights compares the gradient by the rule weights with differences, in double precision.
func (t *trial) ruleWeights() error {
	w := t.model.Loss().Weights()
	if t.cfg.Symbolic.FreezeRules || len(w) == 0 {
		return nil
	}
	const h = 1e-4
	start := slices.Clone(w)
	for r := range w {
		w[r] = max(w[r], 2*h) // no difference makes it negative
	}
	defer copy(w, start)
	here := t.loss()
	dw := slices.Clone(t.model.Loss().WeightGradient())
	if len(dw) != len(w) {
		return fmt.Errorf("train: %d rule weights have a gradient of %d numbers", len(w), len(dw))
	}
	top := 0.0
	quotients := map[int]float64{}
	for r := 0; r < len(w); r += (len(w) + trialArrays - 1) / trialArrays {
		q := difference.Quotient(w, r, h, t.loss)
		quotients[r], top = q, max(top, math.Abs(q))
	}
	for r, q := range quotients {
		if math.Abs(q-dw[r]) > gradientError*top+1e-4*math.Abs(here) {
			t.Problems = append(t.Problems, fmt.Sprintf("the gradient by the weight of rule %d is %.6g, differences of the loss give %.6g", r+1, dw[r], q))
			return nil
		}
	}
	t.note(fmt.Sprintf("rules      the gradient is that of differences, for %d of %s", len(quotients), psl.Count(len(w), "weight")))
	return nil
}

// overfit learns the batch alone and reports how far its loss falls. Where it does not fall, other
// learning rates are tried. spread is Work.DrawSpread.
func (t *trial) overfit(ctx context.Context, start *learner, spread float64) error {
	key, rate := "neural.learning-rate", t.cfg.Neural.LearningRate
	if len(t.model.Neural().Params()) == 0 {
		key, rate = "symbolic.mirror-step", t.cfg.Symbolic.Step
	}
	first, last, steps, err := t.descend(ctx, start, 1, trialSteps)
	if err != nil {
		return err
	}
	fall := "falls"
	if last > batchStuck*first {
		fall = "hardly falls"
	}
	line := fmt.Sprintf("one batch  its loss %s from %.4g to %.4g in %d steps", fall, first, last, steps)
	if last <= batchLearned*first {
		t.note(line + ": it is learned")
		return nil
	}
	rules := t.model.Loss().Rules()
	why := ""
	if len(rules) > 0 && !holds(rules) {
		least := slices.MinFunc(rules, func(a, b learning.Rule) int { return cmp.Compare(a.Satisfaction, b.Satisfaction) })
		why = fmt.Sprintf("; the rule that the labels of the batch keep least, at satisfaction %.3f, is %s", least.Satisfaction, least.Text)
	}
	try := advice(t.cfg, spread)
	if last <= batchStuck*first {
		t.note(line + ". What is left may be what rules cost even if all outputs are right" + why)
		if try != "" && len(t.model.Neural().Params()) > 0 {
			t.note("           if a run does not learn: " + try)
		}
		return nil
	}
	t.note(line + why)
	for _, factor := range []float64{0.1, 10} {
		_, other, _, err := t.descend(ctx, start, factor, trialSteps/4)
		if err == nil && other <= batchStuck*first {
			t.Problems = append(t.Problems, fmt.Sprintf("one batch is not learned at %s = %.3g; at %.3g its loss falls to %.4g: try -set %s=%.3g", key, rate, factor*rate, other, key, factor*rate))
			return nil
		}
	}
	problem := fmt.Sprintf("one batch is not learned: its loss stays at %.4g, also at a tenth and ten times the learning rate", last)
	if try != "" {
		problem += "; " + try
	}
	t.Problems = append(t.Problems, problem+"; see docs/LEARNING.md")
	return nil
}

// descend learns the batch from a start, by a factor of the learning rates, and returns its loss at the first step and, as the mean of
// a few steps, the least one, with the number of steps that were made.
func (t *trial) descend(ctx context.Context, start *learner, factor float64, most int) (first, least float64, steps int, err error) {
	start.restoreBest()
	t.loss() // with the solvers and points of the start
	cfg := *t.cfg
	cfg.Neural.LearningRate *= factor
	cfg.Symbolic.Step *= factor
	if len(t.model.Neural().Params()) > 0 {
		cfg.Symbolic.FreezeRules = true // or the loss falls by weight on the rules that cost nothing
	}
	l, err := newLearner(&cfg, t.model, 1, most)
	if err != nil {
		return 0, 0, 0, err
	}
	const few = 5
	var losses []float64
	for steps < most && ctx.Err() == nil {
		step := t.step
		step.Number = steps
		work, err := t.model.Gradient(step, t.batch)
		if err != nil {
			return 0, 0, 0, err
		}
		loss := work.Loss
		if work.Terms != nil {
			// Zero where the points are the labels and inference arrives at them.
			loss = (work.Terms.Supervised + work.Terms.Gap) / float64(max(work.Terms.Samples, 1))
		}
		losses = append(losses, loss)
		norm, err := l.apply(step)
		if err != nil {
			return 0, 0, 0, err
		}
		out, err := t.model.Loss().EndEpoch(norm)
		if err != nil {
			return 0, 0, 0, err
		}
		steps++
		n := len(losses)
		mean := 0.0
		for _, v := range losses[max(n-few, 0):] {
			mean += v / float64(min(few, n))
		}
		if n == 1 || mean < least {
			least = mean
		}
		if out.Done || least <= batchLearned/2*losses[0] {
			break
		}
	}
	return losses[0], least, steps, ctx.Err()
}
