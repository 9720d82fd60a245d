package infer

import "fmt"

// Status says how the solve of a component, or of a whole instance, ended.
// Values are ordered: the status of an instance is the largest of its
// components'.
type Status uint8

const (
	// NotRun: the component was not touched.
	NotRun Status = iota
	// Solved: gap and feasibility are within the tolerances.
	Solved
	// AlmostSolved: the method could not go on, but the point is feasible
	// within 1e-6 and its gap within 1e-6·(1 + |dual|).
	AlmostSolved
	// OwnRule: the method's own stop rule holds at a feasible point (ADMM with Absolute
	// or Relative); the gap may be anything.
	OwnRule
	// IterationLimit: MaxIterations were done and the point is not good enough
	// for AlmostSolved.
	IterationLimit
	// TimeLimit: MaxTime passed, or Stop was closed.
	TimeLimit
	// NoProgress: the method can no longer improve the point, and it is not
	// good enough for AlmostSolved. Bad scaling is the usual cause.
	NoProgress
	// TooLarge: the method refused the component, because what it needs would
	// not fit into memory. Auto refuses none.
	TooLarge
	// Infeasible: no point of the box satisfies the hard constraints; a
	// certificate names the rows.
	Infeasible
)

// statuses are what each status is called in JSON, and its sentence.
var statuses = [...]struct{ name, text string }{
	NotRun:         {"not_run", "not run"},
	Solved:         {"solved", "solved: gap and feasibility within tolerance"},
	AlmostSolved:   {"almost_solved", "almost solved: stopped early, but feasible and with a small gap"},
	OwnRule:        {"own_rule", "stopped by the method's own rule; the gap is what it is"},
	IterationLimit: {"iteration_limit", "iteration limit reached before the tolerances were met"},
	TimeLimit:      {"time_limit", "time limit reached, or stopped, before the tolerances were met"},
	NoProgress:     {"no_progress", "no further progress possible, tolerances not met"},
	TooLarge:       {"too_large", "too large for the method: its factor would not fit; use auto"},
	Infeasible:     {"infeasible", "infeasible: the hard constraints contradict each other, see the certificate"},
}

// String returns one sentence.
func (s Status) String() string {
	if int(s) >= len(statuses) {
		return fmt.Sprintf("no status: %d", uint8(s))
	}
	return statuses[s].text
}

// Name returns what the status is called in JSON, "" if it is none.
func (s Status) Name() string {
	if int(s) >= len(statuses) {
		return ""
	}
	return statuses[s].name
}

// OK reports whether the solution can be used as an optimum.
func (s Status) OK() bool { return s == Solved || s == AlmostSolved }
