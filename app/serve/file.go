package serve

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"hinge/symbolic/ground"
	"hinge/train/modelfile"
)

// fileModel answers the inputs of a model in files, one request after the other.
type fileModel struct {
	*Server
	model *modelfile.Predictor
	kinds []modelfile.InputKind
	rows  []ground.PredicateInfo // predicates of which there may be rows
	turn  chan struct{}          // holds a token while the model answers
	ended chan struct{}          // closed by Close
	once  sync.Once
}

// NewFile returns a server of a model file, which is called by the name of its folder. From
// then on the predictor belongs to the server.
func NewFile(o Options, p *modelfile.Predictor) *Server {
	s := newServer(p.Name(), o.filled())
	m := &fileModel{Server: s, model: p, kinds: p.Inputs(), rows: p.Tables(), turn: make(chan struct{}, 1), ended: make(chan struct{})}
	s.form = form{kinds: m.tensors, read: m.read, explain: m.explain, page: m.page(), close: m.end}
	s.Handler = s.routes()
	return s
}

// end waits for the requests being answered and refuses later ones.
func (m *fileModel) end() {
	m.once.Do(func() {
		m.turn <- struct{}{}
		close(m.ended)
	})
}

// ask has the model answer, unless that takes too long.
func (m *fileModel) ask(ctx context.Context, inputs []modelfile.Input, rows []modelfile.Row) (*modelfile.Prediction, error) {
	ctx, cancel := context.WithTimeout(ctx, m.set.Timeout)
	defer cancel()
	asked := time.Now()
	select {
	case m.turn <- struct{}{}:
	case <-m.ended:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type reply struct {
		p   *modelfile.Prediction
		err error
	}
	done := make(chan reply, 1)
	go func() {
		defer func() { <-m.turn }()
		began := time.Now()
		m.metrics.waited(began.Sub(asked))
		p, err := guarded(func() (*modelfile.Prediction, error) { return m.model.Predict(inputs, rows...) })
		m.metrics.batch(len(inputs)+len(rows), time.Since(began))
		done <- reply{p, err}
	}()
	select {
	case r := <-done:
		if errors.As(r.err, new(*modelfile.InputError)) || errors.As(r.err, new(*modelfile.RowError)) {
			return nil, fail(http.StatusBadRequest, "%v", r.err)
		}
		if r.err == nil {
			m.metrics.answer(r.p.Certificate)
		}
		return r.p, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
