package half

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/optim"
	"hinge/optim/collective"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
)

// RuleLoss is the part of a Model that learns rule weights together with a network by a
// loss of package bilevel, and a LossHalf: a model embeds it.
type RuleLoss struct {
	Objective *bilevel.Objective
	// Still tells that the rule weights do not move in the next step (config.Symbolic.Still).
	Still bool

	began    []float64 // w_sy where learning starts
	weights  []float64 // w_sy, bound to the graph of the loss
	learned  []int     // see Learned
	gradient func() []float64
	ran      bool
	loss     func() float64
	parts    collective.Parts // of the examples
}

// Halves are both halves of a Model whose rules belong to its task: a model embeds them.
type Halves struct {
	*Network
	*RuleLoss
}

func (h *Halves) Neural() learning.NeuralHalf { return h.Network }

func (h *Halves) Loss() learning.LossHalf { return h.RuleLoss }

func (*Halves) Rulebook() learning.Rulebook { return learning.OwnRules{} }

// Empty implements learning.Model: no example is empty.
func (*Halves) Empty() int { return 0 }

// NewRuleLoss compiles the graph of a network with the loss of o on its output (see
// bilevel.Attach), and further losses added to it. Learning starts from w, on the unit
// simplex, which becomes the storage of the weights.
func NewRuleLoss(o *bilevel.Objective, g *nn.Graph[float32], w []float64, more ...bilevel.Term) (*RuleLoss, error) {
	gradient, err := bilevel.Attach(o, g, w, more...)
	if err != nil {
		return nil, err
	}
	l := &RuleLoss{Objective: o, began: slices.Clone(w), weights: w, gradient: gradient, loss: g.Loss}
	if p := o.Problem(); p.Template != nil {
		l.learned = lcqp.Grounded(p.Template, p.Templates...)
	}
	return l, nil
}

func (l *RuleLoss) Learned() []int { return l.learned }

func (l *RuleLoss) Weights() []float64 { return l.weights }

func (l *RuleLoss) WeightGradient() []float64 { return l.gradient() }

// Step is Model.Gradient for the given examples. The first time, start sets the starting
// points of the objective; then pass runs the graph on the examples. The work holds the terms
// of a bilevel loss.
func (l *RuleLoss) Step(examples []int, start, pass func() error) (learning.Work, error) {
	begin, o := time.Now(), l.Objective
	o.ResetStats()
	if !o.Started() {
		if err := start(); err != nil {
			return learning.Work{}, err
		}
	}
	if err := o.Load(examples); err != nil {
		return learning.Work{}, err
	}
	if err := pass(); err != nil {
		return learning.Work{}, bilevel.OfBatch(err, examples)
	}
	dw := l.gradient()
	if l.Still {
		dw = nil
	}
	terms, err := o.Step(l.weights, dw)
	if err != nil {
		return learning.Work{}, err
	}
	l.ran = true
	work := learning.SolverWork(o.Stats(), time.Since(begin).Seconds())
	work.Loss, work.DrawSpread = l.loss(), learning.Finite(o.Spread())
	if o.Settings().Loss.Bilevel() {
		work.Terms = &terms
	}
	return work, nil
}

// Start sets the starting points of the objective, if the loss has some, with the current
// network: outputs returns its outputs for a batch of examples. The batches are the first
// epoch's, cut into shards, and the examples that the epoch leaves over, unless batches are fixed:
// these are never learned from then, and neither the relaxation nor the gap is theirs.
func (l *RuleLoss) Start(cfg *config.Config, outputs func(batch []int) ([]float64, error)) error {
	n, pass := l.Objective.Problem().Samples, cfg.Training.Pass()
	whole, used := cfg.Batches(n, 0), make([]bool, n)
	for _, e := range slices.Concat(whole...) {
		used[e] = true
	}
	var batches [][]int
	lo, hi := l.parts.Own()
	for shard := lo; shard < hi; shard++ {
		for _, batch := range whole {
			batches = append(batches, batch[shard*pass:(shard+1)*pass])
		}
		var rest []int
		for e, ok := range used {
			if !ok && l.parts.Of(e) == shard {
				rest = append(rest, e)
			}
		}
		if rest != nil && !cfg.Training.FixedBatches {
			batches = append(batches, rest)
		}
	}
	return l.Objective.Start(l.weights, batches, outputs)
}

func (l *RuleLoss) Share(p collective.Parts) error {
	l.parts = p
	return l.Objective.Share(p)
}

