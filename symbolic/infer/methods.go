package infer

import (
	"sync/atomic"

	"hinge/symbolic/infer/internal/admm"
	"hinge/symbolic/infer/internal/dualascent"
	"hinge/symbolic/infer/internal/ipm"
	"hinge/symbolic/infer/internal/paper"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/sgd"
	"hinge/symbolic/infer/internal/subgradient"
)

type (
	// Problem is one connected component as a method sees it, after presolve: sizes
	// Targets and Rows; the rows a_k·y + B_k by Ptr, Col, Val with Kind, Weight, Curv;
	// Lower, Upper, Quad, Lin of the targets; the point Y and Dual, which methods write.
	Problem = problem.Problem
	// Method is an algorithm for one component, an immutable description: Name,
	// NewSolver, and Defaults (MaxIterations and CheckEvery). Dynamic types must be
	// comparable; Validate() error, if there is one, is called before a solve.
	Method = problem.Method
	// Solver is the working state of a Method: Init starts on a Problem from its Y and
	// Dual, Iterate makes one sweep or step, Point writes the point reached. It knows
	// nothing of stopping, time, counters or logs.
	Solver = problem.Solver
	// Progress is what a Solver says of its last iteration: Moving, Settled, Ready or
	// Refused.
	Progress = problem.Progress
	// Stats counts work: a plain sum over components.
	Stats = problem.Stats
	// Certificate is a Farkas proof that no point of the box satisfies the hard
	// constraints: multipliers Mu of Rows; Margin checks it.
	Certificate = problem.Certificate

	// DualBCD is exact dual block coordinate ascent with extrapolation, "bcd".
	DualBCD = dualascent.DualBCD
	// PaperBCD is the paper's dual block coordinate descent to the letter, "bcd-paper".
	PaperBCD = paper.PaperBCD
	// LockFreeBCD is the paper's lock-free parallel form of it, "bcd-lockfree".
	LockFreeBCD = paper.LockFreeBCD
	// InteriorPoint is a predictor–corrector interior point method, "ipm".
	InteriorPoint = ipm.InteriorPoint
	// ADMM is consensus ADMM, "admm".
	ADMM = admm.ADMM
	// Subgradient is projected subgradient descent, "subgradient".
	Subgradient = subgradient.Subgradient
	// SGD is incremental projected subgradient descent, "sgd", or by its Extension
	// "adagrad" or "adam".
	SGD = sgd.SGD
)

const (
	// Moving: another iteration is expected to improve the point.
	Moving = problem.Moving
	// Settled: the method sees nothing left to improve; the stop rule is tested now.
	Settled = problem.Settled
	// Ready: the point may be good enough; the stop rule is tested now.
	Ready = problem.Ready
	// Refused: the component is too large for the method.
	Refused = problem.Refused

	// NoExtension, AdaGrad and Adam are the values of SGD.Extension.
	NoExtension = sgd.None
	AdaGrad     = sgd.AdaGrad
	Adam        = sgd.Adam
)

// Counted is a method that also adds 1 to begun whenever it begins a component, for a
// display of progress.
func Counted(m Method, begun *atomic.Int64) Method { return counted{m, begun} }

type counted struct {
	Method
	begun *atomic.Int64
}

// Validate tells whether the options of the method are in range.
func (c counted) Validate() error {
	if v, ok := c.Method.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}
