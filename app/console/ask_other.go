//go:build !unix

package console

import "os"

// ask: there is no SIGUSR1 here.
func ask(chan<- os.Signal) {}
