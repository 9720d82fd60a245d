package serve

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"hinge/train/learning"
)

var (
	// errBusy reports that the queue is full, errClosed that the server was closed.
	errBusy   = errors.New("too many requests are waiting; try again")
	errClosed = errors.New("the server has ended")
)

// job is a request's examples on their way to the model.
type job struct {
	ctx      context.Context
	examples [][]uint8
	why      bool // of the only example
	done     chan reply
	put      time.Time
}

type reply struct {
	answers []learning.Answer
	why     *learning.Why
	err     error
}

// batcher asks copies of a model for several requests at once, each copy in its own goroutine.
type batcher struct {
	set     *Options
	metrics *metrics
	mu      sync.RWMutex // guards ended against a send on jobs
	ended   bool
	jobs    chan *job
	inside  atomic.Int64 // jobs that wait or are answered
	coming  func() bool  // reports whether a request is being read
	turn    sync.Mutex   // of the goroutine that collects
	left    *job         // taken, but too large for the last batch
}

func newBatcher(models []learning.Answers, set *Options, m *metrics, coming func() bool) *batcher {
	b := &batcher{set: set, metrics: m, coming: coming, jobs: make(chan *job, set.Queue)}
	for _, model := range models {
		go func() {
			for batch := b.collect(); batch != nil; batch = b.collect() {
				b.answer(model, batch)
			}
		}()
	}
	return b
}

func (b *batcher) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		b.ended = true
		close(b.jobs)
	}
}

// ask answers examples, with why for a single one where that is wanted. It never waits
// for room.
func (b *batcher) ask(ctx context.Context, examples [][]uint8, why bool) reply {
	j := &job{ctx, examples, why, make(chan reply, 1), time.Now()}
	if err := b.put(j); err != nil {
		return reply{err: err}
	}
	select {
	case r := <-j.done:
		return r
	case <-ctx.Done():
		return reply{err: ctx.Err()}
	}
}

func (b *batcher) put(j *job) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.ended {
		return errClosed
	}
	b.inside.Add(1)
	select {
	case b.jobs <- j:
		return nil
	default:
		b.inside.Add(-1)
		return errBusy
	}
}

// collect waits for a job, and then a little for more that are on their way. nil means
// that there will be none.
func (b *batcher) collect() []*job {
	b.turn.Lock()
	defer b.turn.Unlock()
	first := b.left
	if b.left = nil; first == nil {
		var ok bool
		if first, ok = <-b.jobs; !ok {
			return nil
		}
	}
	batch, examples := []*job{first}, len(first.examples)
	wait := time.NewTimer(b.set.Wait)
	defer wait.Stop()
	for examples < b.set.Batch && (len(b.jobs) > 0 || b.coming()) {
		select {
		case j, ok := <-b.jobs:
			if !ok {
				return batch
			}
			if examples += len(j.examples); examples > b.set.Batch {
				b.left = j
				return batch
			}
			batch = append(batch, j)
		case <-wait.C:
			return batch
		}
	}
	return batch
}

// answer asks the model for the jobs that someone still waits for.
func (b *batcher) answer(model learning.Answers, batch []*job) {
	defer b.inside.Add(-int64(len(batch)))
	var all [][]uint8
	var asked []*job
	for _, j := range batch {
		if j.ctx.Err() == nil {
			asked, all = append(asked, j), append(all, j.examples...)
		}
	}
	if len(asked) == 0 {
		return
	}
	began := time.Now()
	for _, j := range asked {
		b.metrics.waited(began.Sub(j.put))
	}
	replies, err := guarded(func() ([]reply, error) { return askAll(model, asked, all) })
	if err != nil {
		b.set.Log.Error("the model failed", "examples", len(all), "error", err)
	}
	b.metrics.batch(len(all), time.Since(began))
	for i, j := range asked {
		r := reply{err: err}
		if err == nil {
			r = replies[i]
		}
		j.done <- r
	}
}

// guarded asks a model and turns a panic into an error.
func guarded[T any](ask func() (T, error)) (answer T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return ask()
}

// askAll asks the model for all examples of the jobs.
func askAll(model learning.Answers, asked []*job, all [][]uint8) (list []reply, err error) {
	answers, err := model.Answer(all)
	if err != nil {
		return nil, err
	}
	if len(answers) != len(all) {
		return nil, fmt.Errorf("%d answers to %d examples", len(answers), len(all))
	}
	at := 0
	for _, j := range asked {
		r := reply{answers: answers[at : at+len(j.examples)]}
		if j.why {
			r.why = model.Why(at)
		}
		at += len(j.examples)
		list = append(list, r)
	}
	return list, nil
}
