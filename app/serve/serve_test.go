package serve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// running is a server on a real listener, as the command has it.
func running(t *testing.T, model *fake, o Options) (url string, stop context.CancelFunc, ended <-chan error, s *Server) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	o.Log = slog.New(slog.DiscardHandler)
	s = New("pairs", o, model)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, l) }()
	t.Cleanup(func() { cancel(); s.Close() })
	return "http://" + l.Addr().String(), cancel, done, s
}

// When the server is told to end, what it has begun is answered and nothing new is taken.
func TestRunFinishesWhatItHasBegun(t *testing.T) {
	model := &fake{layout: pairs, gate: make(chan struct{})}
	url, stop, ended, s := running(t, model, Options{})
	begun := make(chan string, 1)
	go func() {
		status, _, answer := infer(t, url, [2]uint8{3, 4})
		begun <- fmt.Sprint(status, tensorOf(t, answer, "answer"))
	}()
	for len(s.holding) == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	for !s.ending.Load() {
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-ended:
		t.Fatalf("ended with a request unanswered: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	model.gate <- struct{}{}
	assert.Equal(t, "200 [7]", <-begun, "begun")
	assert.NoError(t, <-ended)
	if taken, answered := s.taken.Load(), s.answered.Load(); taken != 1 || answered != 1 {
		t.Errorf("%d requests taken, %d answered", taken, answered)
	}
	if _, err := http.Get(url + "/v2"); err == nil {
		t.Error("a request was taken after the end")
	}
}

// Headers are bounded, and a client that sends nothing loses its connection.
func TestRunBoundsHeaderAndTime(t *testing.T) {
	url, _, _, _ := running(t, &fake{layout: pairs}, Options{Timeout: 100 * time.Millisecond})
	r, err := http.NewRequest(http.MethodGet, url+"/v2", nil)
	require.NoError(t, err)
	r.Header.Set("Long", strings.Repeat("x", headerBytes))
	if a, err := http.DefaultClient.Do(r); err == nil {
		a.Body.Close()
		assert.Equalf(t, http.StatusRequestHeaderFieldsTooLarge, a.StatusCode, "a long header: %s", a.Status)
	}
	const head = " HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n"
	for begin, want := range map[string]string{
		"GET /v2": "HTTP/1.1 400 ", "GET /v2 HTTP/1.1\r\nHost: x\r\n": "none", "POST " + inferPath + head + "\r\n{": "HTTP/1.1 408 ",
		"POST " + inferPath + head + "Content-Encoding: gzip\r\n\r\n\x1f":                                       "HTTP/1.1 408 ",
		"POST /v2/models/pairs/explain" + head + "Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n": "HTTP/1.1 408 ",
	} {
		c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		require.NoError(t, err)
		defer c.Close()
		_, err = io.WriteString(c, begin)
		require.NoError(t, err)
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		answer, err := io.ReadAll(c)
		require.NoError(t, err, "%.20q: the connection stays", begin)
		if want == "none" {
			assert.Empty(t, string(answer), "%q", begin)
			continue
		}
		assert.True(t, strings.HasPrefix(string(answer), want), "%.20q: %s", begin, answer)
		assert.NotContains(t, string(answer), "127.0.0.1")
	}
}

// What was asked shows in the metrics.
func TestMetrics(t *testing.T) {
	_, h := started(t, &fake{layout: pairs, unmet: []string{"A(x) ."}}, Options{})
	infer(t, h.URL, [2]uint8{3, 4}, [2]uint8{3, 4})
	post(t, h.URL+inferPath, []byte("{"))
	post(t, h.URL+"/", nil)
	text, _ := get(t, h.URL+"/metrics")
	for _, want := range []string{
		`hinge_requests_total{code="200",path="/v2/models/{model}/infer"} 1`, `hinge_requests_total{code="400",path="/v2/models/{model}/infer"} 1`,
		`hinge_request_seconds_count{path="/v2/models/{model}/infer"} 2`, `hinge_requests_total{code="405",path="/"} 1`, "hinge_requests_held 0", "hinge_batch_examples_sum 2",
		"hinge_batch_seconds_count 1", "hinge_answer_gap_count 2", "hinge_unmet_total 2", "go_goroutines ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
