//go:build unix

package rules

import (
	"runtime"
	"syscall"
)

// usage returns the processor seconds and the largest memory in MB of the process.
func usage() (cpu, peak float64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0
	}
	unit := 1.0 / 1024 // Linux counts kilobytes, macOS bytes
	if runtime.GOOS == "darwin" {
		unit /= 1024
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime), float64(u.Maxrss) * unit
}
