package serve

import (
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"hinge/nn"
	"hinge/train/learning"
)

// failure is an answer of another status than 200.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

func fail(status int, format string, args ...any) error {
	return &failure{status, fmt.Sprintf(format, args...)}
}

// retryAfter is the header Retry-After of requests that are refused because the queue is
// full, in seconds. A full queue is answered in less time.
const retryAfter = "1"

// route makes the body of the answer to a request, and headers where they are not as always.
type route func(h http.Header, r *http.Request) ([]byte, error)

// asking is a route that asks the model, of a request whose progress it notes.
type asking func(v *visit, h http.Header, r *http.Request) ([]byte, error)

// platform is what the protocol calls the program that answers.
const platform = "hinge"

// routes are the paths that are served.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	handle := func(method, pattern string, f route) {
		path := strings.TrimSuffix(pattern, "{$}")
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, method, path, f) })
	}
	meta := func(of func() any) route {
		return func(http.Header, *http.Request) ([]byte, error) { return encode(of()) }
	}
	named := func(method, path string, f route) {
		for _, at := range []string{"", "/versions/{version}"} {
			handle(method, "/v2/models/{model}"+at+path, func(h http.Header, r *http.Request) ([]byte, error) {
				if m := r.PathValue("model"); m != s.name {
					return nil, fail(http.StatusNotFound, "there is no model %.80q; there is %q", m, s.name)
				}
				if v := r.PathValue("version"); v != version && v != "" {
					return nil, fail(http.StatusNotFound, "%s has no version %.40q; it has %q", s.name, v, version)
				}
				return f(h, r)
			})
		}
	}
	handle(http.MethodGet, "/v2", meta(s.metadata))
	handle(http.MethodGet, "/v2/health/live", meta(func() any { return map[string]bool{"live": true} }))
	handle(http.MethodGet, "/v2/health/ready", s.ready)
	handle(http.MethodPost, "/v2/repository/index", meta(s.index))
	handle(http.MethodGet, "/v2/models/stats", meta(s.statistics))
	named(http.MethodGet, "", meta(s.modelMetadata))
	named(http.MethodGet, "/ready", s.ready)
	named(http.MethodGet, "/config", meta(s.configuration))
	named(http.MethodGet, "/stats", meta(s.statistics))
	named(http.MethodPost, "/infer", s.held(s.infer))
	named(http.MethodPost, "/explain", s.held(s.form.explain))
	for _, path := range []string{"/metrics", "/{$}"} { // of other methods
		handle(http.MethodGet, path, nil)
	}
	handle("", "/", func(_ http.Header, r *http.Request) ([]byte, error) {
		return nil, fail(http.StatusNotFound, "there is nothing at %.80q; see / and /v2", r.URL.Path)
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	mux.Handle("GET /{$}", s.form.page)
	return mux
}

// answer runs a route and writes its answer.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, method, pattern string, f route) {
	began := time.Now()
	s.taken.Add(1)
	defer s.answered.Add(1)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	var body []byte
	var err error
	if method != "" && r.Method != method && (method != http.MethodGet || r.Method != http.MethodHead) {
		h.Set("Allow", method)
		err = fail(http.StatusMethodNotAllowed, "%.80s takes %s, not %.20s", r.URL.Path, method, r.Method)
	} else {
		r.Body = http.MaxBytesReader(w, r.Body, s.set.Body)
		body, err = f(h, r)
	}
	status := http.StatusOK
	if err != nil {
		status = s.status(err)
		text := err.Error()
		if status == http.StatusInternalServerError {
			s.set.Log.Error("a request failed", "path", pattern, "error", err)
			text = "the model failed; the server's log says more"
		}
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			h.Set("Retry-After", retryAfter)
		}
		body, _ = encode(map[string]string{"error": text}) // a string has a form in JSON
	}
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)                                                    // the client is gone if that fails
	s.metrics.requests.WithLabelValues(pattern, strconv.Itoa(status)).Inc() // pattern is one of a few
	s.metrics.seconds.WithLabelValues(pattern).Observe(time.Since(began).Seconds())
}

