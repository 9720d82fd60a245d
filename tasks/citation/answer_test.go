package citation

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/optim"
	"hinge/train/config"
	"hinge/train/learning"
)

// answerModel is a small model with the loss answer, whose labels inference completes
// from the second step on.
func answerModel(t *testing.T, split int) *Model {
	t.Helper()
	cfg := smallConfig(AnswerLoss, "best")
	cfg.Split, OptionsOf(&cfg).CompleteFrom = split, 1
	data := smallData(t, "best")
	data.rules = "demo-answer"
	m, err := New(cfg, data)
	require.NoError(t, err)
	return m
}

// TestAnswerLabels: before CompleteFrom the known labels count alone, by their classes;
// from then on the sharpened MAP state of the others counts as much.
func TestAnswerLabels(t *testing.T) {
	m := answerModel(t, 0)
	for step := range 2 {
		_, err := m.Gradient(learning.Step{Number: step, Temperature: 1}, []int{0})
		require.NoError(t, err)
		weights := make([]float64, m.sym.Papers*m.sym.Classes)
		m.Objective.Problem().Importance(0, weights)
		known, others := 0.0, 0.0
		for i, topic := range m.decided {
			if w := weights[i*m.sym.Classes]; topic != undecided {
				known += w
			} else {
				others += w
			}
		}
		if math.Abs(known-1) > 1e-6 || math.Abs(others-float64(step)) > 1e-6 {
			t.Errorf("step %d: known labels weigh %v, completed ones %v", step, known, others)
		}
	}
	y, latent := m.completing.Result(0).Y, m.Objective.Latent().Instance(0)
	for i, topic := range m.decided {
		row, sum := y[i*m.sym.Classes:(i+1)*m.sym.Classes], 0.0
		for _, v := range row {
			sum += v * v
		}
		for c, v := range row {
			want := v * v / sum
			if topic != undecided {
				want = 0
				if c == m.data.Graph.Labels[i] {
					want = 1
				}
			}
			require.InDeltaf(t, want, latent.Lower[i*m.sym.Classes+c], 1e-9, "paper %d, topic %d", i, c)
		}
	}
}

// TestAnswerAlone: the network that learning is compared with starts from the same
// parameters, and sees all papers in every step.
func TestAnswerAlone(t *testing.T) {
	m := answerModel(t, 3)
	n, err := m.net.alone(m.seed())
	require.NoError(t, err)
	if n.set.DropPapers != 0 || m.net.set.DropPapers == 0 {
		t.Errorf("alone it drops %v of the papers, learning through rules %v", n.set.DropPapers, m.net.set.DropPapers)
	}
	own, other := m.net.values(), n.values()
	for i := range own {
		assert.Equalf(t, other[i], own[i], "parameter %d differs at the start", i)
	}
}

// TestAnswerReaches: labels speak to the answers for papers that are linked with theirs or
// similar, as far as these relations lead. Where no answer is at 0 or 1 inference is a linear
// system, and so is what the labels move it by: with w, v and s the weights of the rules
// about the network, links and similar papers, L and S the Laplacians of the two relations,
// D the labelled papers, c the slopes less their mean over the topics of a paper, and m the
// largest slope,
//
//	(2w + 2v·L + 2s·S + 2·bent·δ·D)·Δy = −δ·c/m.
func TestAnswerReaches(t *testing.T) {
	m := answerModel(t, 0)
	const nudge, bent = 0.1, 0.01
	g, err := m.outputs(m.net)
	require.NoError(t, err)
	value, err := bilevel.New(m.sym.Template, 1, m.Objective.Settings().Value)
	require.NoError(t, err)
	require.NoError(t, value.Solve(m.Weights(), g))
	y := slices.Clone(value.Result(0).Y)
	slopes := make([]float64, len(y))
	papers, classes, known := m.sym.Papers, m.sym.Classes, m.data.Split.Train
	system, pull := mat.NewSymDense(papers, nil), mat.NewDense(papers, classes, nil)
	add := func(i, j int, x float64) { system.SetSym(i, j, system.At(i, j)+x) }
	for i := range papers {
		add(i, i, 2*m.Weights()[0])
	}
	for rule, pairs := range [][][2]int32{m.data.Graph.Links(), m.data.Graph.Similar(similar)} {
		for _, p := range pairs {
			a, b, w := int(p[0]), int(p[1]), m.Weights()[1+rule]
			add(a, a, 2*w)
			add(b, b, 2*w)
			add(a, b, -2*w)
		}
	}
	weights, steepest := make([]float64, papers*classes), 0.0
	m.importance(0, weights)
	for _, i := range known {
		add(i, i, 2*bent*nudge)
		mean := 0.0
		for c := range classes {
			k := i*classes + c
			slope := weights[k] / (1 - y[k])
			if c == m.data.Graph.Labels[i] {
				slope = -weights[k] / y[k]
			}
			slopes[k] = slope
			steepest, mean = max(steepest, math.Abs(slope)), mean+slope/float64(classes)
			pull.Set(i, c, -nudge*slope)
		}
		for c := range classes {
			pull.Set(i, c, pull.At(i, c)+nudge*mean)
		}
	}
	pull.Scale(1/steepest, pull)
	_, err = value.SolvePulled(m.Weights(), g, y, slopes, nudge)
	require.NoError(t, err)
	nudged := value.Result(0).Y
	var factors mat.Cholesky
	var want mat.Dense
	if !factors.Factorize(system) {
		t.Fatal("the system is not definite")
	}
	require.NoError(t, factors.SolveTo(&want, pull))
	near := slices.Clone(known)
	for _, l := range m.data.Graph.Links() {
		for k := range l {
			if slices.Contains(known, int(l[k])) {
				near = append(near, int(l[1-k]))
			}
		}
	}
	far, most := 0, mat.Max(&want)
	for i := range papers {
		for c := range classes {
			k := i*classes + c
			assert.InDeltaf(t, want.At(i, c), nudged[k]-y[k], 1e-2*most, "paper %d, topic %d", i, c)
			if math.Abs(want.At(i, c)) > 0.03*most && !slices.Contains(near, i) {
				far++
			}
		}
	}
	assert.GreaterOrEqual(t, far, 5, "the test sees too little")
}

