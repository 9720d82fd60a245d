// Package console shows the progress of a training run: on a terminal a live panel with loss,
// validation, accuracy of the parts of examples, entropy of the network's outputs, seconds of
// network and inference, and time left; elsewhere plain or JSON lines. The first line
// describes the run: task, data, loss, and the parts of a step that the seconds cover.
//
// New picks the form by the kind of output. Watch adds two things for jobs without a terminal:
// a line on SIGUSR1, and a file that always holds the newest Status.
//
// An Observer belongs to one run and is called by it from one goroutine; it never changes the
// run. A failure to draw or write does not stop the run.
package console

import (
	"os"

	"golang.org/x/term"

	"hinge/train"
)

// Format is the form of the lines that are printed where there is no panel.
type Format string

// The formats.
const (
	Text Format = "text"
	JSON Format = "json"
)

// New returns an observer that writes to f: a panel if f is a terminal, the
// format is Text and quiet is false, otherwise lines.
func New(f *os.File, format Format, quiet bool) train.Observer {
	if Live(f, format, quiet) {
		return newPanel(f, func() int {
			if w, _, err := term.GetSize(int(f.Fd())); err == nil {
				return w
			}
			return 0
		})
	}
	return newLines(f, format, quiet)
}

// Live reports whether New returns a panel, so that a person looks on.
func Live(f *os.File, format Format, quiet bool) bool {
	return format == Text && !quiet && term.IsTerminal(int(f.Fd()))
}
