package citation

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/nn"
)

// TestClassWeights: zero except for the labelled papers, of mean 1, equal for
// classes with balance 1 and for papers with balance 0.
func TestClassWeights(t *testing.T) {
	d := smallData(t, "paper")
	for _, balance := range []float64{0, 0.5, 1} {
		w := classWeights(d.Graph, d.Split.Train, balance)
		total, perClass, count := 0.0, map[int]float64{}, map[int]float64{}
		for _, i := range d.Split.Train {
			total += float64(w[i])
			perClass[d.Graph.Labels[i]] += float64(w[i])
			count[d.Graph.Labels[i]]++
			w[i] = 0
		}
		for i, v := range w {
			if v != 0 {
				t.Errorf("paper %d without label weighs %v", i, v)
			}
		}
		assert.InDeltaf(t, 15, total, 1e-4, "balance %v", balance)
		for c, v := range perClass {
			want := count[c]
			if balance == 1 {
				want = 15 / float64(len(perClass))
			}
			if balance != 0.5 && math.Abs(v-want) > 1e-4 {
				t.Errorf("balance %v: class %d weighs %v, want %v", balance, c, v, want)
			}
		}
	}
}

// TestPredict: some papers' outputs are those rows of all papers', in every kind
// of network, and distributions.
func TestPredict(t *testing.T) {
	d := smallData(t, "paper")
	for _, kind := range []string{"smoothed", "propagated", "convolution", "words"} {
		cfg := smallConfig("energy", "best")
		OptionsOf(&cfg).Network = kind
		n, err := newNetwork(&cfg, d, 3)
		require.NoError(t, err)
		p, err := n.predict(nil)
		require.NoError(t, err)
		all := append([]float32(nil), p...)
		papers := []int{7, 3, 149}
		some, err := n.predict(papers)
		require.NoError(t, err)
		for k, i := range papers {
			sum := 0.0
			for c := range 5 {
				sum += float64(all[i*5+c])
				if d := some[k*5+c] - all[i*5+c]; d > 1e-6 || d < -1e-6 {
					t.Errorf("%s: paper %d, class %d: %v and %v", kind, i, c, some[k*5+c], all[i*5+c])
				}
			}
			assert.InDeltaf(t, 1, sum, 1e-5, "%s: paper %d", kind, i)
		}
	}
}

// TestPretrain: pre-training keeps the best restart, learns, and is a function of
// the seed; an ensemble of one definition trains too.
func TestPretrain(t *testing.T) {
	d := smallData(t, "paper")
	for _, members := range []int{1, 2} {
		cfg := smallConfig("energy", "paper")
		OptionsOf(&cfg).Members = members
		n, err := newNetwork(&cfg, d, 1)
		require.NoError(t, err)
		before, err := n.accuracy(d.Split.Train)
		require.NoError(t, err)
		found, err := n.pretrain(t.Context(), d.Split.Train, d.Split.Valid, 1)
		require.NoError(t, err)
		after, err := n.accuracy(d.Split.Train)
		if err != nil || after < 0.9 || after <= before {
			t.Errorf("%d members: accuracy on the training papers %v, before %v, %v", members, after, before, err)
		}
		if valid, err := n.accuracy(d.Split.Valid); err != nil || valid != found.valid {
			t.Errorf("%d members: the network in place has validation accuracy %v, found was %v, %v", members, valid, found.valid, err)
		}
		again, err := newNetwork(&cfg, d, 1)
		require.NoError(t, err)
		same, err := again.pretrain(t.Context(), d.Split.Train, d.Split.Valid, 1)
		if err != nil || same.valid != found.valid || same.values[0][0] != found.values[0][0] {
			t.Errorf("%d members: the same seed gave another network, %v", members, err)
		}
	}
}

// TestBaselines: both comparison systems learn the small graph.
func TestBaselines(t *testing.T) {
	for _, system := range Systems {
		cfg, err := BaselineDefaults("citation-demo", system)
		require.NoError(t, err)
		require.NoError(t, cfg.Validate())
		r, err := Baseline(cfg, system, smallData(t, "paper"))
		require.NoError(t, err)
		if r.Test < 0.8 || r.Valid < 0.9 || r.Epochs < 1 || r.Epochs > OptionsOf(&cfg).PretrainEpochs {
			t.Errorf("%s: %+v", system, r)
		}
	}
	if _, err := BaselineDefaults("cora", "oracle"); err == nil {
		t.Error("an unknown system has a configuration")
	}
}

// TestSureAndWrong: the loss of derivations that all have one probability is its negative logarithm, and an
// exact 0 counts as 1e-30.
func TestSureAndWrong(t *testing.T) {
	d := smallData(t, "paper")
	cfg, err := BaselineDefaults("citation-demo", "stochlog")
	require.NoError(t, err)
	n, err := newSystem(&cfg, "stochlog", d, 1)
	require.NoError(t, err)
	papers, classes := d.Graph.Nodes(), len(d.Graph.Classes)
	for p, want := range map[float32]float64{0.5: math.Ln2, 1e-10: 10 * math.Ln10, 1e-25: 25 * math.Ln10, 0: 30 * math.Ln10} {
		net, err := nn.NewWhole([]int{1}, papers, func(b *nn.Builder[float32], _ *gorgonia.Node) *gorgonia.Node {
			return b.Constant("p", slices.Repeat([]float32{p}, papers*classes), papers, classes)
		}, rand.New(rand.NewPCG(1, 1)))
		require.NoError(t, err)
		graph, err := net.Graph(papers, true)
		require.NoError(t, err)
		f := &fitGraph{graph: graph, labels: make([]int, papers), weights: make([]float32, papers)}
		f.weights[3] = 2
		_, err = graph.Compile(n.loss(graph.Builder(), graph.Output, f))
		require.NoError(t, err)
		require.NoError(t, graph.Run(make([]float32, papers)))
		assert.InEpsilon(t, want, graph.Loss(), 1e-6, "probability %v", p)
	}
}
