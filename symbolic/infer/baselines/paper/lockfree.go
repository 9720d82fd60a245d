package paper

import (
	"cmp"
	"fmt"
	"runtime"

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
}

var _ problem.Validator = LockFreeBCD{}

// Name returns "bcd-lockfree".
func (LockFreeBCD) Name() string { return "bcd-lockfree" }

// Capabilities says that this is a dual method, whose gap closes slowly.
func (LockFreeBCD) Capabilities() problem.Capabilities {
	return problem.Capabilities{MaxIterations: 25000, CheckEvery: 10, ProvesGap: true, Family: problem.DualFamily, LeastEpsilon: 1e-2}
}

// Validate reports whether the options are in range.
func (o LockFreeBCD) Validate() error {
	if o.Workers < 0 || o.RowsPerWorker < 0 {
		return fmt.Errorf("infer: LockFreeBCD has negative Workers %d or RowsPerWorker %d", o.Workers, o.RowsPerWorker)
	}
	return nil
}

// NewSolver returns working state.
func (o LockFreeBCD) NewSolver() problem.Solver {
	return &descent{seed: o.Seed, workers: cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), rowsPerWorker: cmp.Or(o.RowsPerWorker, 256)}
}
