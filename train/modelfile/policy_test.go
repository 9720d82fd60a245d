package modelfile

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/symbolic/infer"
	"hinge/symbolic/model"
	"hinge/train"
	"hinge/train/traintest"
)

// rewarded is tiny with a reward that tells values apart, a class of A(b) without an
// atom, and two groups: nothing joins d, an entity of its own, to the others.
func rewarded(t *testing.T) (*part, *policy, *pass[float32]) {
	t.Helper()
	src := replaced(t, `{"evaluator": "CategoricalEvaluator", "primary": true}`, `{"evaluator": "ContinuousEvaluator", "primary": true}`)
	src = strings.Replace(src, `"truth": {"learn": [["a", 0, 1], ["a", 1, 0]]`, `"truth": {"learn": [["a", 0, 1], ["a", 1, 0], ["c", 0, 0.4], ["d", 1, 0.7]]`, 1)
	src = strings.Replace(src, `"targets": ["pairs.txt"], "truth": {"learn": [["a", 0, 1], ["c"`, `"targets": ["outputs.txt"], "truth": {"learn": [["a", 0, 1], ["c"`, 1)
	files := map[string]string{"pairs.txt": tinyFiles["pairs.txt"] + "d\t0\nd\t1\n", "outputs.txt": "a\t0\na\t1\nb\t0\nc\t0\nc\t1\nd\t0\nd\t1\n", "a.txt": tinyFiles["a.txt"] + "d\t1\t1\n", "q.npy.txt": tinyFiles["q.npy.txt"]}
	p, err := loadPart(write(t, src, files), model.Learn)
	require.NoError(t, err)
	list, err := newNetworks[float32](p.Model, 3, "", nn.Sampling{})
	require.NoError(t, err)
	require.NoError(t, p.see(list))
	var counts []int
	for _, v := range p.views {
		counts = append(counts, v.count)
	}
	graph, err := newPass(p.views, counts, 1, p.template.Deep, 1)
	if err == nil {
		_, err = graph.load([]*example{p.whole()})
	}
	require.NoError(t, err)
	q, err := newPolicy(p, 1, 7, bilevel.Options{Epsilon: 0.05, Solver: infer.Settings{GapTolerance: 1e-12}}, graph)
	require.NoError(t, err)
	return p, q, graph
}

// each calls f with the outputs of each entity and head among those of a graph.
func (p *pass[T]) each(f func(h *head, from, to int)) {
	for k, v := range p.views {
		for entity := range v.count {
			for i := range v.heads {
				h := &v.heads[i]
				f(h, p.starts[k]+entity*v.width+h.from, p.starts[k]+entity*v.width+h.to)
			}
		}
	}
}

// each calls f with all joint choices of a group and their probabilities.
func (g *group) each(f func(choice []int, probability float64)) {
	choice := make([]int, len(g.entities))
	var from func(n int, probability float64)
	from = func(n int, probability float64) {
		if n == len(choice) {
			f(choice, probability)
			return
		}
		e := &g.entities[n]
		for k, p := range e.p {
			choice[n] = k
			from(n+1, probability*p)
		}
		if e.sigmoid {
			choice[n] = 1
			from(n+1, probability*(1-e.p[0]))
		}
	}
	from(0, 1)
}

// In expectation over all draws the estimate is the gradient of the expected reward, by
// finite differences of that for the logits.
func TestPolicyGradient(t *testing.T) {
	p, q, graph := rewarded(t)
	if len(q.groups) != 2 || len(q.groups[0].entities)+len(q.groups[1].entities) != 10 {
		t.Fatalf("%d groups, the first with %d entities", len(q.groups), len(q.groups[0].entities))
	}
	rng := rand.New(rand.NewPCG(4, 5))
	w, err := train.StartWeights(p.template)
	require.NoError(t, err)
	q.w = w
	logits := make([]float64, len(q.p))
	for k := range logits {
		logits[k] = rng.NormFloat64()
	}
	read := func() {
		graph.each(func(h *head, from, to int) {
			for k := from; k < to; k++ {
				if h.Output == "sigmoid" {
					q.p[k] = 1 / (1 + math.Exp(-logits[k]))
				} else {
					q.p[k] = math.Exp(logits[k] - logSum(logits[from:to]))
				}
			}
		})
	}
	read()
	// The rewards of all joint choices do not depend on the logits.
	rewards := make([][]float64, len(q.groups))
	expected := func() (sum float64) {
		for i := range q.groups {
			n := 0
			q.groups[i].each(func(_ []int, probability float64) {
				sum += probability * rewards[i][n]
				n++
			})
		}
		return sum
	}
	dg := make([]float64, len(q.g))
	for i := range q.groups {
		gr := &q.groups[i]
		gr.each(func(choice []int, probability float64) {
			r, err := q.values(gr, choice, probability, dg)
			require.NoError(t, err)
			rewards[i] = append(rewards[i], r)
		})
	}
	total := 0.0
	dp, d := make([]float64, len(q.p)), make([]float64, len(q.p))
	for column, v := range dg {
		dp[graph.index[column]] += v
	}
	graph.each(func(h *head, from, to int) {
		dot := 0.0
		for k := from; k < to; k++ {
			dot += q.p[k] * dp[k]
		}
		for k := from; k < to; k++ {
			if d[k] = q.p[k] * (dp[k] - dot); h.Output == "sigmoid" {
				d[k] = q.p[k] * (1 - q.p[k]) * dp[k]
			}
		}
	})
	for k, old := range logits {
		const h = 0x1p-7
		logits[k] = old + h
		read()
		up := expected()
		logits[k] = old - h
		read()
		down := expected()
		logits[k] = old
		read()
		slope := (up - down) / (2 * h)
		total += math.Abs(slope)
		if math.Abs(slope+d[k]) > 1e-4*(0.01+math.Abs(slope)) {
			t.Errorf("output %d: derivative of the loss %v, of the expected reward %v", k, d[k], slope)
		}
	}
	if total < 0.01 {
		t.Errorf("the reward hardly depends on the networks: %v", total)
	}
}

