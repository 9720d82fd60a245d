// Package console shows a training run to a person: a live panel on a terminal with loss,
// validation, accuracy of the parts of examples, entropy of the network's outputs,
// seconds of network and inference, and time left; plain or JSON lines elsewhere. The
// first line says what is trained on what by which loss, and what the seconds are of.
//
// New picks the form by what the output is. Watch adds what jobs without a terminal
// need: a line on SIGUSR1, and a file that always holds the newest Status.
//
// An Observer belongs to one run and is called by it from one goroutine; it never
// changes the run. What cannot be drawn or written does not stop it.
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
