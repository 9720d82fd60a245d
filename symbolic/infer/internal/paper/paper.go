package paper

import (
	"hinge/symbolic/infer/internal/problem"
)

// PaperBCD is the dual block coordinate descent of the paper to the letter
// (section 5.3, appendix "Extended dual block coordinate descent"), by
// connected component (CC D-BCD). With ν = (y, s), D̃ = (D + εI)⁻¹ and all
// bounds as rows of A, it minimises
//
//	h(μ) = ½ μᵀ A D̃ Aᵀ μ + c̃ᵀ μ,  c̃ = A D̃ c − 2b,  μ ≥ 0 but for equalities,
//
// which is −2 times the dual function up to a constant. A block U_i is the
// multiplier of one row together with those of the bounds of the row's targets
// and of the slack of a linear hinge. One sweep visits all blocks in a random
// order, and each visit takes
//
//	d = A_[i] D̃ m + c̃_[i],  f = A_[i]ᵀ d,
//	α = min{ dᵀd / fᵀD̃f, min_{j ∈ U_i, d_j > 0} μ_j / d_j },
//	μ_[i] ← μ_[i] − α d,    m ← m − α f,
//
// so h never rises. Here m = Aᵀμ + c holds the constant part too. Components of
// d that point out of the domain at a bound are 0; the paper leaves this
// unsaid, but with μ_j = 0 and d_j > 0 its step would be 0 for ever.
//
// The primal point is ν = −½ D̃ m, clipped to the box. Only row multipliers
// are handed out and in; those of the bounds that are best for given row
// multipliers are known in closed form, and every start begins with them. The
// paper asks for "an initial feasible point" and leaves open which. It matters
// where there are linear hinges: from σ = 0 instead of σ = w their slacks begin
// at w/(2ε), which the sweeps take long to undo; see ZeroStart.
//
// The step is cut as soon as one multiplier of the block meets its bound, and
// curvatures differ by a factor of 1/ε: expect thousands of sweeps. The exact
// steps of package dualascent remove the first cause. This method is here to compare with.
type PaperBCD struct {
	// Seed chooses the permutations. Every value is valid; equal seeds give
	// equal bits.
	Seed uint64
	// InOrder visits the blocks in the order of the rows instead of a random
	// permutation.
	InOrder bool
	// ZeroStart makes a cold start begin with all multipliers 0, those of the
	// bounds too, as the authors' implementation does. On
	// MNIST-Addition it costs fifty times the sweeps and more. A warm start is
	// not affected.
	ZeroStart bool
}

var _ problem.Method = PaperBCD{}

// Name returns "bcd-paper".
func (PaperBCD) Name() string { return "bcd-paper" }

// Defaults returns 25,000 sweeps, tested after each tenth.
func (PaperBCD) Defaults() (int, int) { return 25000, 10 }

// NewSolver returns working state.
func (o PaperBCD) NewSolver() problem.Solver { return &paperBCD{options: o} }

// refreshEvery is the number of sweeps after which m is computed afresh, to
// clear the rounding that its updates have gathered.
const refreshEvery = 64

type paperBCD struct {
	options        PaperBCD
	block          paperBlock
	mu, sigma      []float64 // by row
	m, alpha, beta []float64 // by target
	order          blockOrder
	sweeps         int
}

// Init starts from p.Dual.
func (x *paperBCD) Init(p *problem.Problem) {
	x.mu, x.sigma = append(x.mu[:0], p.Dual...), problem.Resize(x.sigma, p.Rows)
	x.m, x.alpha, x.beta = problem.Resize(x.m, p.Targets), problem.Resize(x.alpha, p.Targets), problem.Resize(x.beta, p.Targets)
	p.Pull(x.mu, x.m)
	zero := x.options.ZeroStart && allZero(x.mu)
	for i, pull := range x.m {
		x.m[i], x.alpha[i], x.beta[i] = paperStart(p, i, pull, zero)
	}
	for k, mu := range x.mu {
		x.sigma[k] = slackStart(p, k, mu, zero)
	}
	x.order.reset(x.options.Seed, p.Rows)
	x.sweeps = 0
}

// Iterate makes one sweep over all blocks.
func (x *paperBCD) Iterate(p *problem.Problem) problem.Progress {
	if x.sweeps++; x.sweeps%refreshEvery == 0 {
		p.Pull(x.mu, x.m)
		for i := range x.m {
			x.m[i] += x.beta[i] - x.alpha[i]
		}
	}
	if !x.options.InOrder {
		x.order.shuffle()
	}
	progress := problem.Settled
	for _, k := range x.order.blocks {
		if x.update(p, int(k)) {
			progress = problem.Moving
		}
	}
	p.Stats.BlockUpdates += p.Rows
	return progress
}

// update visits block k and tells whether there was anything to move.
func (x *paperBCD) update(p *problem.Problem, k int) bool {
	b := &x.block
	b.load(p, k)
	b.mu, b.sigma = x.mu[k], x.sigma[k]
	col := p.Col[p.Ptr[k]:p.Ptr[k+1]]
	for n, i := range col {
		e := &b.entries[n]
		e.m, e.alpha, e.beta = x.m[i], x.alpha[i], x.beta[i]
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
		alpha, beta := after(e.alpha, step, e.dAlpha), after(e.beta, step, e.dBeta)
		delta := float64(e.a * (mu - b.mu))
		delta -= alpha - e.alpha
		delta += beta - e.beta
		x.m[i] += delta
		x.alpha[i], x.beta[i] = alpha, beta
	}
	return true
}

// Point maps the dual to the primal point.
func (x *paperBCD) Point(p *problem.Problem) {
	copy(p.Dual, x.mu)
	for i, m := range x.m {
		p.Y[i] = min(max(-m/(2*p.Quad[i]), p.Lower[i]), p.Upper[i])
	}
}
