package watch

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"

	"hinge/app/cli"
)

// Stopper handles the signals of cli.Notify. Their effect depends on the phase: if nothing is worth
// keeping, the process ends at once. Otherwise the work ends soon and its results are written;
// a second signal ends the process. While results are written, signals have no effect.
type Stopper struct {
	// Ctx ends with the first signal, Now is closed when the process shall end.
	Ctx    context.Context
	Cancel context.CancelFunc
	Now    chan struct{}
	// Code is the exit code of the last signal, 0 before the first.
	Code atomic.Int32
	// note prints a line.
	note    func(string)
	signals chan os.Signal

	mu    sync.Mutex
	phase phase
	files []string
}

// phase decides the effect of a signal.
type phase uint8

const (
	idle    phase = iota // nothing to keep
	holding              // something to keep
	writing              // do not disturb
)

// NewStopper handles signals from now on, until Close. It says by note what a signal does.
func NewStopper(note func(string)) *Stopper {
	s := &Stopper{Now: make(chan struct{}), signals: make(chan os.Signal, 2), note: note}
	s.Ctx, s.Cancel = context.WithCancel(context.Background())
	cli.Notify(s.signals)
	go func() {
		var presses cli.Presses
		for sig := range s.signals {
			if presses.Another(sig) && s.Signal(sig) {
				close(s.Now)
				return
			}
		}
	}()
	return s
}

// Signal reacts to a signal and reports whether the process shall end.
func (s *Stopper) Signal(sig os.Signal) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	again := s.Ctx.Err() != nil
	if s.phase == writing {
		return false
	}
	s.Code.Store(cli.Code(sig))
	s.Cancel()
	if s.phase == holding && !again {
		s.note("stopping, to write what is done; once more leaves at once")
		return false
	}
	return true
}

// Hold marks that there is something to keep, Release that there no longer is, Write that
// results are being written.
func (s *Stopper) Hold()    { s.enter(holding) }
func (s *Stopper) Release() { s.enter(idle) }
func (s *Stopper) Write()   { s.enter(writing) }

func (s *Stopper) enter(p phase) {
	s.mu.Lock()
	s.phase = p
	s.mu.Unlock()
}

// Holds reports whether there is something to keep.
func (s *Stopper) Holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase == holding
}

// Wrote notes a file that is complete.
func (s *Stopper) Wrote(path string) {
	s.mu.Lock()
	s.files = append(s.files, path)
	s.mu.Unlock()
}

// Left describes the results of an interrupted process.
func (s *Stopper) Left() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.files) == 0 {
		return "nothing written"
	}
	return "written: " + strings.Join(s.files, ", ")
}

// Close ends the watch.
func (s *Stopper) Close() {
	signal.Stop(s.signals)
	close(s.signals)
	s.Cancel()
}
