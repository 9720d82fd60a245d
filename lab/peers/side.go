package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// answer is what a side replies to a line, as a line of JSON.
type answer struct {
	// Version names the packages of the side; its first line, which says that it is ready, has it.
	Version string `json:"version,omitempty"`
	// Wall is the median of the seconds that the work took once, Count how often it was done
	// since the line was read. A whole process may leave both out.
	Wall  float64 `json:"wall"`
	Count int     `json:"count"`
	// CPU is the processor's seconds for the work once, where the side leaves a part of what it
	// does out; 0 means all that the system counts.
	CPU float64 `json:"cpu,omitempty"`
	// Figures are further numbers.
	Figures map[string]float64 `json:"figures,omitempty"`
	// Error says why there is no answer.
	Error string `json:"error,omitempty"`
}

// process is a side that runs: it answers line by line, or only once, at its end.
type process struct {
	side    *side
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan []byte
	said    *tail
	cancel  context.CancelFunc
}

// start starts a program. Its answers are lines of standard output that begin with a brace;
// others are what libraries print, and are dropped.
func start(ctx context.Context, s *side, env []string, name string, args []string) (*process, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &process{side: s, cmd: exec.CommandContext(ctx, name, args...), answers: make(chan []byte, 16), said: &tail{}, cancel: cancel}
	p.cmd.Env, p.cmd.Stderr, p.cmd.WaitDelay = env, p.said, 5*time.Second
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		cancel()
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	go func() {
		defer close(p.answers)
		for in := bufio.NewReaderSize(out, 1<<16); ; {
			line, err := in.ReadBytes('\n')
			if bytes.HasPrefix(line, []byte("{")) {
				p.answers <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return p, nil
}

// errLate is the error of a side that does not answer in time.
var errLate = errors.New("no answer")

// read waits for an answer.
func (p *process) read(limit time.Duration) (answer, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var a answer
	select {
	case line, ok := <-p.answers:
		if !ok {
			return a, errors.New(p.end())
		}
		if err := json.Unmarshal(line, &a); err != nil {
			return a, fmt.Errorf("%s: %w", filepath.Base(p.cmd.Path), err)
		}
		if a.Error != "" {
			return a, errors.New(shorten(a.Error))
		}
		return a, nil
	case <-timer.C:
		p.cancel()
		return a, fmt.Errorf("%w within %v", errLate, limit)
	}
}

// ask sends a line and waits for its answer.
func (p *process) ask(line string, limit time.Duration) (answer, error) {
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		return answer{}, errors.New(p.end())
	}
	return p.read(limit)
}

// end waits for a process that has closed its output and returns what it said last.
func (p *process) end() string {
	err := p.cmd.Wait()
	if err == nil {
		err = errors.New("ended without an answer")
	}
	return lastLine(p.said.String(), err)
}

// stop ends the process.
func (p *process) stop() {
	p.in.Close()
	select {
	case <-time.After(10 * time.Second):
	case _, ok := <-p.answers:
		for ok {
			_, ok = <-p.answers
		}
	}
	p.cancel()
	_ = p.cmd.Wait() // it was cancelled
}

// tail keeps the end of what is written to it.
type tail struct {
	lock sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	const most = 1 << 14
	t.text = append(t.text, b...)
	if len(t.text) > most {
		t.text = append(t.text[:0], t.text[len(t.text)-most:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return strings.ToValidUTF8(string(t.text), "?")
}
