//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// ended returns of a process that has ended the processor's seconds, those of the children it
// waited for included, and the peak of resident memory of the largest of them in bytes.
func ended(p *os.ProcessState) (cpu float64, peak int64) {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, 0
	}
	peak = int64(u.Maxrss)
	if runtime.GOOS == "linux" {
		peak <<= 10
	}
	return (p.UserTime() + p.SystemTime()).Seconds(), peak
}
