package paper

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"hinge/symbolic/infer/internal/problem"
)

const (
	// refreshEvery is the number of sweeps after which m is computed afresh, to
	// clear the rounding that its updates have gathered.
	refreshEvery = 64
	// drawBlocks is the largest number of blocks a goroutine draws at once: enough
	// to keep the counter cold, few enough that none waits long at the end of a
	// sweep.
	drawBlocks = 16
)

// descent is the state of both methods: blocks in the order of a sweep, visited by one
// goroutine or by several at once.
type descent struct {
	seed                   uint64
	workers, rowsPerWorker int

	blocks         []paperBlock // by goroutine
	mu, sigma      []float64    // by row: written by the goroutine of the block
	m, alpha, beta []number     // by target
	pull           []float64
	order          []int32 // of the blocks in a sweep
	rng            *rand.Rand
	alone          bool         // one goroutine sweeps
	next           atomic.Int64 // place in order of the next draw
	draw           int          // blocks a draw
	sweeps         int
}

// Init starts from p.Dual.
func (x *descent) Init(p *problem.Problem) {
	p.Expand()
	x.blocks = problem.Resize(x.blocks, x.workers)
	x.mu, x.sigma = append(x.mu[:0], p.Dual...), problem.Resize(x.sigma, p.Rows)
	x.m, x.alpha, x.beta = problem.Resize(x.m, p.Targets), problem.Resize(x.alpha, p.Targets), problem.Resize(x.beta, p.Targets)
	x.pull = problem.Resize(x.pull, p.Targets)
	p.Pull(x.mu, x.pull)
	for i, pull := range x.pull {
		m, alpha, beta := paperStart(p, i, pull)
		x.m[i].set(m)
		x.alpha[i].set(alpha)
		x.beta[i].set(beta)
	}
	for k, mu := range x.mu {
		x.sigma[k] = slackStart(p, k, mu)
	}
	const permutations = 0x7065726d
	x.rng = rand.New(rand.NewPCG(x.seed, permutations)) // for each component, whichever goroutine solves it
	x.order = problem.Resize(x.order, p.Rows)
	for k := range x.order {
		x.order[k] = int32(k)
	}
	x.sweeps = 0
}

// Iterate makes one sweep over all blocks and waits for its end.
func (x *descent) Iterate(p *problem.Problem) problem.Progress {
	if x.sweeps++; x.sweeps%refreshEvery == 0 {
		p.Pull(x.mu, x.pull)
		for i, pull := range x.pull {
			x.m[i].set(pull + (x.beta[i].value() - x.alpha[i].value()))
		}
	}
	x.shuffle()
	workers := 1
	if x.workers > 1 {
		workers = max(min(x.workers, p.Rows/x.rowsPerWorker), 1)
	}
	x.alone = workers == 1
	x.draw = max(min(drawBlocks, p.Rows/(4*workers)), 1)
	x.next.Store(0)
	var moved atomic.Bool
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { x.sweep(p, &x.blocks[w], &moved) })
	}
	x.sweep(p, &x.blocks[0], &moved)
	wg.Wait()
	p.Stats.BlockUpdates += p.Rows
	if !moved.Load() {
		return problem.Settled
	}
	return problem.Moving
}

// shuffle permutes the blocks at random.
func (x *descent) shuffle() {
	x.rng.Shuffle(len(x.order), func(i, j int) { x.order[i], x.order[j] = x.order[j], x.order[i] })
}

// sweep draws and updates blocks until there are none left.
func (x *descent) sweep(p *problem.Problem, b *paperBlock, moved *atomic.Bool) {
	any := false
	for {
		from := int(x.next.Add(int64(x.draw))) - x.draw
		if from >= len(x.order) {
			break
		}
		for _, k := range x.order[from:min(from+x.draw, len(x.order))] {
			if x.update(p, b, int(k)) {
				any = true
			}
		}
	}
	if any {
		moved.Store(true)
	}
}

// update visits block k and reports whether there was anything to move.
func (x *descent) update(p *problem.Problem, b *paperBlock, k int) bool {
	b.load(p, k)
	b.mu, b.sigma = x.mu[k], x.sigma[k]
	col := p.Col[p.Ptr[k]:p.Ptr[k+1]]
	for n, i := range col {
		e := &b.entries[n]
		e.m, e.alpha, e.beta = x.m[i].value(), x.alpha[i].value(), x.beta[i].value()
	}
	if !b.direction(p, k) {
		return false
	}
	step := b.step(p, k)
	mu := b.afterMu(p, k, step)
	x.sigma[k] = after(b.sigma, step, b.dSigma)
	x.mu[k] = mu
	for n, i := range col {
		e := &b.entries[n]
		delta := float64(e.a * (mu - b.mu))
		if x.alone {
			alpha, beta := after(e.alpha, step, e.dAlpha), after(e.beta, step, e.dBeta)
			x.alpha[i].set(alpha)
			x.beta[i].set(beta)
			delta -= alpha - e.alpha
			x.m[i].set(e.m + (delta + (beta - e.beta)))
			continue
		}
		delta -= x.alpha[i].reduce(step, e.dAlpha)
		delta += x.beta[i].reduce(step, e.dBeta)
		x.m[i].add(delta)
	}
	return true
}

// Point maps the dual to the primal point.
func (x *descent) Point(p *problem.Problem) {
	copy(p.Dual, x.mu)
	for i := range x.m {
		p.Y[i] = min(max(-x.m[i].value()/(2*p.Quad[i]), p.Lower[i]), p.Upper[i])
	}
}

// number is the bits of a float64 that goroutines may read and change at once.
type number uint64

func (f *number) value() float64 { return math.Float64frombits(atomic.LoadUint64((*uint64)(f))) }

// set is for one goroutine alone.
func (f *number) set(v float64) { *f = number(math.Float64bits(v)) }

// swap sets the number to v if it is still old.
func (f *number) swap(old, v float64) bool {
	return atomic.CompareAndSwapUint64((*uint64)(f), math.Float64bits(old), math.Float64bits(v))
}

// add adds d.
func (f *number) add(d float64) {
	for d != 0 {
		if old := f.value(); f.swap(old, old+d) {
			return
		}
	}
}

// reduce takes a step along −d from whatever the multiplier is by now, at most
// to 0, and returns by how much it has changed.
func (f *number) reduce(step, d float64) float64 {
	for d != 0 {
		old := f.value()
		to := after(old, step, d)
		if f.swap(old, to) {
			return to - old
		}
	}
	return 0
}
