package problem

import "hinge/symbolic/lcqp"

// Method is an algorithm for one connected component. It is an immutable
// description (the algorithm and its parameters) and may be shared; the working
// state is in the Solvers it makes.
//
// Dynamic types must be comparable. A method that has parameters may be a Validator.
//
// A method knows nothing of stopping, time, counters or logs: those live once,
// in the driver, package infer.
type Method interface {
	// Name is the name in the registry, see infer.New.
	Name() string
	// NewSolver returns working state that is used for one component after the
	// other, by one goroutine.
	NewSolver() Solver
	// Capabilities returns what the method says of itself.
	Capabilities() Capabilities
}

// Capabilities are what a method says of itself to those who choose methods, hand them
// options or judge their answers; nobody else knows methods by name. What a Solver can do besides
// iterating (start warm and polish an answer, solve by parts) it shows by the interfaces below.
type Capabilities struct {
	// MaxIterations and CheckEvery, at least 1, are those of settings without them. The stop rule is also
	// tested when a Solver is Settled or Ready.
	MaxIterations, CheckEvery int
	// Exact reports whether a solve ends at the optimum up to rounding: a tight gap costs
	// hardly more than a loose one, the answer does not depend on where it began, and
	// relaxations of integer programs may be solved with it.
	Exact bool
	// ProvesGap reports whether its multipliers go to the optimal ones, so that the duality
	// gap closes. A method without comes near the optimum and cannot show how near.
	ProvesGap bool
	// Family is whose options of the reference system the method takes.
	Family Family
	// LeastEpsilon is about the least regularisation ε with which the method gets on; 0
	// for any.
	LeastEpsilon float64
}

// Validator is a Method whose parameters can be out of range: Validate says so, and is
// called before a solve.
type Validator interface{ Validate() error }

// Family is a kind of methods in the reference system, whose options are by kind.
type Family uint8

const (
	// NoFamily: the reference has nothing of the kind.
	NoFamily Family = iota
	// DualFamily: methods on the multipliers of the regularised program (duallcqp).
	DualFamily
	// ADMMFamily: consensus ADMM (admmreasoner).
	ADMMFamily
	// GradientFamily: subgradients of the whole energy (reasoner.gradientdescent).
	GradientFamily
)

// Solver is the working state of a Method.
type Solver interface {
	// Init starts on a component from the point (p.Y, p.Dual), whose
	// multipliers have valid signs.
	Init(p *Problem)
	// Iterate makes one sweep or step.
	Iterate(p *Problem) Progress
	// Point writes the current point to p.Y and p.Dual. It is called after
	// Init and before each test of the stop rule.
	Point(p *Problem)
}

// ActiveSetSolver is a Solver that knows which rows and bounds are active: it can go on from
// the optimum of a problem like p, and make an answer more exact.
type ActiveSetSolver interface {
	// WorthResuming reports whether the point in p is worth going on from. Where it is not,
	// the other methods are not called.
	WorthResuming(p *Problem) bool
	// TrySameActiveSet moves the point in p to the optimum of p if that has the same active
	// rows and bounds. It returns false where it leaves p as it was.
	TrySameActiveSet(p *Problem) bool
	// TrackActiveSet does so where other rows and bounds become active on the way. It is
	// called once TrySameActiveSet has failed and the point is not good enough.
	TrackActiveSet(p *Problem) bool
	// RestoreBest writes to p the best point that TrackActiveSet has met, where that has
	// failed by a few rows only; elsewhere it returns false.
	RestoreBest(p *Problem) bool
	// PreferColdStart reports whether, once both have failed, a start from zero is better
	// than the warm one.
	PreferColdStart(p *Problem) bool
	// Polish moves the point in p to the optimum for the active rows and bounds it shows.
	// solved reports whether the point is the solver's answer and passed the stop rule; else it
	// is where the solver gave up. It returns false where it leaves p as it was.
	Polish(p *Problem, solved bool) bool
}

// Decomposer is a Solver that can solve a component by parts instead of as a whole.
type Decomposer interface {
	// Decompose solves the component by parts, or returns an End that tells how to go on. It
	// is called before presolve, with nothing but Choice in p, and after it.
	Decompose(w *Whole, p *Problem) Parts
}

// Whole is a component as the instance has it.
type Whole struct {
	Instance  *lcqp.Instance
	Component *lcqp.Component
	// Warm are the multipliers of the template to start from, nil for none. Solution
	// receives the answer.
	Warm     []float64
	Solution *lcqp.Solution
	// Presolved reports whether presolve has filled the problem, AsIs whether it must not.
	Presolved, AsIs        bool
	Tolerance              Tolerance
	MaxIterations, Workers int
	Deadline               Deadline
	Record                 func(*Point, *Stats) // called at each test of the stop rule
}

// Parts is the outcome of a Decomposer. All but End has a meaning from Converged on.
type Parts struct {
	End    End
	Point  Point
	Energy float64
	Stats  Stats
}

// End tells how a decomposition has ended.
type End uint8

const (
	NotLocal End = iota // at most the start was written
	Slow                // the multipliers are a good start for another method
	Converged
	OutOfTime
	OutOfIterations
)

// Progress is what a Solver says of its last iteration.
type Progress uint8

const (
	// Moving: another iteration is expected to improve the point.
	Moving Progress = iota
	// Settled: by the method's own measure the point is optimal, or cannot be
	// improved; the driver should test the stop rule now. It decides.
	Settled
	// Ready: the point may be good enough; the driver should test the stop
	// rule now, and go on if it is not.
	Ready
	// Refused: the component is too large for the method; it has done nothing.
	Refused
	// Stopped: the method's own stop rule holds. The driver ends at a feasible point, with a
	// status that promises no gap.
	Stopped
)

// Stats counts work. It is a plain sum over components.
type Stats struct {
	// Iterations counts sweeps or Newton steps of the outer loop, Checks the
	// tests of the stop rule.
	Iterations, Checks int
	// BlockUpdates counts visits of a block, Newton the accepted and Rejected
	// the refused second-order steps of the block methods, Factorizations the
	// Cholesky factorisations, Krylov the conjugate gradient iterations.
	BlockUpdates, Newton, Rejected, Factorizations, Krylov int
	// Extrapolations counts the extrapolation steps of block ascent that were taken.
	Extrapolations int
	// Breakpoints counts the changes of the active set on the way from a warm
	// start, see package activeset.
	Breakpoints int
	// RowsLeft and TargetsLeft are the rows and targets that presolve left to
	// the method.
	RowsLeft, TargetsLeft int
}

func (s *Stats) Add(o *Stats) {
	s.Iterations += o.Iterations
	s.Checks += o.Checks
	s.BlockUpdates += o.BlockUpdates
	s.Newton += o.Newton
	s.Rejected += o.Rejected
	s.Factorizations += o.Factorizations
	s.Krylov += o.Krylov
	s.Extrapolations += o.Extrapolations
	s.Breakpoints += o.Breakpoints
	s.RowsLeft += o.RowsLeft
	s.TargetsLeft += o.TargetsLeft
}
