package citation

import (
	"math"
	"slices"
	"strings"
	"testing"

	"hinge/train"
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
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestAnswerLabels: before CompleteFrom the known labels count alone, by their classes;
// from then on the sharpened MAP state of the others counts as much.
func TestAnswerLabels(t *testing.T) {
	m := answerModel(t, 0)
	for step := range 2 {
		if _, err := m.Gradient(train.Step{Number: step, Temperature: 1}, []int{0}); err != nil {
			t.Fatal(err)
		}
		weights := make([]float64, m.sym.Papers*m.sym.Classes)
		m.Objective().Problem().Importance(0, weights)
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
	y, latent := m.completing.Result(0).Y, m.Objective().Latent().Instance(0)
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
			if got := latent.Lower[i*m.sym.Classes+c]; math.Abs(got-want) > 1e-9 {
				t.Fatalf("paper %d, topic %d: label %v, want %v", i, c, got, want)
			}
		}
	}
}

// TestAnswerAlone: the network that learning is compared with starts from the same
// parameters, and sees all papers in every step.
func TestAnswerAlone(t *testing.T) {
	m := answerModel(t, 3)
	n, err := m.net.alone(m.seed())
	if err != nil {
		t.Fatal(err)
	}
	if n.set.DropPapers != 0 || m.net.set.DropPapers == 0 {
		t.Errorf("alone it drops %v of the papers, learning through rules %v", n.set.DropPapers, m.net.set.DropPapers)
	}
	own, other := m.net.values(), n.values()
	for i := range own {
		if !slices.Equal(own[i], other[i]) {
			t.Errorf("parameter %d differs at the start", i)
		}
	}
}

// TestAnswerReaches: the label of one paper speaks to the outputs of a paper that is only
// linked with it.
func TestAnswerReaches(t *testing.T) {
	m := answerModel(t, 0)
	if _, err := m.Gradient(train.Step{Temperature: 1}, []int{0}); err != nil {
		t.Fatal(err)
	}
	y, known := m.Objective().Full().Result(0).Y, m.data.Split.Train
	for _, l := range m.data.Graph.Links() {
		a, b := int(l[0]), int(l[1])
		if !slices.Contains(known, a) || slices.Contains(known, b) {
			continue
		}
		topic := m.data.Graph.Labels[a]
		nudged := m.Objective().Augmented().Result(0).Y
		if nudged[b*m.sym.Classes+topic] <= y[b*m.sym.Classes+topic] {
			t.Errorf("paper %d, linked with %d: topic %d goes from %v to %v", b, a, topic, y[b*m.sym.Classes+topic], nudged[b*m.sym.Classes+topic])
		}
		return
	}
	t.Error("no such link: the test sees nothing")
}

// TestAnswerLearns: through the rules a network of words learns topics, and answers better
// than by itself.
func TestAnswerLearns(t *testing.T) {
	m := answerModel(t, 0)
	before, err := m.Evaluate(train.TestPart)
	if err != nil {
		t.Fatal(err)
	}
	for step := range 40 {
		if _, err := m.Gradient(train.Step{Number: step, Temperature: 1}, []int{0}); err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Params() {
			for i, d := range p.Grad {
				p.Value[i] -= 2 * d
			}
		}
	}
	after, err := m.Evaluate(train.TestPart)
	if err != nil {
		t.Fatal(err)
	}
	if after.Parts < before.Parts+0.1 || after.Accuracy < after.Parts {
		t.Errorf("network from %v to %v, answers %v", before.Parts, after.Parts, after.Accuracy)
	}
}

func TestAnswerSettings(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"sharpen":     func(o *Options) { o.Sharpen = 0 },
		"completed":   func(o *Options) { o.Completed = -1 },
		"drop-papers": func(o *Options) { o.DropPapers = 1 },
	} {
		cfg := smallConfig(AnswerLoss, "best")
		if err := cfg.Validate(); err != nil {
			t.Fatal(err)
		}
		change(OptionsOf(&cfg))
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
