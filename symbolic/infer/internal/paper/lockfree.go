package paper

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"hinge/symbolic/infer/internal/problem"
)

// LockFreeBCD is the paper's lock-free parallel dual BCD (LF D-BCD, appendix
// "Extended dual block coordinate descent"): the blocks and steps of PaperBCD,
// made by several goroutines at once. In each sweep the goroutines draw runs of
// blocks from the same random permutation. Only single updates of the shared
// numbers are atomic,
//
//	α_i ← max(0, α_i − step·dα_i),  β_i likewise,  m_i ← m_i + Δ(Aᵀμ)_i,
//
// by compare-and-swap; gradient and step may be of a mixed state, so descent is
// not guaranteed and results differ from run to run. What holds always: every
// multiplier stays in its domain, and between sweeps m = Aᵀμ + c up to
// rounding, so the dual value that the driver computes is a true bound.
// Multipliers of rows and slacks belong to one block each and need no atomics.
//
// It pays where one component is large. Components too small for two goroutines
// are swept by one, and with one goroutine the method makes exactly the steps
// of PaperBCD.
type LockFreeBCD struct {
	// Seed chooses the permutations, as in PaperBCD. With more than one
	// goroutine equal seeds do not give equal bits.
	Seed uint64
	// Workers ≥ 0 is the number of goroutines on one component, besides those
	// of Settings.Workers that work on different components. Zero means
	// GOMAXPROCS.
	Workers int
	// RowsPerWorker ≥ 0 is the smallest number of rows that is worth a
	// goroutine. Zero means 256.
	RowsPerWorker int
	// ZeroStart is that of PaperBCD.
	ZeroStart bool
}

var _ problem.Method = LockFreeBCD{}

// Name returns "bcd-lockfree".
func (LockFreeBCD) Name() string { return "bcd-lockfree" }

// Defaults returns 25,000 sweeps, tested after each tenth.
func (LockFreeBCD) Defaults() (int, int) { return 25000, 10 }

// Validate tells whether the options are in range.
func (o LockFreeBCD) Validate() error {
	if o.Workers < 0 || o.RowsPerWorker < 0 {
		return fmt.Errorf("infer: LockFreeBCD has negative Workers %d or RowsPerWorker %d", o.Workers, o.RowsPerWorker)
	}
	return nil
}

// NewSolver returns working state. It panics when the options are not valid.
func (o LockFreeBCD) NewSolver() problem.Solver {
	problem.MustBeValid(o.Validate())
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.RowsPerWorker == 0 {
		o.RowsPerWorker = 256
	}
	return &lockFreeBCD{options: o, blocks: make([]paperBlock, o.Workers)}
}

// drawBlocks is the largest number of blocks a goroutine draws at once: enough
// to keep the counter cold, few enough that none waits long at the end of a
// sweep.
const drawBlocks = 16

type lockFreeBCD struct {
	options        LockFreeBCD
	blocks         []paperBlock // by goroutine
	mu, sigma      []float64    // by row: written by the goroutine of the block
	m, alpha, beta []atomicFloat
	pull           []float64
	order          blockOrder
	next           atomic.Int64 // place in order of the next draw
	draw           int          // blocks a draw
	sweeps         int
}

// Init starts from p.Dual as PaperBCD does.
func (x *lockFreeBCD) Init(p *problem.Problem) {
	x.mu, x.sigma = append(x.mu[:0], p.Dual...), problem.Resize(x.sigma, p.Rows)
	x.m, x.alpha, x.beta = problem.Resize(x.m, p.Targets), problem.Resize(x.alpha, p.Targets), problem.Resize(x.beta, p.Targets)
	x.pull = problem.Resize(x.pull, p.Targets)
	p.Pull(x.mu, x.pull)
	zero := x.options.ZeroStart && allZero(x.mu)
	for i, pull := range x.pull {
		m, alpha, beta := paperStart(p, i, pull, zero)
		x.m[i].store(m)
		x.alpha[i].store(alpha)
		x.beta[i].store(beta)
	}
	for k, mu := range x.mu {
		x.sigma[k] = slackStart(p, k, mu, zero)
	}
	x.order.reset(x.options.Seed, p.Rows)
	x.sweeps = 0
}

// Iterate makes one sweep over all blocks and waits for its end.
func (x *lockFreeBCD) Iterate(p *problem.Problem) problem.Progress {
	if x.sweeps++; x.sweeps%refreshEvery == 0 {
		p.Pull(x.mu, x.pull)
		for i, pull := range x.pull {
			x.m[i].store(pull + x.beta[i].load() - x.alpha[i].load())
		}
	}
	x.order.shuffle()
	x.next.Store(0)
	var moved atomic.Bool
	var wg sync.WaitGroup
	workers := max(min(x.options.Workers, p.Rows/x.options.RowsPerWorker), 1)
	x.draw = max(min(drawBlocks, p.Rows/(4*workers)), 1)
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

// sweep draws and updates blocks until there are none left.
func (x *lockFreeBCD) sweep(p *problem.Problem, b *paperBlock, moved *atomic.Bool) {
	any := false
	for {
		from := int(x.next.Add(int64(x.draw))) - x.draw
		if from >= len(x.order.blocks) {
			break
		}
		for _, k := range x.order.blocks[from:min(from+x.draw, len(x.order.blocks))] {
			if x.update(p, b, int(k)) {
				any = true
			}
		}
	}
	if any {
		moved.Store(true)
	}
}

// update visits block k and tells whether there was anything to move.
func (x *lockFreeBCD) update(p *problem.Problem, b *paperBlock, k int) bool {
	b.load(p, k)
	b.mu, b.sigma = x.mu[k], x.sigma[k]
	col := p.Col[p.Ptr[k]:p.Ptr[k+1]]
	for n, i := range col {
		e := &b.entries[n]
		e.m, e.alpha, e.beta = x.m[i].load(), x.alpha[i].load(), x.beta[i].load()
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
		delta -= x.alpha[i].reduce(step, e.dAlpha)
		delta += x.beta[i].reduce(step, e.dBeta)
		x.m[i].add(delta)
	}
	return true
}

// Point maps the dual to the primal point.
func (x *lockFreeBCD) Point(p *problem.Problem) {
	copy(p.Dual, x.mu)
	for i := range x.m {
		p.Y[i] = min(max(-x.m[i].load()/(2*p.Quad[i]), p.Lower[i]), p.Upper[i])
	}
}

// atomicFloat is a float64 that goroutines may read and change at once.
type atomicFloat struct{ bits atomic.Uint64 }

func (f *atomicFloat) load() float64   { return math.Float64frombits(f.bits.Load()) }
func (f *atomicFloat) store(v float64) { f.bits.Store(math.Float64bits(v)) }

// add adds d.
func (f *atomicFloat) add(d float64) {
	if d == 0 {
		return
	}
	for {
		old := f.bits.Load()
		if f.bits.CompareAndSwap(old, math.Float64bits(math.Float64frombits(old)+d)) {
			return
		}
	}
}

// reduce takes a step along −d from whatever the multiplier is by now, at most
// to 0, and returns by how much it has changed.
func (f *atomicFloat) reduce(step, d float64) float64 {
	if d == 0 {
		return 0
	}
	for {
		old := f.bits.Load()
		v := math.Float64frombits(old)
		to := after(v, step, d)
		if f.bits.CompareAndSwap(old, math.Float64bits(to)) {
			return to - v
		}
	}
}
