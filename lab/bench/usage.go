package bench

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"
)

// clock measures what follows each other.
type clock struct {
	wall time.Time
	cpu  time.Duration
}

func startClock() clock { return clock{time.Now(), CPUTime()} }

// lap is the time since the last lap.
func (c *clock) lap() Time {
	last := *c
	*c = startClock()
	return Time{c.wall.Sub(last.wall).Seconds(), (c.cpu - last.cpu).Seconds()}
}

// PeakMemory is the largest resident size that the process has had, in bytes. Where
// the system does not tell it is what the runtime has taken from the system.
func PeakMemory() int64 {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		if n, ok := HighWater(status); ok {
			return n
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}

// HighWater finds in /proc/PID/status the line "VmHWM:  1234 kB", the largest resident size in bytes.
func HighWater(status []byte) (int64, bool) {
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			f := bytes.Fields(rest)
			if len(f) == 0 {
				return 0, false
			}
			n, err := strconv.ParseInt(string(f[0]), 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}
