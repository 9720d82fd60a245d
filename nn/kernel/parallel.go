package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// job is one fork-join over the chunks of an index range. Jobs are pooled, and
// help is bound once per job, so that a go statement costs no allocation.
//
// The caller waits for the helpers that took part, but not for those that were
// started and never got a processor: on a loaded machine that can take
// milliseconds. Such a helper finds the job closed and goes home, or finds it
// open again for a later call and joins that one.
type job struct {
	n, grain int
	body     func(lo, hi int)
	next     atomic.Int64
	state    atomic.Int64 // helpers at work, plus jobClosed
	waiting  atomic.Int64 // helpers started that have not looked at state yet
	left     chan struct{}
	help     func()
}

// jobClosed in job.state keeps helpers from joining.
const jobClosed = 1 << 32

var jobs = sync.Pool{New: func() any {
	j := &job{left: make(chan struct{}, 1)}
	j.state.Store(jobClosed)
	j.help = j.join
	return j
}}

// join is a helper: it works on the job if the job is open.
func (j *job) join() {
	j.waiting.Add(-1)
	for {
		s := j.state.Load()
		if s&jobClosed != 0 {
			return
		}
		if j.state.CompareAndSwap(s, s+1) {
			break
		}
	}
	j.drain()
	if j.state.Add(-1) == jobClosed {
		j.left <- struct{}{}
	}
}

func (j *job) drain() {
	for {
		lo := int(j.next.Add(1)-1) * j.grain
		if lo >= j.n {
			return
		}
		j.body(lo, min(lo+j.grain, j.n))
	}
}

// parallel calls body on disjoint ranges that cover [0, n), at most GOMAXPROCS
// of them at a time, and returns when all are done. Ranges start at multiples
// of grain and are handed out on demand, so body must compute the same values
// however the range is cut: every caller writes each output from exactly one
// index, or writes partial sums to a slot of that index and adds the slots up
// in order afterwards. That makes all results independent of the number of
// threads.
func parallel(n, grain int, body func(lo, hi int)) {
	if n <= 0 {
		return
	}
	grain = max(grain, 1)
	helpers := min(runtime.GOMAXPROCS(0), ceilDiv(n, grain)) - 1
	if helpers <= 0 {
		body(0, n)
		return
	}
	j := jobs.Get().(*job)
	j.n, j.grain, j.body = n, grain, body
	j.next.Store(0)
	j.state.Store(0) // open
	for j.waiting.Load() < int64(helpers) {
		j.waiting.Add(1)
		go j.help()
	}
	j.drain()
	if j.state.Or(jobClosed) != 0 {
		<-j.left
	}
	j.body = nil
	jobs.Put(j)
}

// grainFor gives a number of items such that a chunk holds about work units of
// cost when one item costs per units.
func grainFor(work, per int) int { return max(1, work/max(per, 1)) }