// unpack decompresses the body of a request, and bounds what it becomes.
func (s *Server) unpack(r *http.Request) (err error) {
	var body io.ReadCloser
	switch kind := strings.ToLower(strings.Join(r.Header.Values("Content-Encoding"), ", ")); kind {
	case "", "identity":
		return nil
	case "gzip", "x-gzip":
		body, err = gzip.NewReader(r.Body)
	case "deflate": // of HTTP, which is zlib's format
		body, err = zlib.NewReader(r.Body)
	default:
		return fail(http.StatusUnsupportedMediaType, "the body is compressed by %.40q; want gzip, deflate or none", kind)
	}
	if err != nil {
		return unreadable(fmt.Errorf("the body does not begin as %s: %w", r.Header.Get("Content-Encoding"), err))
	}
	r.Body = http.MaxBytesReader(nil, body, s.set.Body)
	return nil
}

// status returns the HTTP status of an error: the request's own unless it is known better.
func (s *Server) status(err error) int {
	var f *failure
	var large *http.MaxBytesError
	var diverged *nn.DivergedError
	switch {
	case errors.As(err, &f):
		return f.status
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &diverged):
		return http.StatusUnprocessableEntity
	case errors.Is(err, errBusy):
		return http.StatusTooManyRequests
	case errors.Is(err, errClosed), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

func (s *Server) metadata() any {
	return struct {
		Name       string   `json:"name"`
		Version    string   `json:"version"`
		Extensions []string `json:"extensions"`
	}{platform, "2", []string{"binary_tensor_data", "model_repository", "model_configuration", "statistics", "explain"}}
}

// modelMetadata is $metadata_model_response of the protocol.
func (s *Server) modelMetadata() any {
	in, out := s.form.kinds()
	return struct {
		Name     string       `json:"name"`
		Versions []string     `json:"versions"`
		Platform string       `json:"platform"`
		Inputs   []tensorKind `json:"inputs"`
		Outputs  []tensorKind `json:"outputs"`
	}{s.name, []string{version}, platform, in, out}
}

// ready reports whether requests are taken, of the server and of its only model.
func (s *Server) ready(_ http.Header, r *http.Request) ([]byte, error) {
	if s.ending.Load() {
		return nil, fail(http.StatusServiceUnavailable, "the server is about to end")
	}
	if m := r.PathValue("model"); m != "" {
		return encode(struct {
			Name  string `json:"name"`
			Ready bool   `json:"ready"`
		}{m, true})
	}
	return encode(map[string]bool{"ready": true})
}

// held is f for requests that are held: of those there are at most Options.Queue at once, and
// more are refused. All are counted.
func (s *Server) held(f asking) route {
	return func(h http.Header, r *http.Request) (body []byte, err error) {
		v := &visit{began: time.Now()}
		defer func() { s.metrics.visited(v, err) }()
		select {
		case s.holding <- struct{}{}:
			s.metrics.held.Inc()
		default:
			return nil, errBusy
		}
		defer func() {
			s.metrics.held.Dec()
			<-s.holding
		}()
		if err := s.unpack(r); err != nil {
			return nil, err
		}
		return f(v, h, r)
	}
}

// coming reports whether a request is held that a model of digits has yet to be asked for.
func (s *Server) coming() bool { return int64(len(s.holding)) > s.batches.inside.Load() }

// unreadable makes an error the request's, except for those of its size and of its time.
func unreadable(err error) error {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return fmt.Errorf("the request is larger than %d bytes: %w", large.Limit, err)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fail(http.StatusRequestTimeout, "the request did not come in time")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the body, or the JSON at its beginning, ends too early; send all of it")
	}
	return fail(http.StatusBadRequest, "%v", err)
}

// ask has the model answer, and counts how.
func (s *Server) ask(ctx context.Context, examples [][]uint8, why bool) ([]learning.Answer, *learning.Why, error) {
	ctx, cancel := context.WithTimeout(ctx, s.set.Timeout)
	defer cancel()
	r := s.batches.ask(ctx, examples, why)
	for _, a := range r.answers {
		s.metrics.answer(a.Certificate)
	}
	return r.answers, r.why, r.err
}
