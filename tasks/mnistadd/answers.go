package mnistadd

import (
	"context"
	"fmt"

	"hinge/data/mnist"
	"hinge/nn"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// answers reads images of one's own for any system that reads digits. The network sees
// the images of an example and their views at once, and no others: rounding depends on
// how many images it sees.
type answers struct {
	read  *reader // quiet
	graph *nn.Graph[float32]
	rules bool
}

// intDigits is how many digits numbers have whose sum an int64 holds.
const intDigits = 18

// newAnswers gives the network to what answers.
func (r *reader) newAnswers(rules bool) (answers, error) {
	if err := r.readsDigits("run"); err != nil {
		return answers{}, err
	}
	if d := r.split.Digits; d > intDigits {
		return answers{}, &config.UsageError{Key: "run", Problem: fmt.Sprintf("answers are numbers of 64 bits: sums of %d-digit numbers have more than %d digits", d, intDigits)}
	}
	quiet, err := r.quiet()
	if err != nil {
		return answers{}, err
	}
	net := quiet.network.Net
	net.State().Temperature = r.cfg.Neural.TestTemperature
	net.Hold()
	graph, err := net.Graph((1+r.cfg.Neural.Views)*r.each, false)
	if err == nil {
		_, err = graph.Compile(nil)
	}
	return answers{quiet, graph, rules}, err
}

func (a answers) Layout() learning.Layout {
	return learning.Layout{Images: a.read.each, Height: mnist.Side, Width: mnist.Side, Classes: mnist.Classes, Rules: a.rules}
}

// beliefs are the outputs for examples, with the views of a test.
func (a answers) beliefs(examples [][]uint8) ([]float32, error) {
	var all []float32
	images := numbered(0, a.read.each)
	for _, pixels := range examples {
		part, err := mnist.NewPart(pixels, make([]uint8, len(images)))
		if err != nil {
			return nil, err
		}
		x := part.Pixels(images, nil, 0)
		for view := range a.read.cfg.Neural.Views {
			x = append(x, part.Pixels(images, a.read.viewer, uint64(view))...)
		}
		if err := a.graph.Run(x); err != nil {
			return nil, err
		}
		outputs, each := a.graph.Result(), len(images)*mnist.Classes
		mean, err := nn.MeanOfViews(1+a.read.cfg.Neural.Views, func(view int) ([]float32, error) {
			return outputs[view*each:][:each], nil
		}, nn.Head{To: mnist.Classes})
		if err != nil {
			return nil, err
		}
		all = append(all, mean...)
	}
	return all, nil
}

// of are the outputs for one example.
func (a answers) of(g []float32, example int) []float32 {
	n := a.read.each * mnist.Classes
	return g[example*n:][:n:n]
}

// systemAnswers holds the answers of a system without rules.
type systemAnswers struct {
	answers
	sys system
}

func (m *Baseline) Answers() (learning.Answers, error) {
	a, err := m.newAnswers(false)
	return systemAnswers{a, m.sys}, err
}

func (a systemAnswers) Answer(examples [][]uint8) ([]learning.Answer, error) {
	g, err := a.beliefs(examples)
	if err != nil {
		return nil, err
	}
	out := make([]learning.Answer, len(examples))
	for i := range out {
		own := a.of(g, i)
		sum, err := a.sys.answer(context.Background(), nn.Widen(own))
		if err != nil {
			return nil, err
		}
		out[i] = learning.Answer{Answer: int64(sum.Int()), Beliefs: own}
	}
	return out, nil
}

func (systemAnswers) Why(int) *learning.Why { return nil }

// mapAnswers are MAP states. A sum is the discrete reading of a state that is not; that
// it satisfies the hard rules is shown by solving again with the sum as a label.
type mapAnswers struct {
	answers
	sym  *Symbolic
	free *mapstate.Solver
	held *mapstate.Solver
	last []learning.Answer
}

func (m *Model) Answers() (learning.Answers, error) {
	a, err := m.newAnswers(true)
	if err != nil {
		return nil, err
	}
	out := &mapAnswers{answers: a, sym: m.sym}
	if out.free, err = m.NewSolver(); err == nil {
		out.held, err = m.NewSolver()
	}
	return out, err
}

func (a *mapAnswers) Answer(examples [][]uint8) ([]learning.Answer, error) {
	g, err := a.beliefs(examples)
	if err != nil {
		return nil, err
	}
	n := len(examples)
	if err := a.free.Solve(g, n, nil); err != nil {
		return nil, err
	}
	a.last = make([]learning.Answer, n)
	for i := range a.last {
		c := a.free.Certificate(i)
		a.last[i] = learning.Answer{Answer: learning.NoAnswer, Beliefs: a.of(g, i), Certificate: &c}
		if r := a.free.Result(i); r.Status != infer.Infeasible {
			a.last[i].Answer = int64(a.sym.Answer(r.Y).Int())
			a.last[i].Tied = a.sym.tied(r.Y, c.Gap, a.read.cfg.Symbolic.Epsilon)
		}
	}
	err = a.held.Solve(g, n, func(i int, in *lcqp.Instance) error {
		if a.last[i].Answer == learning.NoAnswer {
			return nil
		}
		return a.sym.FixLabels(in, mnist.NewSum(int(a.last[i].Answer), a.sym.Digits))
	})
	if err != nil {
		return nil, err
	}
	for i := range a.last {
		if c := a.last[i].Certificate; len(c.Unmet) == 0 {
			c.Unmet = a.held.Certificate(i).Unmet
		}
	}
	return a.last, nil
}

// Why implements learning.Answers: it explains the atoms of the sum and of its places.
func (a *mapAnswers) Why(example int) *learning.Why {
	if a.last[example].Answer == learning.NoAnswer {
		return nil
	}
	return &learning.Why{
		Explanation: a.free.Explain(example),
		Supports:    a.free.Support(example, a.sym.answerAtoms(int(a.last[example].Answer))...),
	}
}

var (
	_ learning.Answerer = (*Model)(nil)
	_ learning.Answerer = (*Baseline)(nil)
)
