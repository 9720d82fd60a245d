package learning

import (
	"context"
	"io"

	"hinge/train/config"
)

// Pretrainer is implemented by models that have a phase before the steps of a run: the network
// learns without labels, as Config.Neural.Pretrain asks, or from its own labels alone.
type Pretrainer interface {
	// Pretrain changes the network's parameters and returns the seconds that this took, now or
	// when a cached result was made; 0 where the configuration has no such phase. note is told
	// of progress. When ctx ends it returns soon, with an error that wraps ctx's.
	Pretrain(ctx context.Context, note func(line string)) (seconds float64, err error)
}

// Predictor is implemented by models that can be applied to examples from outside the data.
type Predictor interface {
	// Predict reads files and folders and answers their examples with the current weights. A
	// file that cannot be read is a DataError.
	Predict(paths []string) (Prediction, error)
}

// Prediction is a Predictor's answer. Its JSON form is one object.
type Prediction interface {
	// Print writes it for people.
	Print(w io.Writer) error
}

// Predict is Predictor.Predict; that the model is none is a UsageError.
func Predict(m Model, paths []string) (Prediction, error) {
	p, ok := m.(Predictor)
	if !ok {
		return nil, config.Usage("predict", "this task answers no files of one's own: its model has no method Predict (learning.Predictor)")
	}
	return p.Predict(paths)
}
