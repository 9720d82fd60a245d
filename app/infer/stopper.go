package infer

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"hinge/app/cli"
)

// stopper handles SIGINT and SIGTERM. Their effect depends on the phase: if nothing is worth
// keeping, the process ends at once. Otherwise the work ends soon and its results are written;
// a second signal ends the process. While results are written, signals have no effect.
type stopper struct {
	// ctx ends with the first signal, now is closed when the process shall end.
	ctx    context.Context
	cancel context.CancelFunc
	now    chan struct{}
	code   atomic.Int32
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

func watchSignals(note func(string)) *stopper {
	s := &stopper{now: make(chan struct{}), signals: make(chan os.Signal, 2), note: note}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	signal.Notify(s.signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		var presses cli.Presses
		for sig := range s.signals {
			if presses.Another(sig) && s.signal(sig) {
				close(s.now)
				return
			}
		}
	}()
	return s
}

// signal reacts to a signal and reports whether the process shall end.
func (s *stopper) signal(sig os.Signal) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	again := s.ctx.Err() != nil
	if s.phase == writing {
		return false
	}
	s.code.Store(cli.Code(sig))
	s.cancel()
	if s.phase == holding && !again {
		s.note("infer: stopping, to write what is done; once more leaves at once")
		return false
	}
	return true
}

// hold marks that there is something to keep, release that there no longer is, write that
// results are being written.
func (s *stopper) hold()    { s.enter(holding) }
func (s *stopper) release() { s.enter(idle) }
func (s *stopper) write()   { s.enter(writing) }

func (s *stopper) enter(p phase) {
	s.mu.Lock()
	s.phase = p
	s.mu.Unlock()
}

// wrote notes a file that is complete.
func (s *stopper) wrote(path string) {
	s.mu.Lock()
	s.files = append(s.files, path)
	s.mu.Unlock()
}

// left describes the results of an interrupted process.
func (s *stopper) left() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.files) == 0 {
		return "nothing written"
	}
	return "written: " + strings.Join(s.files, ", ")
}

// close ends the watch.
func (s *stopper) close() {
	signal.Stop(s.signals)
	close(s.signals)
	s.cancel()
}