// TestAnswerLearns: through the rules a network of words learns topics, far better than the
// same network from the labels alone. Both are given wrong labels of all papers but those
// for training, and are judged by the true ones. The figures are five papers beside what was
// measured; the largest topic has 20 of the 60 papers.
func TestAnswerLearns(t *testing.T) {
	m := answerModel(t, 0)
	truth, test := slices.Clone(m.data.Graph.Labels), m.data.Split.Test
	spoil(m.data, append(hidden(m.data), m.data.Split.Valid...))
	right := func(x []float64) (n int) {
		for _, i := range test {
			if nn.Argmax(x[i*m.sym.Classes:][:m.sym.Classes]) == truth[i] {
				n++
			}
		}
		return n
	}
	outputs := func() []float64 {
		g, err := m.outputs(m.net)
		require.NoError(t, err)
		return g
	}
	learn, err := optim.NewAdam(m.Params(), optim.AdamOptions{})
	require.NoError(t, err)
	before := right(outputs())
	for step := range 80 {
		_, err := m.Gradient(learning.Step{Number: step, Temperature: 1}, []int{0})
		require.NoError(t, err)
		learn.Step(3e-2)
	}
	_, err = m.Evaluate(t.Context(), learning.TestPart)
	require.NoError(t, err)
	short, long, err := m.withoutRules(t.Context())
	require.NoError(t, err)
	network, answers, without := right(outputs()), right(m.Inference().Result(0).Y), max(right(short), right(long))
	if before > 20 || network < 52 || answers < 53 || without > 41 {
		t.Errorf("of 60 papers the network has %d right, before %d, and without rules %d; answers %d", network, before, without, answers)
	}
}

// TestWithoutRulesLonger: the further epochs are the smaller budget, in whatever unit it is told.
// By definition the longer network is one fitted for that many epochs from the start.
func TestWithoutRulesLonger(t *testing.T) {
	for _, budget := range []config.Training{{Steps: 7}, {Epochs: 7}, {Steps: 7, Epochs: 300}, {Steps: 300, Epochs: 7}} {
		cfg := smallConfig(AnswerLoss, "best")
		cfg.Training.Steps, cfg.Training.Epochs = budget.Steps, budget.Epochs
		m, err := New(cfg, smallData(t, "best"))
		require.NoError(t, err)
		n, err := m.net.alone(m.seed())
		require.NoError(t, err)
		f, err := newFit(n, m.data.Split.Train, m.seed())
		require.NoError(t, err)
		for epoch := range OptionsOf(&cfg).PretrainEpochs + 7 {
			require.NoError(t, f.epoch(epoch))
		}
		want, err := m.outputs(n)
		require.NoError(t, err)
		_, long, err := m.withoutRules(t.Context())
		require.NoError(t, err)
		assert.Equalf(t, want, long, "%d steps, %d epochs", budget.Steps, budget.Epochs)
	}
}

func TestAnswerSettings(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"sharpen":     func(o *Options) { o.Sharpen = 0 },
		"completed":   func(o *Options) { o.Completed = -1 },
		"drop-papers": func(o *Options) { o.DropPapers = 1 },
	} {
		cfg := smallConfig(AnswerLoss, "best")
		require.NoError(t, cfg.Validate())
		change(OptionsOf(&cfg))
		assert.ErrorContains(t, cfg.Validate(), want)
	}
}

// TestAnswerRules: the table of rules is of completed labels and the outputs of the step. The
// network's rule breaks by (g − y)² in one of its two directions.
func TestAnswerRules(t *testing.T) {
	cfg := smallConfig(AnswerLoss, "best")
	own := OptionsOf(&cfg)
	cfg.Neural.Dropout, own.DropPapers, own.CompleteFrom = 0, 0, 0
	m, err := New(cfg, smallData(t, "best"))
	require.NoError(t, err)
	outputs, err := m.outputs(m.net)
	require.NoError(t, err)
	_, err = m.Gradient(learning.Step{Temperature: 1}, []int{0})
	require.NoError(t, err)
	labels := slices.Clone(m.beliefs)
	for _, i := range m.known {
		row := labels[i*m.sym.Classes:][:m.sym.Classes]
		clear(row)
		row[m.data.Graph.Labels[i]] = 1
	}
	broken := 0.0
	for i, g := range outputs {
		broken += (g - labels[i]) * (g - labels[i]) / float64(2*len(outputs))
	}
	require.Greater(t, broken, 1e-3)
	assert.InDelta(t, 1-broken, m.Loss().Rules()[0].Satisfaction, 1e-6)
}
