package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

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
		code.Store(Code(<-signals))
		fmt.Fprintln(os.Stderr, note)
		cancel()
		os.Exit(int(Code(<-signals)))
	}()
	return ctx, code
}

// Code is the exit code of a process that a signal ends.
func Code(s os.Signal) int32 {
	if s == syscall.SIGTERM {
		return exit.Terminated
	}
	return exit.Interrupted
}
