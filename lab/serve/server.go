package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"hinge/lab/bench"
)

// server is cmd/serve as a process of its own.
type server struct {
	cmd        *exec.Cmd
	url, model string
	log        *bytes.Buffer // complete when the process has ended
}

var saysWhere = regexp.MustCompile(`^serving (\S+) of .* at (http://\S+)\n$`)

// start builds the server in dir and starts it on a run.
func start(dir, run string) (*server, error) {
	program := filepath.Join(dir, "serve")
	build := exec.Command("go", "build", "-o", program, "hinge/cmd/serve")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building cmd/serve: %w", err)
	}
	cmd := exec.Command(program, "-run", run, "-addr", "127.0.0.1:0")
	log := new(bytes.Buffer)
	cmd.Stderr = io.MultiWriter(os.Stderr, log)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	m := saysWhere.FindStringSubmatch(line)
	if m == nil {
		return nil, fmt.Errorf("the server said %q, %v", line, err)
	}
	return &server{cmd, m[2], m[1], log}, nil
}

func (s *server) infer() string { return s.url + "/v2/models/" + s.model + "/infer" }

func (s *server) kill() { _ = s.cmd.Process.Kill() }

// terminate sends SIGTERM and waits for the end.
func (s *server) terminate(ctx context.Context) error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// resident is the memory of the server in bytes.
func (s *server) resident() (int64, error) {
	r, err := http.Get(s.url + "/metrics")
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, err
	}
	_, value, ok := strings.Cut(string(text), "\nprocess_resident_memory_bytes ")
	if !ok {
		return 0, fmt.Errorf("/metrics has no resident memory here")
	}
	value, _, _ = strings.Cut(value, "\n")
	v, err := strconv.ParseFloat(value, 64)
	return int64(v), err
}

// load is what a steady rate of requests met.
type load struct {
	rate, requests       int
	right, busy, refused int // refused or reset by the system
	firstLost            string
	metrics              vegeta.Metrics // of those that were answered
	average              string         // load average before
}

// lost are the requests that were neither answered rightly nor told to come again.
func (l load) lost() int { return l.requests - l.right - l.busy }

func (l load) String() string {
	m := &l.metrics.Latencies
	return fmt.Sprintf("%d/s: %d requests, %d answered rightly, %d told to come again, %d lost or wrong %s; answered p50 %v, p95 %v, p99 %v, max %v; load average %s",
		l.rate, l.requests, l.right, l.busy, l.lost(), l.firstLost, m.P50, m.P95, m.P99, m.Max, l.average)
}

// load asks the questions in turn, so many a second whatever the answers.
func (s *server) load(questions []question, rate int, during time.Duration) load {
	l := load{rate: rate, average: bench.LoadAverage()}
	targets := make([]vegeta.Target, len(questions))
	byID := map[string][]byte{}
	for i, q := range questions {
		targets[i] = vegeta.Target{Method: http.MethodPost, URL: s.infer(), Body: q.body, Header: http.Header{"Content-Type": {"application/json"}}}
		byID[strconv.Itoa(i)] = q.answer
	}
	attacker := vegeta.NewAttacker(vegeta.Timeout(time.Minute))
	for r := range attacker.Attack(vegeta.NewStaticTargeter(targets...), vegeta.Rate{Freq: rate, Per: time.Second}, during, "serve") {
		l.requests++
		switch {
		case r.Code == http.StatusOK && bytes.Equal(r.Body, byID[idOf(r.Body)]):
			l.right++
			l.metrics.Add(r)
		case r.Code == http.StatusTooManyRequests && r.Headers.Get("Retry-After") != "":
			l.busy++
		case strings.Contains(r.Error, "connection refused"), strings.Contains(r.Error, "connection reset"):
			l.refused++
		case l.firstLost == "":
			l.firstLost = fmt.Sprintf("(%d %s %.100s)", r.Code, r.Error, r.Body)
		}
	}
	l.metrics.Close()
	return l
}

var idField = regexp.MustCompile(`"id":"(\d+)"`)

func idOf(body []byte) string {
	if m := idField.FindSubmatch(body); m != nil {
		return string(m[1])
	}
	return ""
}
