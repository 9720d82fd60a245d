package kernel

import (
	"runtime"
	"sync/atomic"
	"time"
)

// job is one fork-join over the chunks of an index range. At first the range is cut into one
// part for each participant. A participant that has finished its part takes chunks from the
// others' parts, so a helper that comes late or never costs only its help. Equal ranges give a
// participant equal parts, which keeps the data of one kernel in the cache for the next.
type job struct {
	n, grain, parts int
	plain           func(lo, hi int) // or
	body            func(seat, lo, hi int)
	slot            int               // place on the board
	next            [maxParts]counter // of each part, the first index not taken
	state           atomic.Int64      // helpers at work, seats left, flags
	left            chan struct{}     // the last helper tells a caller that sleeps
}

// counter fills a cache line, so that counters do not share one.
type counter struct {
	atomic.Int64
	_ [56]byte
}

// maxParts is the largest number of participants.
const maxParts = 64

// job.state is the number of helpers at work, plus jobSeat times the number of
// seats left, plus flags.
const (
	jobSeat     = 1 << 16
	jobClosed   = 1 << 32 // nobody may join any more
	jobSleeping = 1 << 33 // the caller waits on left

	jobWorkers = jobSeat - 1         // mask of the helpers at work
	jobSeats   = jobClosed - jobSeat // mask of the seats left
)

var jobs = freeList[job]{make: func() *job {
	j := &job{left: make(chan struct{}, 1)}
	j.state.Store(jobClosed)
	return j
}}

// board shows jobs with work left. There are more than one when parallel
// sections nest or run at the same time.
var board [4]atomic.Pointer[job]

// idle counts the helpers that look for work, those just started included.
var idle atomic.Int64

// linger is how long a helper looks for work before it ends. To start one, the
// operating system has to wake a processor, which costs as much as a small
// kernel takes; between the kernels of a network a helper that waits actively
// is there at once. The caller waits as long before it sleeps.
const linger = 200 * time.Microsecond

// Parallel calls body on disjoint ranges that cover [0, n), on up to GOMAXPROCS
// goroutines at a time, and returns when all are done. Ranges start at multiples
// of grain, which should be about ten microseconds of work, but are cut anew each
// time, so body must compute the same values however the whole is cut: every caller
// writes each output from exactly one index, or writes partial sums to a slot of
// that index and adds the slots up in order afterwards. That makes all results
// independent of the number of threads.
func Parallel(n, grain int, body func(lo, hi int)) {
	if n <= 0 {
		return
	}
	grain = max(grain, 1)
	if parts := participants(n, grain); parts > 1 && fork(n, grain, parts, body, nil) {
		return
	}
	body(0, n)
}

// parallelSeats is Parallel with the seat of the participant, less than
// participants(n, grain), as a further argument: no two calls with the same seat run at the same
// time, so body may use scratch that belongs to the seat.
func parallelSeats(n, grain int, body func(seat, lo, hi int)) {
	if n <= 0 {
		return
	}
	grain = max(grain, 1)
	if parts := participants(n, grain); parts > 1 && fork(n, grain, parts, nil, body) {
		return
	}
	body(0, 0, n)
}

// alone reports whether jobs are not shared out: see Alone.
var alone atomic.Bool

// Alone has every kernel of the process run on the goroutine that calls it, from then
// on, or (false) share its work out again. It is for programs that run several networks at the same
// time, one per processor, where waiting for helpers only costs time. Results are the
// same bits.
func Alone(yes bool) { alone.Store(yes) }

// participants is the largest number of goroutines that work on a job.
func participants(n, grain int) int {
	if alone.Load() {
		return min(n, 1)
	}
	return min(runtime.GOMAXPROCS(0), ceilDiv(n, max(grain, 1)), maxParts)
}