// The draws have the probabilities of the outputs, and the estimate is their mean.
func TestPolicyDraws(t *testing.T) {
	e := entity{p: []float64{0.2, 0.5, 0.3}, column: []int{0, -1, 1}}
	counts := make([]int, 3)
	for n := range 1000 {
		counts[e.draw((float64(n)+0.5)/1000)]++
	}
	assert.Equal(t, []int{200, 500, 300}, counts, "draws")
	g := []float64{9, 9}
	for choice, want := range [][]float64{{1, 0}, {0, 0}, {0, 1}} {
		if e.set(g, choice); !reflect.DeepEqual(g, want) {
			t.Errorf("choice %d sets %v", choice, g)
		}
	}
	s := entity{p: []float64{0.4}, column: []int{0}, sigmoid: true}
	if s.draw(0.39) != 0 || s.draw(0.41) != 1 {
		t.Error("a sigmoid draws with another probability")
	}
}

// With rewards a run learns, goes on after an interruption with the same bits, and what
// they cannot teach is refused.
func TestPolicyRun(t *testing.T) {
	file := write(t, tiny, tinyFiles)
	change := func(c *train.Config, s *Options) {
		s.PolicyWeight, s.PolicySamples = 2, 2
		c.Symbolic.FreezeRules = true
	}
	m, c := open(t, file, "energy", change)
	res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
	if err != nil || res.Solves < 6*10 {
		t.Fatalf("%d solves, %v", res.Solves, err)
	}
	again, c := open(t, file, "energy", change)
	if _, err := train.Run(context.Background(), c, again, train.Options{Dir: t.TempDir()}); err != nil || !reflect.DeepEqual(m.Export(), again.Export()) {
		t.Errorf("another result with the same seed: %v", err)
	}
	for want, change := range map[string]func(*train.Config, *Options){
		"freeze-rules":   func(_ *train.Config, s *Options) { s.PolicyWeight = 1 },
		"policy-samples": func(_ *train.Config, s *Options) { s.PolicySamples = 0 },
		"policy-weight":  func(_ *train.Config, s *Options) { s.PolicyWeight = -1 },
	} {
		c := small(t, file, "energy")
		change(&c, c.Options.(*Options))
		if _, err := Open(c, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	own := strings.Replace(replaced(t, `{"evaluator": "CategoricalEvaluator", "primary": true}`, `"CategoricalEvaluator"`), `"evaluations": ["CategoricalEvaluator"]
		},
		"B/2"`, `"evaluations": [{"evaluator": "CategoricalEvaluator", "primary": true}]
		},
		"B/2"`, 1)
	c = small(t, write(t, own, tinyFiles), "energy")
	change(&c, c.Options.(*Options))
	if _, err := Open(c, ""); err == nil || !strings.Contains(err.Error(), "primary") {
		t.Errorf("a reward for the outputs themselves: %v", err)
	}
}

// Rewards alone teach the networks: the mean squared error of the answers falls.
func TestPolicyLearns(t *testing.T) {
	src := replaced(t, `{"evaluator": "CategoricalEvaluator", "primary": true}`, `{"evaluator": "ContinuousEvaluator", "primary": true}`)
	src = strings.Replace(src, `"truth": {"learn": [["a", 0, 1], ["a", 1, 0]]`, `"truth": {"learn": [["a", 0, 1], ["a", 1, 0], ["b", 0, 0], ["b", 1, 1], ["c", 1, 1]]`, 1)
	m, c := open(t, write(t, src, tinyFiles), "energy", func(c *train.Config, s *Options) {
		s.PolicyWeight, s.PolicySamples, s.RulesWeight, s.LabelWeight = 1, 4, 1e-6, 0
		c.Symbolic.FreezeRules = true
		c.Training.Epochs, c.Training.ValidEvery, c.Neural.LearningRate = 60, 60, 0.05
	})
	before, err := m.Evaluate(train.TrainPart)
	require.NoError(t, err)
	traintest.Run(t, c, m, train.Options{Dir: t.TempDir()})
	after, err := m.Evaluate(train.TrainPart)
	require.NoError(t, err)
	t.Logf("mean squared error %.3f before, %.3f after", -before.Accuracy, -after.Accuracy)
	if !(after.Accuracy > before.Accuracy/2) {
		t.Errorf("mean squared error %v before, %v after", -before.Accuracy, -after.Accuracy)
	}
}