func (l *RuleLoss) Whole(f func() error) error { return l.Objective.Whole(f) }

func (l *RuleLoss) Rules() []learning.Rule {
	if !l.ran || len(l.weights) == 0 {
		return nil
	}
	t, w, dw := l.Objective.Problem().Template, l.weights, l.gradient()
	satisfaction, active := make([]float64, t.Rules), make([]float64, t.Rules)
	l.Objective.Satisfaction(satisfaction, active)
	rules := make([]learning.Rule, t.Rules)
	for r, rule := range t.Program().Rules {
		rules[r] = learning.Rule{Text: rule.Text, Start: l.began[r], Weight: w[r], Satisfaction: satisfaction[r], Gradient: dw[r]}
		if a := active[r]; !math.IsNaN(a) {
			rules[r].Active, rules[r].ActiveSatisfaction = &a, 1
			if a > 0 {
				rules[r].ActiveSatisfaction -= (1 - satisfaction[r]) / a
			}
		}
	}
	return rules
}

func (l *RuleLoss) DigestRules(w io.Writer) {
	if len(l.weights) > 0 {
		p := l.Objective.Problem().Template.Program()
		for _, r := range slices.Concat(p.Rules, p.HardRules) {
			fmt.Fprintf(w, "%q %v %v\n", r.Text, r.Weight, r.Squared)
		}
	}
}

func (l *RuleLoss) EndEpoch(norm float64) (bilevel.Outcome, error) {
	return l.Objective.EndEpoch(l.weights, norm)
}

func (l *RuleLoss) Warm() (out []checkpoint.Tensor) {
	for _, a := range l.Objective.State() {
		if a.Data == nil {
			a.Data = []float64{}
		}
		out = append(out, checkpoint.NewTensor(a.Name, a.Data, a.Shape...))
	}
	return out
}

func (l *RuleLoss) SetWarm(get func(name string) (checkpoint.Tensor, error)) error {
	return l.Objective.SetState(func(name string) ([]float64, error) {
		t, err := get(name)
		if err != nil {
			return nil, err
		}
		d, ok := t.Data.([]float64)
		if !ok {
			return nil, fmt.Errorf("train: tensor %q holds %T, want []float64", name, t.Data)
		}
		return d, nil
	})
}

// CompileRules compiles the program of an example: the rules of a file (Config.Rules),
// or without one the task's own text, which errors call name, grounded over the atoms
// of b. Faults of the rules are a UsageError with file:line:col.
func CompileRules(file, name string, text []byte, b *ground.Builder) (*lcqp.Template, error) {
	if b.Err != nil {
		return nil, b.Err
	}
	if file != "" {
		var err error
		if text, err = os.ReadFile(file); err != nil {
			return nil, config.Usage("rules", "%v", err)
		}
		name = file
	}
	rules, err := psl.Parse(name, text)
	if err != nil {
		return nil, config.Usage("rules", "%v", err)
	}
	// empty is about the first rule that would teach nothing: it has no row in the program of a task
	// because its atoms are all observed or outputs of networks, or, in a person's own file, for any
	// reason.
	var empty error
	grounded := func(s ground.RuleStats) {
		if s.Empty != "" && empty == nil && (file != "" || s.NoTarget > 0) {
			empty = fmt.Errorf("%s: the rule has no grounding: %s (%s)", s.Pos, s.Empty, s.Hint)
		}
	}
	program, err := ground.Ground(context.Background(), rules, b.DB, ground.Options{Grounded: grounded})
	err = cmp.Or(err, empty)
	if err != nil {
		return nil, config.Usage("rules", "%v", err)
	}
	return lcqp.Compile(program)
}

// StartWeights returns the weights of the rules as they are written, scaled so that those of the
// rules with ground rules in any of the templates are on the unit simplex, where learning starts.
func StartWeights(t *lcqp.Template, more ...*lcqp.Template) ([]float64, error) {
	w := t.Program().Weights()
	rules := lcqp.Grounded(t, more...)
	if err := optim.ToSimplex(w, rules...); err != nil {
		if !slices.ContainsFunc(rules, func(r int) bool { return w[r] > 0 }) {
			return nil, config.Usage("rules", "no rule has a weight above 0 and a ground rule, and learning goes through them: write one, such as 1: before a rule")
		}
		return nil, config.Usage("rules", "%v", err)
	}
	return w, nil
}
