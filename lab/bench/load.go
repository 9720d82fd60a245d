package bench

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// Load watches what else the machine does.
type Load struct {
	busy, all, own time.Duration
	known          bool
}

const (
	// tick is the unit of /proc/stat.
	tick = 10 * time.Millisecond
	// leastWatch is the processors' time from which a share of it says something.
	leastWatch = time.Second
)

// StartLoad begins to watch.
func StartLoad() Load {
	l := Load{own: CPUTime()}
	if stat, err := os.ReadFile("/proc/stat"); err == nil {
		l.busy, l.all, l.known = processorTime(stat)
	}
	return l
}

// Others is the share of the time of all processors of the machine, 0 to 1, that
// was not idle and not this process's own since the watch began; what a hypervisor
// took away counts as others'. It is not known below a second of the processors'
// time, nor where there is no /proc/stat.
func (l Load) Others() (share float64, ok bool) {
	now := StartLoad()
	all := now.all - l.all
	if !l.known || !now.known || all < leastWatch {
		return 0, false
	}
	return max(0, float64((now.busy-l.busy)-(now.own-l.own))/float64(all)), true
}

// LoadAverage is the system's load average of the last minute, "unknown" where it has none.
func LoadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	minute, _, _ := strings.Cut(string(text), " ")
	return minute
}

// processorTime reads the first line of /proc/stat: "cpu", then the ticks of user,
// nice, system, idle, iowait, irq, softirq, steal of all processors together.
func processorTime(stat []byte) (busy, all time.Duration, ok bool) {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 9 || string(fields[0]) != "cpu" {
		return 0, 0, false
	}
	for i, f := range fields[1:9] {
		n, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return 0, 0, false
		}
		const idle, iowait = 3, 4
		all += time.Duration(n) * tick
		if i != idle && i != iowait {
			busy += time.Duration(n) * tick
		}
	}
	return busy, all, true
}
