package serve

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"hinge/train/learning"
)

// Options holds the limits of a server. A field with the zero value has its default.
type Options struct {
	// Wait is how long the first request of a batch waits for others that are being read:
	// 1 ms. Batch is the number of examples after which it does not: 4.
	Wait  time.Duration
	Batch int
	// Queue is the number of requests that are read, wait or are answered at once: 64.
	Queue int
	// Body is the largest size of a request in bytes: 4 MiB. Examples is the largest number
	// of examples in a request: 64. Pixels is the largest number of pixels of a picture to
	// explain: 2²² (2048×2048).
	Body     int64
	Examples int
	Pixels   int
	// Timeout bounds reading a request and, again, answering it: 10 s.
	Timeout time.Duration
	// Log receives failures; nil means slog.Default.
	Log *slog.Logger
}

const (
	// headerBytes bounds the header of a request.
	headerBytes = 16 << 10
	// connections bounds the open connections; more wait to be accepted.
	connections = 512
)

func (o Options) filled() Options {
	o.Wait = cmp.Or(o.Wait, time.Millisecond)
	o.Batch = cmp.Or(o.Batch, 4)
	o.Queue = cmp.Or(o.Queue, 64)
	o.Body = cmp.Or(o.Body, 4<<20)
	o.Examples = cmp.Or(o.Examples, 64)
	o.Pixels = cmp.Or(o.Pixels, 1<<22)
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// Server answers with one model. It is an http.Handler.
type Server struct {
	http.Handler
	name    string
	layout  learning.Layout // of digits; see New
	set     Options
	batches *batcher // likewise
	form    form
	holding chan struct{} // a token a request that is held
	decode  chan struct{} // a token a picture that is decoded
	metrics *metrics
	ending  atomic.Bool
	// taken and answered count requests, for the last line of the log.
	taken, answered atomic.Int64
}

// New returns a server of a model with the given name. There are one or more copies of the
// model, and as many batches are answered at the same time. From then on the copies belong to
// the server.
func New(name string, o Options, copies ...learning.Answers) *Server {
	o = o.filled()
	s := newServer(name, o)
	s.layout = copies[0].Layout()
	s.batches = newBatcher(copies, &s.set, s.metrics, s.coming)
	s.form = form{kinds: s.tensors, read: s.read, explain: s.explain, page: s.page(), close: s.batches.close}
	s.Handler = s.routes()
	return s
}

// form is the part of the server that depends on the kind of model.
type form struct {
	kinds func() (inputs, outputs []tensorKind)
	// read reads a request to infer and returns how it is answered, and its number of examples.
	read    func(*inferRequest) (ask, int, error)
	explain asking
	page    http.Handler
	close   func()
}

func newServer(name string, o Options) *Server {
	return &Server{name: name, set: o, metrics: newMetrics(), holding: make(chan struct{}, o.Queue), decode: make(chan struct{}, 2)}
}

// Close ends the goroutines that ask the model, after they have answered what they were given.
// Later requests are answered with status 503.
func (s *Server) Close() { s.form.close() }

// Run serves the connections of a listener until ctx ends; requests that have begun by
// then are answered. It closes the listener.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s, MaxHeaderBytes: headerBytes - 4<<10, // net/http allows 4 KiB more
		ReadHeaderTimeout: s.set.Timeout, ReadTimeout: s.set.Timeout, WriteTimeout: 3 * s.set.Timeout, IdleTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(s.set.Log.Handler(), slog.LevelDebug),
	}
	done := make(chan error, 1)
	go func() { done <- h.Serve(netutil.LimitListener(l, connections)) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	s.ending.Store(true)
	// Reading, waiting and answering have limits, and so has this.
	end, cancel := context.WithTimeout(context.Background(), 3*s.set.Timeout)
	defer cancel()
	if err := h.Shutdown(end); err != nil {
		return err
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	s.set.Log.Info("ended", "taken", s.taken.Load(), "answered", s.answered.Load())
	return nil
}
