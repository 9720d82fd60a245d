package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"hinge/optim/collective"
	"hinge/train/exit"
)

// Notify hands c the signals that end a process: SIGINT, SIGTERM, and SIGHUP, which a terminal that is
// closed sends, unless the process was started to ignore it, as by nohup.
func Notify(c chan<- os.Signal) {
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(c, syscall.SIGHUP)
	}
}

// Signals returns a context that ends at the first signal of Notify, and the exit code for
// that signal. The first signal also prints note to standard error; a second signal ends the
// process at once.
func Signals(note string) (context.Context, *atomic.Int32) {
	ctx, cancel := context.WithCancel(context.Background())
	code := new(atomic.Int32)
	signals := make(chan os.Signal, 2)
	Notify(signals)
	go func() {
		var presses Presses
		for s := range signals {
			switch {
			case !presses.Another(s):
			case ctx.Err() != nil:
				os.Exit(int(Code(s)))
			default:
				code.Store(Code(s))
				fmt.Fprintln(os.Stderr, note)
				cancel()
			}
		}
	}()
	return ctx, code
}

// Leave ends a rank with an error and returns its exit code. An error that all ranks know of is printed by
// the one that has it. With any other error, of which text is the message, the remaining ranks would wait for this
// one, so they are aborted.
func Leave(comm collective.Comm, err error, text string, print func(error) int) int {
	known, ok := errors.AsType[*collective.RankError](err)
	switch {
	case ok:
		if known.Err != nil {
			print(known.Err)
		}
		if comm.Size() > 1 {
			// All leave: the first process that ends makes the launcher send a signal to the others,
			// which says nothing to anybody.
			signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		}
		_ = comm.Close()
		return known.Code
	case comm.Size() == 1:
		return print(err)
	}
	print(&collective.RankError{Rank: comm.Rank(), Text: text, Err: err})
	comm.Abort(ExitCode(err))
	return ExitCode(err)
}

// Presses distinguishes a signal that somebody sends a second time from one signal that
// arrives twice, as timeout and some launchers send a signal both to the process and to its
// process group.
type Presses struct {
	last os.Signal
	at   time.Time
}

// twice is the time within which the same signal is the same press.
const twice = 200 * time.Millisecond

// Another reports whether the signal that has just arrived is a new one, and not a second
// arrival of the last one.
func (p *Presses) Another(s os.Signal) bool {
	now := time.Now()
	if s == p.last && now.Sub(p.at) < twice {
		return false
	}
	p.last, p.at = s, now
	return true
}

// Code returns the exit code of a process that the signal ends.
func Code(s os.Signal) int32 {
	if s == os.Interrupt {
		return exit.Interrupted
	}
	return exit.Terminated
}
