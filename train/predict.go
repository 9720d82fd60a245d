package train

import "io"

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
		return nil, Usage("predict", "this task answers no files of one's own: its model has no method Predict (train.Predictor)")
	}
	return p.Predict(paths)
}
