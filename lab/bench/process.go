package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"
)

// Serve is the measuring process: it measures the task given as JSON and writes
// a row after each stage, one a line. When the process exceeds the task's
// memory it writes a last row and ends.
func Serve(ctx context.Context, text string, out io.Writer) error {
	var t Task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return fmt.Errorf("bench: task: %w", err)
	}
	if t.Memory > 0 {
		// Near the limit garbage is worth collecting sooner, but not over and over: from three
		// quarters on, that was most of the time of citation graphs of 10⁷ terms.
		debug.SetMemoryLimit(t.Memory / 10 * 9)
	}
	last := Row{Cell: t.Cell, Stage: Started, Limit: t.Limit.Seconds()}
	rows := make(chan Row)
	done := make(chan error, 1)
	go func() { done <- Measure(ctx, &t, func(r Row) { rows <- r }) }()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	enc := json.NewEncoder(out)
	for {
		select {
		case last = <-rows:
			if err := enc.Encode(last); err != nil {
				return err
			}
		case <-tick.C:
			if t.Memory > 0 && PeakMemory() > t.Memory {
				last.stopped(MemoryLimit)
				return enc.Encode(last)
			}
		case err := <-done:
			return err
		}
	}
}

// stopped notes that a measurement was ended from outside; what its first solve
// has given stays valid.
func (r *Row) stopped(why string) {
	if r.Stage == Cold {
		r.WarmStatus = why
		return
	}
	r.Status = why
}

// measure runs a task in a process of its own and returns the last row it
// wrote. Stages that take much longer than the task's limit are ended.
func (s *Suite) measure(ctx context.Context, t *Task) (Row, error) {
	row := Row{Cell: t.Cell, Stage: Started, Limit: t.Limit.Seconds()}
	text, err := json.Marshal(t)
	if err != nil {
		return row, err
	}
	child, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := s.Command(child, string(text))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return row, err
	}
	if err := cmd.Start(); err != nil {
		return row, err
	}
	// The solver minds the limit itself, but only between its iterations.
	patience := t.Limit + t.Limit/4 + 5*time.Second
	var late atomic.Bool
	timer := time.AfterFunc(patience, func() { late.Store(true); cancel() })
	in := bufio.NewScanner(out)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var next Row
		if json.Unmarshal(in.Bytes(), &next) == nil {
			row = next
		}
		if row.Stage == Cold {
			patience += 2 * t.Repeat
		}
		timer.Reset(patience)
	}
	err = cmd.Wait()
	timer.Stop()
	switch {
	case ctx.Err() != nil:
		return row, ctx.Err()
	case late.Load():
		row.stopped(TimeLimit)
	case err != nil && row.Status != Failed:
		row.Status, row.Error = Failed, lastLine(stderr.String(), err)
	}
	return row, nil
}

// lastLine is the most telling line of what a process said: the first one of a
// panic, else the last one.
func lastLine(text string, err error) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, l := range lines {
		if strings.HasPrefix(l, "panic:") || strings.HasPrefix(l, "fatal error:") {
			return l
		}
	}
	if l := lines[len(lines)-1]; l != "" {
		return l
	}
	return err.Error()
}

// Self returns the command that runs this program with the flag and the task.
func Self(flag string) (func(context.Context, string) *exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, errors.New("bench: cannot find this program: " + err.Error())
	}
	return func(ctx context.Context, task string) *exec.Cmd {
		return exec.CommandContext(ctx, path, flag, task)
	}, nil
}
