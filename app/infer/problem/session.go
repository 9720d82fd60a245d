package problem

import (
	"io"

	"hinge/app/watch"
)

// Session holds what all stages share: the flags, and the receivers of warnings, progress and
// signals.
type Session struct {
	*Options
	*Warnings
	Stop     *watch.Stopper
	Progress *watch.Progress
	Stdout   io.Writer
}

// NewSession is a session of a command with these flags.
func NewSession(o *Options, stop *watch.Stopper, p *watch.Progress, stdout io.Writer) *Session {
	return &Session{Options: o, Warnings: &Warnings{silent: o.Quiet, progress: p}, Stop: stop, Progress: p, Stdout: stdout}
}
