package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// job is one fork-join over the chunks of an index range. Jobs are pooled, and
// run is bound once per job, so that a go statement costs no allocation.
type job struct {
	n, grain int
	body     func(lo, hi int)
	next     atomic.Int64
	wg       sync.WaitGroup
	run      func()
}

var jobs = sync.Pool{New: func() any {
	j := new(job)
	j.run = func() {
		j.drain()
		j.wg.Done()
	}
	return j
}}

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
	workers := min(runtime.GOMAXPROCS(0), ceilDiv(n, grain))
	if workers <= 1 {
		body(0, n)
		return
	}
	j := jobs.Get().(*job)
	j.n, j.grain, j.body = n, grain, body
	j.next.Store(0)
	j.wg.Add(workers - 1)
	for range workers - 1 {
		go j.run()
	}
	j.drain()
	j.wg.Wait()
	j.body = nil
	jobs.Put(j)
}

// grainFor gives a number of items such that a chunk holds about work units of
// cost when one item costs per units.
func grainFor(work, per int) int { return max(1, work/max(per, 1)) }
