package citation

import (
	"time"

	"hinge/train"
)

// observed returns the papers whose labels inference may look at for a part, as
// the reference experiments have it: those of training for validation, those of
// training and validation for the test, none for the training papers themselves.
func (d *Data) observed(part train.Part) [][]int {
	switch part {
	case train.ValidPart:
		return [][]int{d.Split.Train}
	case train.TestPart:
		return [][]int{d.Split.Train, d.Split.Valid}
	}
	return nil
}

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
	net := m.net
	if part == train.TestPart && OptionsOf(&m.cfg).Refit {
		if net, err = m.refitted(); err != nil {
			return train.Score{}, err
		}
	}
	return m.infer(net, papers, m.data.observed(part), start)
}

// infer measures the answers of inference and of the network alone.
func (m *Model) infer(net *network, papers []int, observed [][]int, start time.Time) (train.Score, error) {
	g, err := m.outputs(net)
	if err != nil {
		return train.Score{}, err
	}
	if err := m.sym.FixLabels(m.answer.Instance(0), observed...); err != nil {
		return train.Score{}, err
	}
	m.answer.ResetStats()
	if err := m.answer.Solve(m.Weights(), g); err != nil {
		return train.Score{}, err
	}
	stats, n := m.answer.Stats(), float64(len(papers))
	return train.Score{
		Accuracy: float64(m.sym.Right(m.answer.Result(0).Y, papers)) / n, Examples: len(papers),
		Parts: float64(m.sym.Right(g, papers)) / n,
		Work: train.Work{
			SolverSeconds: stats.Seconds, NeuralSeconds: time.Since(start).Seconds() - stats.Seconds,
			Solves: stats.Solves, Unsolved: stats.Unsolved,
		},
	}, nil
}

// refitted returns the network trained on the labels of training and validation.
func (m *Model) refitted() (*network, error) {
	if m.again != nil {
		return m.again, nil
	}
	papers := append(append([]int(nil), m.data.Split.Train...), m.data.Split.Valid...)
	var err error
	m.again, err = m.net.refit(papers, OptionsOf(&m.cfg).PretrainEpochs, m.seed())
	return m.again, err
}

// Names of the figures of Report.
const (
	// ReportNetwork is the test accuracy of the network alone that test inference
	// uses.
	ReportNetwork = "network_alone"
	// ReportTrainOnly is the test accuracy of inference when only training labels
	// are used: observed, and for the network. ReportTrainOnlyNetwork is that of
	// the network alone.
	ReportTrainOnly        = "training_labels_only"
	ReportTrainOnlyNetwork = "network_alone_training_labels_only"
)

// Report implements train.Reporter: where the gain comes from.
func (m *Model) Report() (map[string]float64, error) {
	used, err := m.Evaluate(train.TestPart)
	if err != nil {
		return nil, err
	}
	only, err := m.infer(m.net, m.data.Split.Test, [][]int{m.data.Split.Train}, time.Now())
	if err != nil {
		return nil, err
	}
	return map[string]float64{
		ReportNetwork: used.Parts, ReportTrainOnly: only.Accuracy, ReportTrainOnlyNetwork: only.Parts,
	}, nil
}

var _ train.Reporter = (*Model)(nil)
