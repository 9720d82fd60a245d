package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"hinge/train/learning"
)

// example is one whose first pixels are a and b.
func example(a, b uint8) []uint8 {
	e := make([]uint8, 2*28*28)
	e[0], e[28*28] = a, b
	return e
}

func quietly(o Options) *Options {
	o.Log = slog.New(slog.DiscardHandler)
	o = o.filled()
	return &o
}

func always() bool { return true }

// Requests that come within the wait are answered together, those that come later or
// would make a batch too large are not, and each gets its own answers.
func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fake{layout: pairs}
		b := newBatcher([]learning.Answers{model}, quietly(Options{Wait: 5 * time.Millisecond, Batch: 4}), newMetrics(), always)
		defer b.close()
		var wg sync.WaitGroup
		ask := func(after time.Duration, first uint8, n int) {
			wg.Go(func() {
				time.Sleep(after)
				var examples [][]uint8
				for i := range n {
					examples = append(examples, example(first+uint8(i), 0))
				}
				r := b.ask(t.Context(), examples, false)
				if r.err != nil || len(r.answers) != n {
					t.Errorf("%d: %+v", first, r)
					return
				}
				for i, a := range r.answers {
					assert.Equalf(t, int64(first)+int64(i), a.Answer, "request %d, example %d is answered", first, i)
				}
			})
		}
		ask(0, 20, 1)
		ask(time.Millisecond, 40, 2)
		ask(2*time.Millisecond, 60, 3) // one too many for the batch
		ask(100*time.Millisecond, 80, 9)
		ask(200*time.Millisecond, 90, 1)
		wg.Wait()
		assert.Equal(t, "[3 3 9 1]", fmt.Sprint(model.batches), "batches")
	})
}

// Each request that asks why is told so of its own example, wherever that stands in the batch.
func TestWhyOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fake{layout: pairs}
		b := newBatcher([]learning.Answers{model}, quietly(Options{Wait: 5 * time.Millisecond, Batch: 8}), newMetrics(), always)
		defer b.close()
		var wg sync.WaitGroup
		for n, first := range []uint8{20, 40, 60, 80} {
			wg.Go(func() {
				time.Sleep(time.Duration(n) * time.Millisecond)
				examples := [][]uint8{example(first, 0)}
				if n == 1 { // the others are explained behind two of one request
					examples = append(examples, example(first+1, 0))
				}
				r := b.ask(t.Context(), examples, n != 1)
				switch {
				case r.err != nil || (r.why == nil) != (n == 1):
					t.Errorf("request %d: %+v", n, r)
				case r.why != nil && r.why.Supports[0].Atom != fmt.Sprintf("Sum(%d)", first):
					t.Errorf("%d is explained by %s", first, r.why.Supports[0].Atom)
				}
			})
		}
		wg.Wait()
		assert.Equal(t, "[5]", fmt.Sprint(model.batches), "batches")
	})
}

// A request that nobody waits for any longer is not answered.
func TestGoneIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fake{layout: pairs}
		b := newBatcher([]learning.Answers{model}, quietly(Options{Wait: 5 * time.Millisecond}), newMetrics(), always)
		defer b.close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if r := b.ask(ctx, [][]uint8{example(1, 1)}, false); !errors.Is(r.err, context.DeadlineExceeded) {
			t.Errorf("%+v", r)
		}
		time.Sleep(time.Second)
		assert.Lenf(t, model.batches, 0, "batches of %v", model.batches)
	})
}

// Requests that were given up hold their place until the model is free again, and those
// that find none are refused and not kept waiting.
func TestGivenUpHoldTheirPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &fake{layout: pairs, gate: make(chan struct{})}
		b := newBatcher([]learning.Answers{model}, quietly(Options{Queue: 2, Batch: 1}), newMetrics(), always)
		defer b.close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() { b.ask(ctx, [][]uint8{example(1, 1)}, false) })
			synctest.Wait() // the model takes the first before the next ones come
		}
		wg.Wait()
		if r := b.ask(t.Context(), [][]uint8{example(1, 1)}, false); !errors.Is(r.err, errBusy) {
			t.Errorf("%+v", r)
		}
		close(model.gate)
		synctest.Wait()
		if r := b.ask(t.Context(), [][]uint8{example(1, 1)}, false); r.err != nil {
			t.Errorf("afterwards: %+v", r)
		}
		synctest.Wait()
		if n := b.inside.Load(); n != 0 {
			t.Errorf("%d jobs are counted and none is there", n)
		}
	})
}

// An error and a panic of the model are those of its batch, and the next is answered.
func TestModelFails(t *testing.T) {
	b := newBatcher([]learning.Answers{&fake{layout: pairs, poisonous: true}}, quietly(Options{}), newMetrics(), always)
	for _, e := range [][]uint8{example(poison, 0), {0, poison}} {
		if r := b.ask(t.Context(), [][]uint8{e}, false); r.err == nil {
			t.Errorf("%+v", r)
		}
	}
	if r := b.ask(t.Context(), [][]uint8{example(2, 3)}, true); r.err != nil || r.answers[0].Answer != 5 || r.why == nil {
		t.Errorf("afterwards: %+v", r)
	}
	b.close()
	b.close()
	if r := b.ask(t.Context(), [][]uint8{example(2, 3)}, false); !errors.Is(r.err, errClosed) {
		t.Errorf("closed: %+v", r)
	}
}

// A full queue refuses at once with 429 and Retry-After; what it holds is answered.
func TestOverload(t *testing.T) {
	model := &fake{layout: pairs, gate: make(chan struct{})}
	s, h := started(t, model, Options{Queue: 3})
	var wg sync.WaitGroup
	var right atomic.Int32
	for i := range 3 {
		wg.Go(func() {
			status, _, answer := infer(t, h.URL, [2]uint8{uint8(i), 20})
			if status == http.StatusOK && fmt.Sprint(tensorOf(t, answer, "answer")) == fmt.Sprintf("[%d]", 20+i) {
				right.Add(1)
			}
		})
	}
	for len(s.holding) < 3 {
		time.Sleep(time.Millisecond)
	}
	for range 5 {
		status, header, answer := infer(t, h.URL, [2]uint8{1, 1})
		if status != http.StatusTooManyRequests || header.Get("Retry-After") != "1" || answer["error"] == nil {
			t.Fatalf("%d, Retry-After %q, %v", status, header.Get("Retry-After"), answer)
		}
	}
	close(model.gate)
	wg.Wait()
	if right.Load() != 3 {
		t.Errorf("%d of 3 are answered rightly", right.Load())
	}
	if status, _, _ := infer(t, h.URL, [2]uint8{1, 1}); status != http.StatusOK {
		t.Errorf("afterwards: %d", status)
	}
	if s.coming() {
		t.Error("a request is coming when all are answered")
	}
}

// A model that fails is a 500 that does not tell how.
func TestModelFailsOverHTTP(t *testing.T) {
	_, h := started(t, &fake{layout: pairs, poisonous: true}, Options{})
	if status, _, answer := infer(t, h.URL, [2]uint8{poison, 1}); status != 500 || answer["error"] != "the model failed; the server's log says more" {
		t.Errorf("%d %v", status, answer)
	}
	if status, _, _ := infer(t, h.URL, [2]uint8{1, 1}); status != http.StatusOK {
		t.Errorf("afterwards: %d", status)
	}
}
