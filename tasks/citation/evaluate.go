package citation

import (
	"slices"
	"time"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train"
)

// Evaluate implements train.Model: MAP inference with the labels that the part
// allows; the answer for a paper is its largest HasCat. Score.Parts is the
// accuracy of the network alone.
func (m *Model) Evaluate(part train.Part) (train.Score, error) {
	papers, err := m.data.nodes(part)
	if err != nil {
		return train.Score{}, err
	}
	start := time.Now()
	if err := m.prepare(); err != nil {
		return train.Score{}, err
	}
	score, found, err := m.infer(papers, m.data.observed(part, OptionsOf(&m.cfg).Labels), start)
	if err == nil && part == train.TestPart {
		m.last = found
	}
	return score, err
}

// infer measures the answers of inference and of the network alone, and returns them.
func (m *Model) infer(papers, observed []int, start time.Time) (train.Score, *tested, error) {
	g, err := m.outputs(m.net)
	if err != nil {
		return train.Score{}, nil, err
	}
	m.answer.ResetStats()
	found := &tested{papers: papers, g: g}
	err = train.MAP(m.answer, m.Weights(), g, 1, func(_ int, in *lcqp.Instance) error { return m.sym.FixLabels(in, observed) },
		func(_ int, r *infer.Result) { found.y = slices.Clone(r.Y) })
	if err != nil {
		return train.Score{}, nil, err
	}
	var beliefs []float64
	for _, paper := range papers {
		beliefs = append(beliefs, g[paper*m.sym.Classes:][:m.sym.Classes]...)
	}
	n := float64(len(papers))
	return train.Score{
		Accuracy: float64(m.sym.Right(found.y, papers)) / n, Examples: len(papers),
		Entropy: train.Entropy(beliefs, m.sym.Classes), Parts: float64(m.sym.Right(g, papers)) / n,
		Work: train.SolverWork(m.answer.Stats(), time.Since(start).Seconds()),
	}, found, nil
}

// Names of the figures of Report: accuracies on the test papers with the same labels
// as the test accuracy itself.
const (
	// ReportNetwork is that of the learned network's own answers, without inference.
	ReportNetwork = "network_test_accuracy"
	// ReportWithoutRules is that of the same kind of network fitted to the labels by
	// cross entropy alone, as pre-training does it; ReportWithoutRulesLonger is that
	// after as many epochs more as learning has steps.
	ReportWithoutRules       = "network_without_rules_test_accuracy"
	ReportWithoutRulesLonger = "network_without_rules_longer_test_accuracy"
	// ReportTrainOnly is that of inference which observes training labels only, given
	// where the test observes more.
	ReportTrainOnly = "training_labels_observed_test_accuracy"
)

// Report implements train.Reporter: where the accuracy comes from.
func (m *Model) Report() (map[string]float64, error) {
	used, err := m.Evaluate(train.TestPart)
	if err != nil {
		return nil, err
	}
	short, long, err := m.withoutRules(m.data.Split.Test)
	if err != nil {
		return nil, err
	}
	more := map[string]float64{ReportNetwork: used.Parts, ReportWithoutRules: short, ReportWithoutRulesLonger: long}
	if OptionsOf(&m.cfg).Labels != TrainLabels {
		only, _, err := m.infer(m.data.Split.Test, m.data.Split.Train, time.Now())
		if err != nil {
			return nil, err
		}
		more[ReportTrainOnly] = only.Accuracy
	}
	return more, nil
}

var _ train.Reporter = (*Model)(nil)
