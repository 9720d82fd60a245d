package citation

import (
	"hinge/nn"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// systemFit trains a comparison system on the small graph for some epochs.
func systemFit(t *testing.T, system string, epochs int, d *Data, change func(*Options)) *fit {
	t.Helper()
	cfg, err := BaselineDefaults("citation-demo", system)
	require.NoError(t, err)
	change(OptionsOf(&cfg))
	require.NoError(t, cfg.Validate())
	n, err := newSystem(&cfg, system, d, 1)
	require.NoError(t, err)
	f, err := newFit(n, d.Split.Train, 1)
	require.NoError(t, err)
	for epoch := range epochs {
		require.NoError(t, f.epoch(epoch))
	}
	return f
}

func completing(o *Options) {
	o.CompleteEvery, o.CompleteFrom, o.Decided, o.Completed = 10, 20, 0.6, 0.5
}

// TestSelfTrained: before epoch 20 nothing is completed; then the papers of whose topic the
// system is sure, and no others, have that topic for a label, with the share of weight
// that the options say, until ten epochs later; known labels stay.
func TestSelfTrained(t *testing.T) {
	for _, system := range Systems {
		d := smallData(t, "paper")
		if f := systemFit(t, system, 20, d, completing); f.decided != nil {
			t.Errorf("%s: labels completed before their epoch", system)
		}
		f := systemFit(t, system, 20, d, completing)
		answers, err := f.n.predict(nil)
		require.NoError(t, err)
		answers = slices.Clone(answers)
		for epoch := 20; epoch < 30; epoch++ {
			require.NoError(t, f.epoch(epoch))
		}
		g, classes, sure := f.graphs[d.Graph.Nodes()], len(d.Graph.Classes), 0
		for i, w := range g.weights {
			row := answers[i*classes : (i+1)*classes]
			best := nn.Argmax(row)
			label, want := best, float32(0.5*15/135)
			switch {
			case slices.Contains(d.Split.Train, i):
				label, want = d.Graph.Labels[i], 1
			case row[best] < 0.6:
				want = 0
			default:
				sure++
			}
			if w != want || w > 0 && g.labels[i] != label {
				t.Errorf("%s: paper %d has label %d with weight %v, want %d with %v", system, i, g.labels[i], w, label, want)
			}
		}
		if sure == 0 || sure == 135 {
			t.Errorf("%s is sure of %d of 135 papers: nothing shown", system, sure)
		}
		later := systemFit(t, system, 31, d, completing)
		if slices.Equal(later.decided, f.decided) {
			t.Errorf("%s: completed labels are never renewed", system)
		}
	}
}

// TestSelfTrainedUnseen: labels that are not known change nothing.
func TestSelfTrainedUnseen(t *testing.T) {
	for _, system := range Systems {
		d, spoiled := smallData(t, "paper"), smallData(t, "paper")
		for i := range spoiled.Graph.Labels {
			if !slices.Contains(d.Split.Train, i) {
				spoiled.Graph.Labels[i] = (spoiled.Graph.Labels[i] + 1) % len(d.Graph.Classes)
			}
		}
		a, b := systemFit(t, system, 41, d, completing), systemFit(t, system, 41, spoiled, completing)
		if !slices.Equal(a.decided, b.decided) || !slices.EqualFunc(a.n.values(), b.n.values(), slices.Equal) {
			t.Errorf("%s: hidden labels change the network", system)
		}
	}
}

// TestSystemsLearnDifferently: class weights and completed labels reach the loss of
// both systems, and completed ones the network that is fitted anew.
func TestSystemsLearnDifferently(t *testing.T) {
	for _, system := range Systems {
		plain := systemFit(t, system, 25, smallData(t, "paper"), func(*Options) {})
		for name, change := range map[string]func(*Options){"class weights": func(o *Options) { o.Balance = 1 }, "completed labels": completing} {
			f := systemFit(t, system, 25, smallData(t, "paper"), change)
			if slices.EqualFunc(plain.n.values(), f.n.values(), slices.Equal) {
				t.Errorf("%s: %s change nothing", system, name)
			}
			again, err := f.n.refit(f.papers, 25, 1)
			if err != nil || !slices.EqualFunc(again.values(), f.n.values(), slices.Equal) {
				t.Errorf("%s, %s: fitted anew it is another network (%v)", system, name, err)
			}
		}
	}
}
