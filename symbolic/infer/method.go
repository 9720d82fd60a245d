package infer

// Method is an algorithm for one connected component. It is an immutable
// description (the algorithm and its parameters) and may be shared; the working
// state is in the Solvers it makes.
//
// Dynamic types must be comparable. A method that has parameters may implement
// Validate() error, which is called before a solve.
//
// A method knows nothing of stopping, time, counters or logs: those live once,
// in the driver behind Solve.
type Method interface {
	// Name is the name in the registry, see New.
	Name() string
	// NewSolver returns working state that is used for one component after the
	// other, by one goroutine.
	NewSolver() Solver
	// Defaults returns the method's MaxIterations and CheckEvery.
	Defaults() (maxIterations, checkEvery int)
}

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
)
