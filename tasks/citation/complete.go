package citation

import (
	"fmt"
	"math"
	"slices"

	"hinge/nn"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// completion holds the labels of the loss: the known labels and the topics that inference is
// sure of (ours), inferred anew every CompleteEvery steps.
//
// With the known labels observed and the current outputs g of the network, let y* be the MAP
// state. A paper i with max_c y*_ic ≥ Decided counts as labelled with that topic, z_i. For the
// others z_i is g_i, the network's belief at that time: if they were latent, they would be
// pulled towards their neighbours (TestCollapse). The loss is then the value function with all
// z fixed, whose gradient for the outputs of a paper is the gradient of w·‖g_i − z_i‖², with w
// the weight of the network's rule. This is the hard form of the EM algorithm, with inference
// in the rules as its E step and gradient steps through the value function as its M step.
type completion struct {
	sym     *Symbolic
	set     *Options
	known   []int
	decided []float64 // topic of each paper, −1 where none is known or inferred
	beliefs []float64 // the network's when labels were completed last; nil where they never are

	completing *mapstate.Solver
	spent      float64 // seconds of the last completion
}

// undecided marks a paper without a label in the loss.
const undecided = -1

func newCompletion(sym *Symbolic, known []int, set *Options, stationarity float64, cfg *config.Config) (*completion, error) {
	c := &completion{sym: sym, set: set, known: known, decided: make([]float64, sym.Papers)}
	c.decide(nil)
	if set.CompleteEvery > 0 {
		c.beliefs = slices.Repeat([]float64{1 / float64(sym.Classes)}, sym.Papers*sym.Classes)
	}
	var err error
	if c.completing, err = mapstate.NewSolver(cfg, sym.Template, nil); err == nil {
		c.completing.Tighten(stationarity)
	}
	return c, err
}

// due reports whether labels are to be completed before a step.
func (c *completion) due(step int) bool {
	return c.set.CompleteEvery > 0 && step >= c.set.CompleteFrom && (step-c.set.CompleteFrom)%c.set.CompleteEvery == 0
}

// decide keeps the topics of which y, one distribution a paper, is sure, and the known labels;
// a nil y means that it is sure of none.
func (c *completion) decide(y []float64) {
	for i := range c.decided {
		c.decided[i] = undecided
		if y == nil {
			continue
		}
		row := y[i*c.sym.Classes : (i+1)*c.sym.Classes]
		if best := nn.Argmax(row); row[best] >= c.set.Decided {
			c.decided[i] = float64(best)
		}
	}
	for _, i := range c.known {
		c.decided[i] = float64(c.sym.labels[i])
	}
}

// believe keeps the network's outputs, float32 that may miss a sum of 1, as beliefs.
func (c *completion) believe(g []float64) {
	for row := range slices.Chunk(g, c.sym.Classes) {
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		for k := range row {
			row[k] /= sum
		}
	}
	c.beliefs = g
}

// sharpened returns the powers of distributions, which believe scales.
func sharpened(y []float64, power float64) []float64 {
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = math.Pow(v, power)
	}
	return out
}

// fix fixes the labels of the loss, and other papers to the network's beliefs; where labels
// are not completed it frees them.
func (c *completion) fix(in *lcqp.Instance) error {
	in.FreeAll()
	for i, topic := range c.decided {
		if topic == undecided {
			for k := i * c.sym.Classes; c.beliefs != nil && k < (i+1)*c.sym.Classes; k++ {
				if err := in.Fix(k, c.beliefs[k]); err != nil {
					return err
				}
			}
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
	var y []float64
	known := func(_ int, in *lcqp.Instance) error { return m.sym.FixLabels(in, m.known) }
	work, err := m.completing.Each(m.Weights(), g, 1, known, func(_ int, r *infer.Result) { y = r.Y })
	if err != nil {
		return err
	}
	m.spent = work.Seconds
	if m.cfg.Loss == AnswerLoss {
		m.decide(nil)
		m.believe(sharpened(y, 1/m.set.Sharpen))
	} else {
		m.decide(y)
		m.believe(g)
	}
	m.Objective.Relabel()
	return nil
}

const completedTensor, beliefsTensor = "completed_labels", "completing_beliefs"

func (m *Model) Loss() learning.LossHalf { return m }

// Warm implements learning.LossHalf: the labels in the loss are part of a run's state.
func (m *Model) Warm() []checkpoint.Tensor {
	out := m.NeuPSL.Warm()
	if m.set.CompleteEvery > 0 {
		out = append(out, checkpoint.NewTensor(completedTensor, m.decided, len(m.decided)),
			checkpoint.NewTensor(beliefsTensor, m.beliefs, len(m.beliefs)))
	}
	return out
}

func (m *Model) SetWarm(get func(name string) (checkpoint.Tensor, error)) error {
	if err := m.NeuPSL.SetWarm(get); err != nil || m.set.CompleteEvery == 0 {
		return err
	}
	decided, err := saved(get, completedTensor, len(m.decided), func(v float64) bool {
		return v == float64(int(v)) && v >= undecided && int(v) < m.sym.Classes
	})
	if err != nil {
		return err
	}
	beliefs, err := saved(get, beliefsTensor, m.sym.Papers*m.sym.Classes, func(v float64) bool { return v >= 0 && v <= 1 })
	if err != nil {
		return err
	}
	copy(m.decided, decided)
	m.beliefs = beliefs
	m.Objective.Relabel()
	return nil
}

// saved returns a copy of a checkpoint's tensor of n numbers, each of which is valid.
func saved(get func(name string) (checkpoint.Tensor, error), name string, n int, valid func(float64) bool) ([]float64, error) {
	t, err := get(name)
	if err != nil {
		return nil, err
	}
	v, ok := t.Data.([]float64)
	if !ok || len(v) != n {
		return nil, fmt.Errorf("citation: tensor %q is no list of %d numbers", name, n)
	}
	for _, x := range v {
		if !valid(x) {
			return nil, fmt.Errorf("citation: tensor %q has the value %v", name, x)
		}
	}
	return slices.Clone(v), nil
}
