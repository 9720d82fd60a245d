package half

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/models/resnet18"
	"hinge/nn"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/learning"
)

// ruleModel is the smallest model with a network and rules: target Y has to follow
// the first of a network's two outputs, and its own prior.
type ruleModel struct {
	*RuleLoss
	graph *nn.Graph[float32]
}

const side = 8 // of the network's images

func newRuleModel(t *testing.T) *ruleModel {
	t.Helper()
	p := &hlmrf.Program{
		Rules: []hlmrf.Rule{
			{Text: "1: N -> Y ^2", Weight: 1, Squared: true}, {Text: "1: Y -> N ^2", Weight: 1, Squared: true}, {Text: "1: !Y", Weight: 2},
		},
		Targets: []string{"Y"}, Deep: []string{"N", "M"},
	}
	p.Potentials.Append([]int32{0}, []float64{-1}, []int32{0}, []float64{1}, 0)
	p.Potentials.Append([]int32{0}, []float64{1}, []int32{0}, []float64{-1}, 0)
	p.Potentials.Append([]int32{0}, []float64{1}, nil, nil, 0)
	p.PotentialRule = []int32{0, 1, 2}
	template, err := lcqp.Compile(p)
	require.NoError(t, err)
	m := new(ruleModel)
	narrow := resnet18.Config{Features: 2, Widths: [4]int{1, 1, 1, 1}}
	net, err := nn.New([]int{side, side}, resnet18.Define[float32](narrow), rand.New(rand.NewPCG(1, 0)))
	require.NoError(t, err)
	m.graph, err = net.Graph(2, true)
	require.NoError(t, err)
	t.Cleanup(func() { m.graph.Close() })
	c := config.Defaults(config.Config{Loss: "mse"})
	set, err := c.Objective()
	require.NoError(t, err)
	set.Draws, set.ConstraintDraws = 1, 1
	o, err := bilevel.NewObjective(bilevel.Problem{
		Template: template, Samples: 2,
		Label: func(sample int, in *lcqp.Instance) error { return in.Fix(0, float64(sample)) },
	}, set)
	require.NoError(t, err)
	m.RuleLoss, err = NewRuleLoss(o, m.graph, []float64{0.25, 0.25, 0.5})
	require.NoError(t, err)
	return m
}

// step runs the loss once on both samples and changes the weights by hand.
func (m *ruleModel) step(t *testing.T) learning.Work {
	t.Helper()
	work, err := m.Step([]int{0, 1}, func() error {
		return m.Objective.Start(m.Weights(), [][]int{{0, 1}}, func([]int) ([]float64, error) {
			return []float64{0.7, 0.3, 0.2, 0.8}, nil
		})
	}, func() error {
		x := make([]float32, 2*side*side)
		for i := range x {
			x[i] = float32(i%7) / 7
		}
		return m.graph.Run(x)
	})
	require.NoError(t, err)
	w := m.Weights()
	w[0], w[1] = w[0]+0.05, w[1]-0.05
	_, err = m.EndEpoch(0)
	require.NoError(t, err)
	return work
}

// A step reports the loss of the pass and the solves behind it, and stops at the
// first thing that fails.
func TestRuleLossStep(t *testing.T) {
	m := newRuleModel(t)
	work := m.step(t)
	if work.Solves == 0 || work.Unsolved != 0 || work.SolverSeconds <= 0 || work.Terms == nil {
		t.Errorf("work %+v, want solves, their time and the terms of the loss", work)
	}
	if work.Loss != m.graph.Loss() || work.Loss == 0 {
		t.Errorf("loss %v, the graph's is %v", work.Loss, m.graph.Loss())
	}
	// Latent value, Moreau envelope and value of both samples, one draw each.
	if second := m.step(t); second.Solves != 6 {
		t.Errorf("%d solves in a step, want 6", second.Solves)
	}
	again := func() error { t.Error("started twice"); return nil }
	failed := errors.New("no pass")
	if _, err := m.Step([]int{0, 1}, again, func() error { return failed }); !errors.Is(err, failed) {
		t.Errorf("a pass that fails: %v", err)
	}
	if _, err := m.Step([]int{0, 2}, again, func() error { t.Error("passed"); return nil }); err == nil {
		t.Error("there is no example 2")
	}
	failed = errors.New("no start")
	if _, err := newRuleModel(t).Step([]int{0, 1}, func() error { return failed }, again); !errors.Is(err, failed) {
		t.Errorf("a start that fails: %v", err)
	}
}

