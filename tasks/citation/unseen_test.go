package citation

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/citation"
	"hinge/nn"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
)

// subject is something that learns from a citation graph: NeuPSL by a loss, or a system
// beside it.
type subject struct{ system, loss, recipe string }

// subjects are all that there are.
func subjects() (all []subject) {
	cfg := Defaults("citation-demo", "energy", "paper")
	for _, recipe := range []string{"best", "paper"} {
		for _, loss := range cfg.Losses() {
			all = append(all, subject{"neupsl", loss, recipe})
		}
	}
	for _, system := range Systems {
		all = append(all, subject{system: system})
	}
	return all
}

// config is a small form of the subject's configuration. Unless chosen, no validation
// paper chooses an epoch or a restart.
func (s subject) config(t *testing.T, labels string, chosen bool) config.Config {
	t.Helper()
	cfg := smallConfig(s.loss, s.recipe)
	if s.system != "neupsl" {
		var err error
		cfg, err = BaselineDefaults("citation-demo", s.system)
		require.NoError(t, err)
	}
	own := OptionsOf(&cfg)
	own.Labels, own.PretrainEpochs, own.Hidden = labels, 30, own.Hidden[:min(len(own.Hidden), 1)]
	for i := range own.Hidden {
		own.Hidden[i] = 8
	}
	own.CompleteFrom = min(own.CompleteFrom, 1)
	if !chosen {
		own.Restarts, own.PretrainPatience, cfg.Training.ValidEvery = 1, 0, cfg.Training.Epochs
	}
	require.NoError(t, cfg.Validate())
	return cfg
}

// learnsFrom reports whether the subject may learn from validation labels: one whose epoch
// they choose may not, but a comparison system is fitted anew for as many epochs.
func (s subject) learnsFrom(labels string) bool {
	return labels == TrainValidLabels && s.recipe != "paper"
}

// tinyData is a generated graph of 90 papers: 15 for training, 15 for validation, 40 for
// the test, and 20 in no part.
func tinyData(t *testing.T, cfg *config.Config) *Data {
	t.Helper()
	o := citation.Demo()
	o.Papers, o.Words, o.Topical = 90, 100, 0.4
	g, err := citation.Generate(o)
	require.NoError(t, err)
	split, err := citation.NewSplit(g.Nodes(), citation.SplitSizes{Train: 15, Valid: 15, Test: 40}, 0)
	require.NoError(t, err)
	return &Data{Graph: g, Split: split, rules: builtIn(cfg)}
}

// spoil gives papers other labels, each one of its own choice.
func spoil(d *Data, papers []int) {
	rng, classes := rand.New(rand.NewPCG(1, 2)), len(d.Graph.Classes)
	for _, i := range papers {
		d.Graph.Labels[i] = (d.Graph.Labels[i] + 1 + rng.IntN(classes-1)) % classes
	}
}

// hidden are the papers whose labels nothing may see, whatever the setting: those of the
// test and those in no part.
func hidden(d *Data) (papers []int) {
	for i := range d.Graph.Nodes() {
		if !slices.Contains(d.Split.Train, i) && !slices.Contains(d.Split.Valid, i) {
			papers = append(papers, i)
		}
	}
	return papers
}

// Numbers of a run that are not of its network.
const (
	testAnswers   = "answers to " + string(learning.TestPart)
	testOutputs   = "outputs of the tested network"
	validAccuracy = "validation accuracy"
)

// numbers of a run are all that labels could reach, by name.
type numbers map[string][]float64

