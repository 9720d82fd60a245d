package paper

import (
	"hinge/symbolic/infer/internal/problem"
)

// PaperBCD is the dual block coordinate descent of the paper to the letter
// (section 5.3, appendix "Extended dual block coordinate descent"), by
// connected component (CC D-BCD). With ν = (y, s), D̃ = (D + εI)⁻¹ and all
// bounds as rows of A, it minimises
//
//	h(μ) = ½ μᵀ A D̃ Aᵀ μ + c̃ᵀ μ,  c̃ = A D̃ c − 2b,  μ ≥ 0 except for equalities,
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
// where there are linear hinges: from σ = 0 instead of σ = w, where the authors'
// implementation begins, their slacks are w/(2ε), which the sweeps take long to undo:
// on MNIST-Addition fifty times as many and more.
//
// The step is cut as soon as one multiplier of the block meets its bound, and
// curvatures differ by a factor of 1/ε: expect thousands of sweeps. The exact
// steps of package dualascent remove the first cause. This method is here to compare with.
type PaperBCD struct {
	// Seed chooses the permutations. Every value is valid; equal seeds give
	// equal bits.
	Seed uint64
}

// Name returns "bcd-paper".
func (PaperBCD) Name() string { return "bcd-paper" }

// Capabilities says that this is a dual method, whose gap closes slowly.
func (PaperBCD) Capabilities() problem.Capabilities {
	return problem.Capabilities{MaxIterations: 25000, CheckEvery: 10, ProvesGap: true, Family: problem.DualFamily, LeastEpsilon: 1e-2}
}

// NewSolver returns working state.
func (o PaperBCD) NewSolver() problem.Solver {
	return &descent{seed: o.Seed, workers: 1}
}