// fork runs one of the bodies on all of the range with helpers. It does nothing
// and returns false if there are too many jobs already.
func fork(n, grain, parts int, plain func(lo, hi int), body func(seat, lo, hi int)) bool {
	j := jobs.get()
	if !j.post() {
		jobs.put(j)
		return false
	}
	j.n, j.grain, j.parts, j.plain, j.body = n, grain, parts, plain, body
	for i := range parts {
		j.next[i].Store(int64(j.start(i)))
	}
	j.state.Store(int64(parts-1) * jobSeat) // open; the first seat is the caller's
	for idle.Load() < int64(parts-1) {
		idle.Add(1)
		go help()
	}
	j.drain(0)
	j.wait()
	j.plain, j.body = nil, nil
	jobs.put(j)
	return true
}

// start is the first index of a part.
func (j *job) start(part int) int {
	return min(j.n, part*ceilDiv(j.n, j.grain)/j.parts*j.grain)
}

// post puts the job, still closed, on the board if there is room.
func (j *job) post() bool {
	for i := range board {
		if board[i].CompareAndSwap(nil, j) {
			j.slot = i
			return true
		}
	}
	return false
}

// drain works until no chunk is left, and then takes the job off the board.
func (j *job) drain(seat int) {
	for i := range j.parts {
		part := (seat + i) % j.parts
		end, next := j.start(part+1), &j.next[part]
		for {
			lo := int(next.Add(int64(j.grain))) - j.grain
			if lo >= end {
				break
			}
			if hi := min(lo+j.grain, end); j.plain != nil {
				j.plain(lo, hi)
			} else {
				j.body(seat, lo, hi)
			}
		}
	}
	board[j.slot].CompareAndSwap(j, nil)
}

// wait closes the job and returns when no helper is at work on it.
func (j *job) wait() {
	if j.state.Or(jobClosed)&jobWorkers == 0 {
		return
	}
	for p := newPatience(); p.left(); {
		if j.state.Load()&jobWorkers == 0 {
			return
		}
	}
	if j.state.Or(jobSleeping)&jobWorkers != 0 {
		<-j.left
	}
}

// join makes the calling helper one of those at work, unless the job is closed
// or has no seat left.
func (j *job) join() (seat int, ok bool) {
	for {
		s := j.state.Load()
		if !open(s) {
			return 0, false
		}
		if j.state.CompareAndSwap(s, s+1-jobSeat) {
			return j.parts - int(s&jobSeats/jobSeat), true
		}
	}
}

// open tells from its state whether a job takes another helper.
func open(state int64) bool { return state&jobClosed == 0 && state&jobSeats != 0 }

func (j *job) leave() {
	if s := j.state.Add(-1); s&jobWorkers == 0 && s&jobSleeping != 0 {
		j.left <- struct{}{}
	}
}

// help is a helper's loop: it works on the jobs it finds on the board and ends after a while
// without any. It ends sooner while more helpers are idle than there are processors.
func help() {
	for p := newPatience(); ; {
		if work() {
			if idle.Add(1) < int64(runtime.NumCPU()) {
				p = newPatience()
			}
			continue
		}
		if p.left() {
			continue
		}
		idle.Add(-1)
		if !posted() {
			return
		}
		idle.Add(1) // posted while this helper was counted
	}
}

// work helps with one job from the board, if there is one that takes helpers.
// The helper has then left the ranks of the idle.
func work() bool {
	for i := range board {
		if j := board[i].Load(); j != nil {
			if seat, ok := j.join(); ok {
				idle.Add(-1)
				j.drain(seat)
				j.leave()
				return true
			}
		}
	}
	return false
}

// posted reports whether a job takes another helper.
func posted() bool {
	for i := range board {
		if j := board[i].Load(); j != nil && open(j.state.Load()) {
			return true
		}
	}
	return false
}

// patience bounds a loop that waits actively.
type patience struct {
	start time.Time
	n     int
}

func newPatience() patience { return patience{start: time.Now()} }

// left reports whether there is patience left; it looks at the clock now and
// then only.
func (p *patience) left() bool {
	p.n++
	return p.n%64 != 0 || time.Since(p.start) < linger
}

// grainFor gives a number of items such that a chunk holds about work units of
// cost when one item costs per units.
func grainFor(work, per int) int { return max(1, work/max(per, 1)) }
