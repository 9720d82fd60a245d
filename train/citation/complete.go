package citation

import (
	"fmt"

	"hinge/bilevel"
	"hinge/symbolic/lcqp"
	"hinge/train/checkpoint"
)

// completion is what the loss takes for labels: those that are known and, every so
// many steps anew, the topics that inference is sure of (ours).
//
// With the known labels observed and the network's outputs g as they are, let y* be the
// MAP state. A paper i with max_c y*_ic ≥ Decided counts as labelled with that topic;
// the others stay latent. The loss is then the latent value function V_{z*} with all
// those labels fixed, whose gradient for the outputs of a completed paper is that of
// w·‖g_i − z_i‖², w the weight of the network's rule. This is the hard form of the EM
// algorithm, with inference in the rules as its E step and gradient steps through the
// value function as its M step.
type completion struct {
	sym     *Symbolic
	set     *Options
	known   []int
	decided []float64 // topic of each paper, −1 where none is known or inferred

	completing *bilevel.ValueFunction // starts cold: a run that resumes ends alike
}

// undecided marks a paper without a label in the loss.
const undecided = -1

func newCompletion(sym *Symbolic, known []int, set *Options, o bilevel.Options) (*completion, error) {
	c := &completion{sym: sym, set: set, known: known, decided: make([]float64, sym.Papers)}
	c.decide(nil)
	var err error
	if c.completing, err = bilevel.New(sym.Template, 1, o); err != nil {
		return nil, err
	}
	return c, sym.FixLabels(c.completing.Instance(0), known)
}

// due tells whether labels are to be completed before a step.
func (c *completion) due(step int) bool {
	c.completing.ResetStats()
	return c.set.CompleteEvery > 0 && step%c.set.CompleteEvery == 0
}

// decide keeps the topics of which y, one distribution a paper, is sure, and the known
// labels; a nil y is sure of nothing.
func (c *completion) decide(y []float64) {
	for i := range c.decided {
		c.decided[i] = undecided
		if y == nil {
			continue
		}
		row := y[i*c.sym.Classes : (i+1)*c.sym.Classes]
		if best := argmax(row); row[best] >= c.set.Decided {
			c.decided[i] = float64(best)
		}
	}
	for _, i := range c.known {
		c.decided[i] = float64(c.sym.labels[i])
	}
}

// fix fixes the labels of the loss and frees the other topics.
func (c *completion) fix(in *lcqp.Instance) error {
	in.FreeAll()
	for i, topic := range c.decided {
		if topic == undecided {
			continue
		}
		if err := c.sym.fix(in, i, int(topic)); err != nil {
			return err
		}
	}
	return nil
}

// complete infers topics from the outputs that the network has now.
func (m *Model) complete() error {
	g, err := m.outputs(m.net)
	if err != nil {
		return err
	}
	if err := m.completing.Solve(m.Weights(), g); err != nil {
		return err
	}
	m.decide(m.completing.Result(0).Y)
	m.Objective.Relabel()
	return nil
}

const completedTensor = "completed_labels"

// Warm implements train.Model: the labels in the loss are part of a run's state.
func (m *Model) Warm() []checkpoint.Tensor {
	out := m.RuleLoss.Warm()
	if m.set.CompleteEvery > 0 {
		out = append(out, checkpoint.NewTensor(completedTensor, m.decided, len(m.decided)))
	}
	return out
}

// SetWarm implements train.Model.
func (m *Model) SetWarm(get func(name string) (checkpoint.Tensor, error)) error {
	if err := m.RuleLoss.SetWarm(get); err != nil || m.set.CompleteEvery == 0 {
		return err
	}
	t, err := get(completedTensor)
	if err != nil {
		return err
	}
	saved, ok := t.Data.([]float64)
	if !ok || len(saved) != len(m.decided) {
		return fmt.Errorf("citation: tensor %q is no list of %d topics", completedTensor, len(m.decided))
	}
	for i, v := range saved {
		if v != float64(int(v)) || v < undecided || int(v) >= m.sym.Classes {
			return fmt.Errorf("citation: tensor %q has topic %v of %d", completedTensor, v, m.sym.Classes)
		}
		m.decided[i] = v
	}
	m.Objective.Relabel()
	return nil
}
