package train

import (
	"fmt"
	"slices"

	"hinge/train/learning"
	"hinge/train/record"
)

// endEpoch ends the epoch of the model and records the outcome.
func (r *run) endEpoch(m *record.Metric) error {
	if r.state.Step%r.perEpoch != 0 {
		return nil
	}
	out, err := r.model.Loss().EndEpoch(m.GradNorm)
	if err != nil {
		return fmt.Errorf("train: end of epoch %d: %w", m.Epoch, err)
	}
	if out.Tested {
		m.Outcome = &out
	}
	if out.Done {
		r.end(record.StoppedGap)
		r.obs.Note(fmt.Sprintf("the learning problem is solved after step %d", r.state.Step))
	}
	return nil
}

// batch returns the examples of a step.
func (r *run) batch(step learning.Step) []int {
	if r.epoch != step.Epoch {
		r.batches = r.cfg.Batches(r.model.Examples(learning.TrainPart), step.Epoch)
		r.epoch = step.Epoch
	}
	return r.batches[step.Number%r.perEpoch]
}

// reportRules asks the model for its table of rules. The table describes the last pass,
// which the last rank has.
func (r *run) reportRules() error {
	r.state.Rules = r.model.Loss().Rules()
	return r.tell(&r.state.Rules, r.comm.Size()-1)
}

// rules is the last table, with the weights in place.
func (r *run) rules() []learning.Rule {
	rules, weights := slices.Clone(r.state.Rules), r.model.Loss().Weights()
	for i := range rules {
		rules[i].Weight = weights[i]
	}
	return rules
}
