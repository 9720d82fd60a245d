package citation

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/train/learning"
)

// completed is a model whose labels were completed once, with what inference answered.
func completed(t *testing.T) (m *Model, y []float64) {
	t.Helper()
	m = smallModel(t, "energy", "best")
	_, err := m.Pretrain(t.Context(), func(string) {})
	require.NoError(t, err)
	_, err = m.Gradient(learning.Step{Temperature: 1}, []int{0})
	require.NoError(t, err)
	return m, m.completing.Result(0).Y
}

// TestComplete: the labels of the loss are the known ones, the topics of which the MAP
// state is sure, and no others; both kinds of other papers occur.
func TestComplete(t *testing.T) {
	m, y := completed(t)
	sure, latent := 0, 0
	for i, topic := range m.decided {
		row := y[i*m.sym.Classes : (i+1)*m.sym.Classes]
		best := slices.Max(row)
		switch {
		case slices.Contains(m.data.Split.Train, i):
			assert.Equalf(t, m.data.Graph.Labels[i], int(topic), "paper %d has topic %v, its label", i, topic)
		case best >= m.set.Decided:
			sure++
			assert.Equalf(t, slices.Index(row, best), int(topic), "paper %d has topic %v, inference says %v", i, topic, row)
		default:
			latent++
			if topic != undecided {
				t.Errorf("paper %d has topic %v, inference is unsure: %v", i, topic, row)
			}
		}
	}
	if sure < 10 || latent < 3 {
		t.Errorf("%d papers decided, %d latent: the test sees too little", sure, latent)
	}
	z := m.Objective.Latent().Result(0).Y
	g, err := m.outputs(m.net)
	require.NoError(t, err)
	for i, topic := range m.decided {
		for c := range m.sym.Classes {
			k, want := i*m.sym.Classes+c, 0.0
			switch {
			case topic == undecided:
				want = g[i*m.sym.Classes+c]
			case c == int(topic):
				want = 1
			}
			if math.Abs(z[k]-want) > 1e-6 { // the outputs are float32
				t.Errorf("paper %d, topic %d: %v in the loss, want %v", i, c, z[k], want)
			}
		}
	}
}

// TestCompletionObserves: inference that completes labels has those that are learned from
// fixed, and no others, and they speak to other papers.
func TestCompletionObserves(t *testing.T) {
	tried := 0
	for _, s := range subjects() {
		for _, labels := range []string{TrainLabels, TrainValidLabels} {
			cfg := s.config(t, labels, false)
			if s.system != "neupsl" || OptionsOf(&cfg).CompleteEvery == 0 {
				continue
			}
			tried++
			d := tinyData(t, &cfg)
			m, err := New(cfg, d)
			require.NoError(t, err)
			require.NoError(t, m.complete())
			known := d.Split.Train
			if labels == TrainValidLabels {
				known = slices.Concat(d.Split.Train, d.Split.Valid)
			}
			y := slices.Clone(m.completing.Result(0).Y)
			g, err := m.outputs(m.net)
			require.NoError(t, err)
			_, err = m.completing.Each(m.Weights(), g, 1, nil, func(int, *infer.Result) {})
			require.NoError(t, err)
			others := 0.0
			for i, label := range d.Graph.Labels {
				row, free := y[i*m.sym.Classes:][:m.sym.Classes], m.completing.Result(0).Y[i*m.sym.Classes:][:m.sym.Classes]
				if slices.Contains(known, i) != (row[label] == 1) {
					t.Errorf("%+v, labels %s: paper %d of class %d is completed with %v", s, labels, i, label, row)
				}
				if !slices.Contains(known, i) {
					others = max(others, math.Abs(row[label]-free[label]))
				}
			}
			assert.GreaterOrEqualf(t, others, 0.1, "%+v, labels %s", s, labels)
		}
	}
	assert.GreaterOrEqual(t, tried, 4, "the test sees too little")
}

// TestCompletedSignal: for a completed paper the value function hands the network the
// gradient 2w(g − z), w the weight of the network's rule, and for the others none before
// the network moves.
func TestCompletedSignal(t *testing.T) {
	m, _ := completed(t)
	g, err := m.outputs(m.net)
	require.NoError(t, err)
	v := m.Objective.Latent()
	require.NoError(t, v.Solve(m.Weights(), g))
	in, dg := v.Instance(0), make([]float64, len(g))
	in.DeepGradient(&v.Result(0).Solution, dg)
	for i, topic := range m.decided {
		for c := range m.sym.Classes {
			k, z := i*m.sym.Classes+c, 0.0
			switch {
			case topic == undecided:
				z = g[k]
			case c == int(topic):
				z = 1
			}
			if want := 2 * m.Weights()[0] * (g[k] - z); math.Abs(dg[k]-want) > 1e-2*(0.1+math.Abs(want)) {
				t.Fatalf("paper %d, topic %d: gradient %v, want %v", i, c, dg[k], want)
			}
		}
	}
}

// TestCompletedEvery: labels are completed before every so many steps, not between.
func TestCompletedEvery(t *testing.T) {
	m, _ := completed(t)
	clear(m.decided)
	for step, want := range map[int]bool{1: false, 2: true, 3: false, 4: true} {
		if got := m.due(step); got != want {
			t.Errorf("step %d: labels completed %v, every is %d", step, got, m.set.CompleteEvery)
		}
	}
	_, err := m.Gradient(learning.Step{Number: 1, Temperature: 1}, []int{0})
	require.NoError(t, err)
	if slices.Max(m.decided) != 0 {
		t.Error("labels were completed between times")
	}
	_, err = m.Gradient(learning.Step{Number: 2, Temperature: 1}, []int{0})
	require.NoError(t, err)
	if slices.Max(m.decided) == 0 {
		t.Error("labels were not completed when due")
	}
}
