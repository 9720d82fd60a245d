package citation

import (
	"context"
	"slices"
	"time"

	"hinge/nn"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/learning"
	"hinge/train/neupsl"
)

// Evaluate implements learning.Model: MAP inference with the labels that the part
// allows; the answer for a paper is its largest HasCat. Score.Parts is the
// accuracy of the network alone.
func (m *Model) Evaluate(_ context.Context, part learning.Part) (learning.Score, error) {
	papers, err := m.data.nodes(part)
	if err != nil {
		return learning.Score{}, err
	}
	start := time.Now()
	outputs, err := m.net.predict(nil)
	if err != nil {
		return learning.Score{}, err
	}
	reading := time.Since(start).Seconds()
	score, err := m.EvaluateOutputs(part, outputs)
	if err != nil {
		return learning.Score{}, err
	}
	score.NeuralSeconds += reading
	g := nn.Widen(outputs)
	score.Entropy = new(nn.Entropy(rowsOf(g, papers, m.sym.Classes), m.sym.Classes))
	score.Parts = new(float64(m.sym.Right(g, papers)) / float64(len(papers)))
	if part == learning.TestPart {
		m.last = &tested{papers, g, slices.Clone(m.Inference().Result(0).Y)}
	}
	return score, nil
}

// whole is the graph as the only example of every part.
type whole struct{ m *Model }

func (w whole) Len(part learning.Part) int {
	if _, err := w.m.data.nodes(part); err != nil {
		return 0
	}
	return 1
}

func (w whole) Inputs(learning.Part, []int) []float32 { return w.m.net.inputs }

// Outputs is Inputs.Outputs.
func (w whole) Outputs(learning.Part, []int) ([]float32, error) { return w.m.net.predict(nil) }

// Label implements neupsl.Examples: what counts as known now.
func (w whole) Label(_ int, in *lcqp.Instance) error { return w.m.fix(in) }

// Observe is Program.Observe: labels that inference may look at.
func (w whole) Observe(part learning.Part, _ int, in *lcqp.Instance) error {
	return w.m.sym.FixLabels(in, w.m.data.observed(part, OptionsOf(&w.m.cfg).Labels))
}

// Judge implements neupsl.Examples: the papers of the part whose answer is right.
func (w whole) Judge(part learning.Part, _ int, y []float64) (right, of int) {
	papers, err := w.m.data.nodes(part)
	if err != nil {
		return 0, 0
	}
	return w.m.sym.Right(y, papers), len(papers)
}

var _ neupsl.Examples = whole{}

// Names of the figures of Report: accuracies on the test papers with the same labels
// as the test accuracy itself.
const (
	// ReportNetwork is the accuracy of the learned network's own answers, without inference.
	ReportNetwork = "network_test_accuracy"
	// ReportWithoutRules is the test accuracy of the same kind of network fitted to the labels
	// by cross entropy alone, as in pre-training; ReportWithoutRulesLonger is the accuracy
	// after as many further epochs as learning has steps.
	ReportWithoutRules       = "network_without_rules_test_accuracy"
	ReportWithoutRulesLonger = "network_without_rules_longer_test_accuracy"
	// ReportTrainOnly is the accuracy of inference which observes training labels only,
	// given where the test observes more.
	ReportTrainOnly = "training_labels_observed_test_accuracy"
)

// Report implements learning.Reporter: where the accuracy comes from.
func (m *Model) Report(ctx context.Context) (map[string]float64, error) {
	used, err := m.Evaluate(ctx, learning.TestPart)
	if err != nil {
		return nil, err
	}
	short, long, err := m.withoutRules(ctx)
	if err != nil {
		return nil, err
	}
	right := func(g []float64) float64 {
		return float64(m.sym.Right(g, m.data.Split.Test)) / float64(len(m.data.Split.Test))
	}
	more := map[string]float64{ReportNetwork: *used.Parts, ReportWithoutRules: right(short), ReportWithoutRulesLonger: right(long)}
	if OptionsOf(&m.cfg).Labels != TrainLabels {
		right, papers := 0, m.data.Split.Test
		_, err := m.Inference().Each(m.Weights(), m.last.g, 1,
			func(_ int, in *lcqp.Instance) error { return m.sym.FixLabels(in, m.data.Split.Train) },
			func(_ int, r *infer.Result) { right = m.sym.Right(r.Y, papers) })
		if err != nil {
			return nil, err
		}
		more[ReportTrainOnly] = float64(right) / float64(len(papers))
	}
	return more, nil
}

var _ learning.Reporter = (*Model)(nil)
