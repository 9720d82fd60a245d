package infer

import (
	"fmt"
	"slices"
	"strings"

	"hinge/symbolic/infer/internal/dualascent"
	"hinge/symbolic/infer/internal/ipm"
	"hinge/symbolic/infer/internal/problem"
)

type (
	// Problem is one connected component as a method sees it, after presolve: sizes
	// Targets and Rows; the rows a_k·y + B_k by Ptr, Col, Val (after Expand) with Kind, Weight, Curv;
	// Lower, Upper, Quad, Lin of the targets; the point Y and Dual, which methods write.
	Problem = problem.Problem
	// Method is an algorithm for one component, an immutable description: Name,
	// NewSolver and Capabilities. Dynamic types must be comparable; Validate() error, if there
	// is one, is called before a solve.
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
	// Capabilities are what a Method says of itself: MaxIterations and CheckEvery by default, Exact,
	// ProvesGap, Family and LeastEpsilon; Family is a kind of methods in the reference system.
	Capabilities = problem.Capabilities
	Family       = problem.Family
	// Deadline is when to end with the point that is reached: a time, the closing of a channel, or both.
	Deadline = problem.Deadline
	// Certificate is a Farkas proof that no point of the box satisfies the hard
	// constraints: multipliers Mu of Rows; Margin checks it.
	Certificate = problem.Certificate

	// DualBCD is exact dual block coordinate ascent with extrapolation, "bcd".
	DualBCD = dualascent.DualBCD
	// InteriorPoint is a predictor–corrector interior point method, "ipm".
	InteriorPoint = ipm.InteriorPoint
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

	// The values of Capabilities.Family.
	NoFamily       = problem.NoFamily
	DualFamily     = problem.DualFamily
	ADMMFamily     = problem.ADMMFamily
	GradientFamily = problem.GradientFamily
)

// methods is the registry; the first entry is the default. Package baselines and others add
// theirs with Register.
var methods = []Method{Auto{}, DualBCD{}, InteriorPoint{}, Primal{}}

// Register adds a method to those that New finds by name, and with it to every flag,
// option and check that takes one. It is for init functions, and panics on a name that is
// taken.
func Register(m Method) {
	if slices.Contains(Names(), m.Name()) {
		panic(fmt.Sprintf("infer: there is a method %q already", m.Name()))
	}
	methods = append(methods, m)
}

// New returns the method with the given name (see Names), with its default parameters.
func New(name string) (Method, error) {
	for _, m := range methods {
		if m.Name() == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("infer: no method %q, want one of %s", name, strings.Join(Names(), ", "))
}

// Can returns the capabilities of the method with the given name; none for a name that
// is no method's.
func Can(name string) Capabilities {
	m, err := New(name)
	if err != nil {
		return Capabilities{}
	}
	return m.Capabilities()
}

// Names returns the names of all methods, the default first.
func Names() []string { return Having(func(Capabilities) bool { return true }) }

// Having returns the names of the methods with certain capabilities, the default first.
func Having(what func(Capabilities) bool) []string {
	var names []string
	for _, m := range methods {
		if what(m.Capabilities()) {
			names = append(names, m.Name())
		}
	}
	return names
}

// DefaultMethod returns the method that a nil Settings.Method stands for.
func DefaultMethod() Method { return methods[0] }
