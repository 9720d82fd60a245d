package citation

import (
	"context"
	"math"
	"slices"
	"testing"

	"hinge/train"
)

// spoilTest gives every test paper another label.
func spoilTest(d *Data) {
	for _, i := range d.Split.Test {
		d.Graph.Labels[i] = (d.Graph.Labels[i] + 1) % len(d.Graph.Classes)
	}
}

// ran trains a model and returns it with its answers to the test, y and the
// network's, and its result.
func ran(t *testing.T, loss, recipe string, spoil func(*Data)) (m *Model, y []float64, network []float32, res train.Result) {
	t.Helper()
	d := smallData(t, recipe)
	if spoil != nil {
		spoil(d)
	}
	m, err := New(smallConfig(loss, recipe), d)
	if err != nil {
		t.Fatal(err)
	}
	if res, err = train.Run(context.Background(), m.cfg, m, train.Options{Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	score, err := m.Evaluate(train.TestPart)
	if err != nil {
		t.Fatal(err)
	}
	if score.Accuracy != res.TestAccuracy {
		t.Errorf("%s, %s: the run says %v, the model it left %v", loss, recipe, res.TestAccuracy, score.Accuracy)
	}
	used := m.net
	if OptionsOf(&m.cfg).Refit {
		used = m.again
	}
	if network, err = used.predict(nil); err != nil {
		t.Fatal(err)
	}
	return m, slices.Clone(m.answer.Result(0).Y), slices.Clone(network), res
}

// TestTestLabelsUnseen: with other labels on every test paper a run ends with the
// same weights, the same choice of epoch and the same answers, bit for bit; only
// their accuracy is another, and it is the share of the test papers, and of no
// others, whose largest HasCat is that of their label.
func TestTestLabelsUnseen(t *testing.T) {
	for _, c := range []struct{ loss, recipe string }{{"energy", "paper"}, {"bce", "paper"}, {"energy", "best"}} {
		m, y, network, res := ran(t, c.loss, c.recipe, nil)
		spoiled, y2, network2, res2 := ran(t, c.loss, c.recipe, spoilTest)
		for i, p := range m.Params() {
			if !slices.Equal(p.Value, spoiled.Params()[i].Value) {
				t.Errorf("%s, %s: %s depends on test labels", c.loss, c.recipe, p.Name)
			}
		}
		if !slices.Equal(m.Weights(), spoiled.Weights()) {
			t.Errorf("%s, %s: rule weights %v, with other test labels %v", c.loss, c.recipe, m.Weights(), spoiled.Weights())
		}
		if res.BestStep != res2.BestStep || res.Steps != res2.Steps || res.ValidAccuracy != res2.ValidAccuracy {
			t.Errorf("%s, %s: %+v, with other test labels %+v", c.loss, c.recipe, res, res2)
		}
		if !slices.Equal(network, network2) {
			t.Errorf("%s, %s: the outputs of the tested network depend on test labels", c.loss, c.recipe)
		}
		if !slices.Equal(y, y2) {
			t.Errorf("%s, %s: the answers depend on test labels", c.loss, c.recipe)
		}
		classes, right, right2 := len(m.data.Graph.Classes), 0, 0
		for _, i := range m.data.Split.Test {
			hasCat := y[i*classes : (i+1)*classes]
			switch slices.Index(hasCat, slices.Max(hasCat)) {
			case m.data.Graph.Labels[i]:
				right++
			case spoiled.data.Graph.Labels[i]:
				right2++
			}
		}
		n := float64(len(m.data.Split.Test))
		if res.TestAccuracy != float64(right)/n || res2.TestAccuracy != float64(right2)/n || right <= right2 {
			t.Errorf("%s, %s: accuracies %v and %v, counted %d and %d of %v",
				c.loss, c.recipe, res.TestAccuracy, res2.TestAccuracy, right, right2, n)
		}
	}
}

// TestRefit: the tested network is the one trained anew on training and validation
// labels, no other, and validation is answered without it.
func TestRefit(t *testing.T) {
	m, y, _, _ := ran(t, "energy", "best", nil)
	papers := slices.Concat(m.data.Split.Train, m.data.Split.Valid)
	again, err := m.net.refit(papers, OptionsOf(&m.cfg).PretrainEpochs, m.seed())
	if err != nil {
		t.Fatal(err)
	}
	answers := func(n *network, part train.Part) []float64 {
		cfg := m.cfg
		own := *OptionsOf(&cfg)
		own.Refit, cfg.Options = false, &own
		plain, err := New(cfg, m.data)
		if err != nil {
			t.Fatal(err)
		}
		plain.fitted = true
		plain.net.setValues(n.values())
		copy(plain.Weights(), m.Weights())
		if _, err := plain.Evaluate(part); err != nil {
			t.Fatal(err)
		}
		return plain.answer.Result(0).Y
	}
	// The solves of a run begin at the last solution and end within the gap.
	near := func(a, b []float64) bool {
		far := 0.0
		for i := range a {
			far = max(far, math.Abs(a[i]-b[i]))
		}
		return far < 0.05
	}
	if !near(y, answers(again, train.TestPart)) {
		t.Error("the test is answered by another network than the one fitted to training and validation labels")
	}
	if near(y, answers(m.net, train.TestPart)) {
		t.Error("the test is answered by the network of the run")
	}
	if _, err := m.Evaluate(train.ValidPart); err != nil {
		t.Fatal(err)
	}
	if !near(m.answer.Result(0).Y, answers(m.net, train.ValidPart)) {
		t.Error("validation is answered by another network than that of the run")
	}
}

// TestObservedLabels: what inference may look at, by part. Labels it may not look
// at change no answer, those it may look at are its answers.
func TestObservedLabels(t *testing.T) {
	for _, c := range []struct {
		part     train.Part
		observed func(d *Data) []int
		hidden   func(d *Data) []int
	}{
		{train.TrainPart, func(d *Data) []int { return nil },
			func(d *Data) []int { return slices.Concat(d.Split.Train, d.Split.Valid, d.Split.Test) }},
		{train.ValidPart, func(d *Data) []int { return d.Split.Train },
			func(d *Data) []int { return slices.Concat(d.Split.Valid, d.Split.Test) }},
		{train.TestPart, func(d *Data) []int { return slices.Concat(d.Split.Train, d.Split.Valid) },
			func(d *Data) []int { return d.Split.Test }},
	} {
		m := smallModel(t, "energy", "paper")
		if err := m.prepare(); err != nil {
			t.Fatal(err)
		}
		labels, classes := m.data.Graph.Labels, len(m.data.Graph.Classes)
		if _, err := m.Evaluate(c.part); err != nil {
			t.Fatal(err)
		}
		y := slices.Clone(m.answer.Result(0).Y)
		for _, i := range c.observed(m.data) {
			for k, v := range y[i*classes : (i+1)*classes] {
				if want := k == labels[i]; v != 0 && !want || v != 1 && want {
					t.Fatalf("%s: paper %d of class %d has HasCat %v of class %d", c.part, i, labels[i], v, k)
				}
			}
		}
		for _, i := range c.hidden(m.data) {
			labels[i] = (labels[i] + 1) % classes
		}
		again := smallModel(t, "energy", "paper") // starts its inference as cold as m did
		copy(again.data.Graph.Labels, labels)
		again.fitted = true
		again.net.setValues(m.net.values())
		if _, err := again.Evaluate(c.part); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again.answer.Result(0).Y, y) {
			t.Errorf("%s: hidden labels change the answers", c.part)
		}
	}
}

// TestBaselinesUnseen: other test labels change nothing of a comparison system's
// training either, only its accuracy on them.
func TestBaselinesUnseen(t *testing.T) {
	for _, system := range Systems {
		cfg, err := BaselineDefaults("citation-demo", system)
		if err != nil {
			t.Fatal(err)
		}
		OptionsOf(&cfg).PretrainEpochs, OptionsOf(&cfg).PretrainPatience = 100, 100
		d, spoiled := smallData(t, "paper"), smallData(t, "paper")
		spoilTest(spoiled)
		a, err := Baseline(cfg, system, d)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Baseline(cfg, system, spoiled)
		if err != nil {
			t.Fatal(err)
		}
		if a.Valid != b.Valid || a.Epochs != b.Epochs || a.Test <= b.Test || a.Test+b.Test > 1 {
			t.Errorf("%s: %+v, with other test labels %+v", system, a, b)
		}
	}
}