// ran lets a subject learn, with other labels on some papers, and returns the numbers.
func (s subject) ran(t *testing.T, labels string, chosen bool, spoiled func(*Data) []int) numbers {
	t.Helper()
	cfg := s.config(t, labels, chosen)
	d := tinyData(t, &cfg)
	spoil(d, spoiled(d))
	out := make(numbers)
	add := func(name string, v []float64) { out[name] = slices.Clone(v) }
	if s.system != "neupsl" {
		n, found, err := fitBaseline(&cfg, s.system, d)
		require.NoError(t, err)
		for i, v := range n.values() {
			add(n.net.Params().All()[i].Name, nn.Widen(v))
		}
		p, err := n.predict(nil)
		require.NoError(t, err)
		add(testOutputs, nn.Widen(p))
		add(validAccuracy, []float64{found.valid})
		add("epochs", []float64{float64(found.epochs)})
		return out
	}
	m, err := New(cfg, d)
	require.NoError(t, err)
	cfg.Training.NoTest = true // what a test finds is asked for below
	res, err := train.Run(context.Background(), cfg, m, train.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	for _, p := range m.Params() {
		add(p.Name, nn.Widen(p.Value))
	}
	add("rule weights", m.Weights())
	add("labels in the loss", m.decided)
	add("beliefs in the loss", m.beliefs)
	add("steps", []float64{float64(res.BestStep), float64(res.Steps)})
	add(validAccuracy, []float64{res.ValidAccuracy})
	// An answer depends a little on where its inference starts: on the one before.
	for _, part := range []learning.Part{learning.ValidPart, learning.TestPart} {
		_, err := m.Evaluate(t.Context(), part)
		require.NoError(t, err)
		add("answers to "+string(part), m.Inference().Result(0).Y)
	}
	g, err := m.outputs(m.net)
	require.NoError(t, err)
	add(testOutputs, g)
	short, long, err := m.withoutRules(t.Context())
	require.NoError(t, err)
	add("network without rules", short)
	add("network without rules, longer", long)
	return out
}

// TestUnseen: a run ends with the same numbers, bit for bit, whatever the labels are that it
// may not see. Those of the test, and of papers in no part, nothing sees, also where
// validation labels choose the epoch. Those of validation nothing sees with training labels
// alone, and otherwise learning does not where they are to choose its epoch, which is left
// out for this. Where they may be seen they are.
func TestUnseen(t *testing.T) {
	for _, s := range subjects() {
		for _, labels := range []string{TrainLabels, TrainValidLabels} {
			t.Run(strings.Join([]string{s.system, s.loss, s.recipe, labels}, ","), func(t *testing.T) {
				t.Parallel()
				s.testUnseen(t, labels)
			})
		}
	}
}

func (s subject) testUnseen(t *testing.T, labels string) {
	none, valid := func(*Data) []int { return nil }, func(d *Data) []int { return d.Split.Valid }
	own, other := s.ran(t, labels, true, none), s.ran(t, labels, true, hidden)
	for name, v := range own {
		assert.Equalf(t, other[name], v, "%s: test labels are seen", name)
	}
	own, other = s.ran(t, labels, false, none), s.ran(t, labels, false, valid)
	delete(own, validAccuracy)
	for name, v := range own {
		may := s.learnsFrom(labels) || name == testAnswers && labels == TrainValidLabels
		switch same := slices.Equal(v, other[name]); {
		case !may && !same:
			t.Errorf("%s: validation labels are seen", name)
		case may && same && (name == testAnswers || name == testOutputs):
			t.Errorf("%s: validation labels are not seen", name)
		}
	}
}

// TestObserved: inference looks at the labels that a part allows and at no others: at none
// for training papers, at those for training in validation, and in the test at what the
// setting says, whatever the loss.
func TestObserved(t *testing.T) {
	for _, s := range subjects() {
		if s.system != "neupsl" {
			continue // the others infer nothing
		}
		for _, labels := range []string{TrainLabels, TrainValidLabels} {
			cfg := s.config(t, labels, true)
			d := tinyData(t, &cfg)
			m, err := New(cfg, d)
			require.NoError(t, err)
			test := d.Split.Train
			if labels == TrainValidLabels {
				test = slices.Concat(d.Split.Train, d.Split.Valid)
			}
			for part, observed := range map[learning.Part][]int{learning.TrainPart: nil, learning.ValidPart: d.Split.Train, learning.TestPart: test} {
				_, err := m.Evaluate(t.Context(), part)
				require.NoError(t, err)
				in, y := m.Inference().Instance(0), m.Inference().Result(0).Y
				for k := range y {
					paper, class := k/m.sym.Classes, k%m.sym.Classes
					fixed := in.Lower[k] == in.Upper[k]
					if want := slices.Contains(observed, paper); fixed != want {
						t.Fatalf("%+v, labels %s, %s: the label of paper %d is observed: %v, want %v", s, labels, part, paper, fixed, want)
					}
					if is := d.Graph.Labels[paper] == class; fixed && (y[k] == 1) != is || fixed && (y[k] == 0) == is {
						t.Fatalf("%+v, %s: paper %d of class %d has HasCat %v of class %d", s, part, paper, d.Graph.Labels[paper], y[k], class)
					}
				}
			}
		}
	}
}

// TestReport: every accuracy on the test is the share of the test papers, counted here,
// whose largest number is that of their class: among the answers of inference, those of
// inference that observes training labels alone, the outputs of the network, and those of
// the network without rules. No two of these are alike in all runs.
func TestReport(t *testing.T) {
	all := make(map[string][]float64)
	for _, s := range []subject{{"neupsl", AnswerLoss, "best"}, {"neupsl", "energy", "best"}, {"neupsl", "energy", "paper"}} {
		cfg := s.config(t, TrainValidLabels, true)
		d := tinyData(t, &cfg)
		m, err := New(cfg, d)
		require.NoError(t, err)
		res, err := train.Run(context.Background(), cfg, m, train.Options{Dir: t.TempDir()})
		require.NoError(t, err)
		share := func(x []float64) float64 {
			right, classes := 0, len(d.Graph.Classes)
			for _, i := range d.Split.Test {
				row := x[i*classes : (i+1)*classes]
				if slices.Index(row, slices.Max(row)) == d.Graph.Labels[i] {
					right++
				}
			}
			return float64(right) / float64(len(d.Split.Test))
		}
		answers := func(observed []int) []float64 {
			var y []float64
			_, err := m.Inference().Each(m.Weights(), m.last.g, 1,
				func(_ int, in *lcqp.Instance) error { return m.sym.FixLabels(in, observed) },
				func(_ int, r *infer.Result) { y = slices.Clone(r.Y) })
			require.NoError(t, err)
			return y
		}
		g, err := m.outputs(m.net)
		require.NoError(t, err)
		short, long, err := m.withoutRules(t.Context())
		require.NoError(t, err)
		done, stop := context.WithCancel(t.Context())
		stop()
		_, err = m.Report(done)
		require.ErrorIs(t, err, context.Canceled)
		assert.Equalf(t, res.More[ReportNetwork], *res.TestParts, "%+v: the network", s)
		for name, c := range map[string]struct{ got, want float64 }{
			"test_accuracy":          {res.TestAccuracy, share(answers(slices.Concat(d.Split.Train, d.Split.Valid)))},
			ReportTrainOnly:          {res.More[ReportTrainOnly], share(answers(d.Split.Train))},
			ReportNetwork:            {res.More[ReportNetwork], share(g)},
			ReportWithoutRules:       {res.More[ReportWithoutRules], share(short)},
			ReportWithoutRulesLonger: {res.More[ReportWithoutRulesLonger], share(long)},
		} {
			assert.Equalf(t, c.want, c.got, "%+v: %s", s, name)
			all[name] = append(all[name], c.got)
		}
	}
	for a, x := range all {
		for b, y := range all {
			if a < b && slices.Equal(x, y) {
				t.Errorf("%s and %s are both %v: the test cannot tell them apart", a, b, x)
			}
		}
	}
}
