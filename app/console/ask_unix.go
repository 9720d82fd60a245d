//go:build unix

package console

import (
	"os"
	"os/signal"
	"syscall"
)

// ask has SIGUSR1 delivered.
func ask(c chan<- os.Signal) { signal.Notify(c, syscall.SIGUSR1) }
