package learning

import (
	"hinge/train/mapstate"
)

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
