//go:build unix

package bench

import (
	"syscall"
	"time"
)

// CPUTime is the processor time the process has used so far on all cores; 0 where the system
// does not tell.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
