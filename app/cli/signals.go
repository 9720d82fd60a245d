package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"hinge/train/exit"
)

// Signals returns a context that ends with the first SIGINT or SIGTERM, and the
// exit code for it. That signal prints note to standard error; a second one exits
// at once.
func Signals(note string) (context.Context, *atomic.Int32) {
	ctx, cancel := context.WithCancel(context.Background())
	code := new(atomic.Int32)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
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

// Presses tells signals that somebody sends again from one that arrives twice: timeout and
// some launchers send it to the process and to its group.
type Presses struct {
	last os.Signal
	at   time.Time
}

// twice is the time within which the same signal is the same press.
const twice = 200 * time.Millisecond

// Another reports whether a signal that has just arrived is another press than the last.
func (p *Presses) Another(s os.Signal) bool {
	now := time.Now()
	if s == p.last && now.Sub(p.at) < twice {
		return false
	}
	p.last, p.at = s, now
	return true
}

// Code is the exit code of a process that a signal ends.
func Code(s os.Signal) int32 {
	if s == syscall.SIGTERM {
		return exit.Terminated
	}
	return exit.Interrupted
}