// TestStartOfFixedBatches: what fixed batches leave over counts neither in the relaxation nor in the gap.
func TestStartOfFixedBatches(t *testing.T) {
	for _, fixed := range []bool{true, false} {
		m, c := newRuleModel(t), config.Defaults(config.Config{Loss: "mse"})
		o, err := bilevel.NewObjective(bilevel.Problem{
			Template: m.Objective.Problem().Template, Samples: 3, Batch: 2,
			Label: func(_ int, in *lcqp.Instance) error { return in.Fix(0, 1) },
		}, m.Objective.Settings())
		require.NoError(t, err)
		c.Training.Batch, c.Training.FixedBatches = 2, fixed
		rest := 3 - c.Batches(3, 0)[0][0] - c.Batches(3, 0)[0][1]
		m.Objective = o
		require.NoError(t, m.Start(&c, func(batch []int) (g []float64, err error) {
			for _, e := range batch { // the network is wrong about one example alone
				g = append(g, map[bool]float64{true: 0, false: 1}[e == rest], 0)
			}
			return g, nil
		}))
		state := map[string][]float64{}
		for _, a := range o.State() {
			state[a.Name] = a.Data
		}
		gaps := state["bilevel/gaps"]
		assert.Equal(t, fixed, gaps[rest] == 0, "gaps %v", gaps)
		assert.Equal(t, max(0, slices.Max(gaps)), state["bilevel/scalars"][2], "the relaxation")
	}
}

// What Warm returns and SetWarm restores decides the next steps: a model that is
// interrupted takes the very steps of one that is not.
func TestRuleLossResume(t *testing.T) {
	whole, second := newRuleModel(t), newRuleModel(t)
	for range 3 {
		whole.step(t)
	}
	saved := tensors{}
	for _, x := range whole.Warm() {
		x.Data = slices.Clone(x.Data.([]float64)) // it is the objective's own
		saved[x.Name] = x
	}
	weights := slices.Clone(whole.Weights())
	whole.step(t)

	require.NoError(t, second.SetWarm(saved.get))
	copy(second.Weights(), weights)
	second.step(t)
	if g, want := second.WeightGradient(), whole.WeightGradient(); !slices.Equal(g, want) || slices.Max(want) == 0 {
		t.Errorf("gradient %v, uninterrupted %v", g, want)
	}
	points := func(m *ruleModel) []float64 {
		for _, x := range m.Warm() {
			if x.Name == "bilevel/points" {
				return x.Data.([]float64)
			}
		}
		return nil
	}
	if y, want := points(second), points(whole); !slices.Equal(y, want) || len(want) == 0 {
		t.Errorf("points %v, uninterrupted %v", y, want)
	}
	for name := range saved {
		x := saved[name]
		delete(saved, name)
		if err := newRuleModel(t).SetWarm(saved.get); !errors.Is(err, errNoTensor) {
			t.Errorf("without %s: %v", name, err)
		}
		saved[name] = checkpoint.NewTensor(name, make([]float32, 1), 1)
		assert.Errorf(t, newRuleModel(t).SetWarm(saved.get), "%s may be float32", name)
		saved[name] = x
	}
}

// TestStartWeights: a program in which no rule has a weight above 0 is refused with what to write.
func TestStartWeights(t *testing.T) {
	b := ground.NewBuilder()
	b.Target("P", "a")
	template, err := CompileRules("", "r.psl", []byte("P(A) <= 0.5 ."), b)
	require.NoError(t, err)
	_, err = StartWeights(template)
	require.ErrorContains(t, err, "no rule has a weight above 0")
}
