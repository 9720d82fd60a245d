package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"hinge/lab/bench"
)

// tickSeconds is the unit of /proc/PID/stat.
const tickSeconds = .01

// usage is what a process and its descendants have used: processor's seconds, those of
// descendants that have ended included, and the sum of their peaks of resident memory in bytes.
// Both are 0 where the system has no /proc.
type usage struct {
	cpu  float64
	peak int64
}

// usageOf reads the usage of a process and its descendants.
func usageOf(pid int) usage {
	children := map[int][]int{}
	ticks := map[int]float64{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if id, parent, used, ok := readStat(string(text)); ok {
			children[parent], ticks[id] = append(children[parent], id), used
		}
	}
	var u usage
	for todo := []int{pid}; len(todo) > 0; {
		id := todo[0]
		todo = append(todo[1:], children[id]...)
		u.cpu += ticks[id] * tickSeconds
		if status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "status")); err == nil {
			peak, _ := bench.HighWater(status)
			u.peak += peak
		}
	}
	return u
}

// readStat reads of a line of /proc/PID/stat the process, its parent, and the ticks it and its
// children that have ended have used. The name, in brackets, may hold anything.
func readStat(line string) (pid, parent int, ticks float64, ok bool) {
	open, end := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if open < 1 || end < open {
		return 0, 0, 0, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line[:open]))
	fields := strings.Fields(line[end+1:])
	if err != nil || len(fields) < 15 {
		return 0, 0, 0, false
	}
	if parent, err = strconv.Atoi(fields[1]); err != nil {
		return 0, 0, 0, false
	}
	for _, f := range fields[11:15] { // utime, stime, cutime, cstime
		n, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return 0, 0, 0, false
		}
		ticks += n
	}
	return pid, parent, ticks, true
}

// ahead reports whether this process, and so what it starts, has the priority of real time.
func ahead() bool {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return false
	}
	const policy = 38 // the forty-first field; the name, in brackets, is the second
	line := string(text)
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	return len(fields) > policy && fields[policy] != "0"
}
