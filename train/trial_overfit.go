package train

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"hinge/train/learning"
)

// snapshotOf copies the parameters and rule weights of a model.
func snapshotOf(m learning.Model) snapshot {
	s := snapshot{weights: slices.Clone(m.Loss().Weights())}
	for _, p := range append(m.Neural().Params(), m.Neural().Buffers()...) {
		s.live = append(s.live, slices.Clone(p.Value))
	}
	return s
}

// putBack restores a snapshot of snapshotOf.
func (s *snapshot) putBack(m learning.Model) {
	for i, p := range append(m.Neural().Params(), m.Neural().Buffers()...) {
		copy(p.Value, s.live[i])
	}
	copy(m.Loss().Weights(), s.weights)
}

// overfit learns the batch alone and reports how far its loss falls. Where it does not fall, other
// learning rates are tried. spread is Work.DrawSpread.
func (t *trial) overfit(ctx context.Context, start snapshot, spread float64) error {
	key, rate := "neural.learning-rate", t.cfg.Neural.LearningRate
	if len(t.model.Neural().Params()) == 0 {
		key, rate = "symbolic.mirror-step", t.cfg.Symbolic.Step
	}
	first, last, steps, err := t.descend(ctx, start, 1, trialSteps)
	if err != nil {
		return err
	}
	line := fmt.Sprintf("one batch  its loss falls from %.4g to %.4g in %d steps", first, last, steps)
	if last <= learned*first {
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
	if last <= stuck*first {
		t.note(line + ". What is left may be what rules cost even if all outputs are right" + why)
		if try != "" && len(t.model.Neural().Params()) > 0 {
			t.note("           if a run does not learn: " + try)
		}
		return nil
	}
	t.note(line + why)
	for _, factor := range []float64{0.1, 10} {
		_, other, _, err := t.descend(ctx, start, factor, trialSteps/4)
		if err == nil && other <= stuck*first {
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
func (t *trial) descend(ctx context.Context, start snapshot, factor float64, most int) (first, least float64, steps int, err error) {
	start.putBack(t.model)
	t.loss() // with the solvers and points of the start
	cfg := *t.cfg
	cfg.Neural.LearningRate *= factor
	cfg.Symbolic.Step *= factor
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
		if out.Done || least <= learned/2*losses[0] {
			break
		}
	}
	return losses[0], least, steps, ctx.Err()
}
