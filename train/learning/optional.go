package learning

import (
	"context"
	"io"

	"hinge/train/config"
	"hinge/train/mapstate"
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

// Answerer is implemented by models that answer examples from outside the data again and
// again, as package app/serve does.
type Answerer interface {
	// Answers returns a value that answers with the model's present weights. It has copies
	// of them, so the model is no longer needed. A setting with which the model cannot
	// answer is a UsageError.
	Answers() (Answers, error)
}

// Answers answers examples that are images. It may be used by one goroutine at a time.
type Answers interface {
	Layout() Layout
	// Answer answers examples. An example holds the pixels of its images, one image after
	// the other and row by row, from 0, background, to 255, ink. The answer to an example
	// does not depend on the others, bit for bit.
	Answer(examples [][]uint8) ([]Answer, error)
	// Why explains an answer of the last call; nil where there are no rules.
	Why(example int) *Why
}

// Layout describes the examples that an Answers takes.
type Layout struct {
	// Images is the number of images of an example, Height and Width their sides,
	// Classes the number of classes of an image.
	Images, Height, Width, Classes int
	// Rules reports whether answers are MAP states, with certificates.
	Rules bool
}

// NoAnswer is the answer where hard rules contradict each other.
const NoAnswer = -1

// Answer is the answer to an example.
type Answer struct {
	// Answer is at least 0, or NoAnswer.
	Answer int64
	// Tied reports whether other answers are as good, up to the certified accuracy.
	Tied bool
	// Beliefs are the network's, [images][classes].
	Beliefs []float32
	// Certificate is nil for systems without rules.
	Certificate *mapstate.Certificate
}

// Why explains an answer.
type Why struct {
	*mapstate.Explanation
	// Supports are the atoms that the answer is read off.
	Supports []mapstate.Support `json:"supports"`
}
