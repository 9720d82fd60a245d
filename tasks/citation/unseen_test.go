package citation

import (
	"context"
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
func ran(t *testing.T, loss, recipe, labels string, spoil func(*Data)) (m *Model, y []float64, network []float32, res train.Result) {
	t.Helper()
	d := smallData(t, recipe)
	if spoil != nil {
		spoil(d)
	}
	cfg := smallConfig(loss, recipe)
	if labels != "" {
		OptionsOf(&cfg).Labels = labels
	}
	m, err := New(cfg, d)
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
	if network, err = m.net.predict(nil); err != nil {
		t.Fatal(err)
	}
	return m, slices.Clone(m.Inference().Result(0).Y), slices.Clone(network), res
}

// TestTestLabelsUnseen: with other labels on every test paper a run ends with the
// same weights, the same choice of epoch and the same answers, bit for bit; only
// their accuracy is another, and it is the share of the test papers, and of no
// others, whose largest HasCat is that of their label.
func TestTestLabelsUnseen(t *testing.T) {
	for _, c := range []struct{ loss, recipe, labels string }{
		{"energy", "paper", ""}, {"bce", "paper", ""}, {"energy", "best", TrainLabels}, {"energy", "best", TrainValidLabels},
	} {
		m, y, network, res := ran(t, c.loss, c.recipe, c.labels, nil)
		spoiled, y2, network2, res2 := ran(t, c.loss, c.recipe, c.labels, spoilTest)
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

// TestValidationUnseen: with training labels alone, other labels on every validation
// paper change nothing of a run of the recipe best: not its weights, not its answers.
// With both they do.
func TestValidationUnseen(t *testing.T) {
	spoil := func(d *Data) {
		for _, i := range d.Split.Valid {
			d.Graph.Labels[i] = (d.Graph.Labels[i] + 1) % len(d.Graph.Classes)
		}
	}
	for _, c := range []struct{ loss, labels string }{{"energy", TrainLabels}, {"energy", TrainValidLabels}, {AnswerLoss, TrainLabels}, {AnswerLoss, TrainValidLabels}} {
		loss, labels := c.loss, c.labels
		m, y, network, res := ran(t, loss, "best", labels, nil)
		spoiled, y2, network2, res2 := ran(t, loss, "best", labels, spoil)
		same := slices.Equal(network, network2) && slices.Equal(y, y2) && slices.Equal(m.Weights(), spoiled.Weights()) &&
			slices.Equal(m.decided, spoiled.decided) && res.BestStep == res2.BestStep && res.TestAccuracy == res2.TestAccuracy
		if same != (labels == TrainLabels) {
			t.Errorf("%s, labels %s: with other validation labels the same run: %v", loss, labels, same)
		}
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
		y := slices.Clone(m.Inference().Result(0).Y)
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
		if !slices.Equal(again.Inference().Result(0).Y, y) {
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
