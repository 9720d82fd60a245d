package infer

import (
	"cmp"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"hinge/symbolic/infer/internal/problem"
)

// Settings says how to solve. The zero value is a good choice.
type Settings struct {
	// Method is the algorithm. Nil means Auto.
	Method Method
	// GapTolerance stops a component when its duality gap |primal − dual| is
	// at most GapTolerance·(ε + |dual|). It is relative and per component, so
	// the answer for one component does not depend on its neighbours. The
	// products |μ·(a·y + b)| of the hard rows must be as small. A gap below the
	// rounding of its own terms, but at most 1e-7, is also accepted once the
	// method sees nothing left to improve. Zero means 1e-8.
	GapTolerance float64
	// GapAbsolute stops a component when its duality gap is at most this,
	// in addition to the relative test; the paper's δ is such a threshold
	// (1e-3 for MNIST-Addition). Zero means no absolute test.
	GapAbsolute float64
	// FeasibilityTolerance is the largest amount by which a hard constraint
	// may be violated in a component that is called solved. Zero means 1e-9.
	FeasibilityTolerance float64
	// StationarityTolerance is the largest error in the stationarity of a
	// component that is called solved: |2(w+ε)s − μ| of squared and μ − w − 2εs
	// of linear potentials, relative to max(1, w + ε), and of each target the
	// multiplier of a bound times the distance from it. Multipliers, and so the
	// gradients, are about this accurate. Zero means 1e-7.
	StationarityTolerance float64
	// MaxIterations bounds the iterations of each component: sweeps of the
	// block methods, Newton steps of the interior point method. Zero means the
	// method's own default.
	MaxIterations int
	// CheckEvery is the number of iterations between two tests of the stop
	// rule. Zero means the method's own default.
	CheckEvery int
	// MaxTime bounds the wall time of one Solve or SolveAll; components that
	// are not done by then finish their iteration and get status TimeLimit and
	// the point reached, or the last feasible one if there was one. Zero means no bound. With a bound, results depend on the
	// machine.
	MaxTime time.Duration
	// Stop, when it is closed, ends the solve as MaxTime does. Nil means never.
	Stop <-chan struct{}
	// Workers is the number of goroutines. Zero means GOMAXPROCS. Results do
	// not depend on it, bit for bit (except for the lock-free method).
	Workers int
	// NoPresolve turns off the reductions made before the method sees a
	// component. Fixed targets are always eliminated. Only for tests and
	// comparisons.
	NoPresolve bool
	// Begun, if not nil, counts the components that have been begun, for a display of
	// progress.
	Begun *atomic.Int64
	// Recorder, if not nil, is told about every test of the stop rule, and must not change
	// anything the solve uses. The solve runs on one goroutine then, so that records come
	// in order.
	Recorder func(Record)
}

// Record is what a Recorder receives at each test of the stop rule.
type Record struct {
	// Instance is the index of the instance (0 for Solve), Component the index of the
	// component in the template, Iteration the number of iterations done.
	Instance, Component, Iteration int
	// Primal, Dual and Violation are the component's values.
	Primal, Dual, Violation float64
	// Stats is the work done on the component so far.
	Stats Stats
}

// tolerance returns the stop rule of a component. constant is what presolve has set
// aside of its value.
func (s *Settings) tolerance(epsilon, constant float64) problem.Tolerance {
	return problem.Tolerance{Relative: s.GapTolerance, Absolute: s.GapAbsolute, Offset: epsilon, Constant: constant,
		Violation: s.FeasibilityTolerance, Stationarity: s.StationarityTolerance}
}

// resolve fills in defaults and rejects nonsense.
func (s Settings) resolve() (Settings, error) {
	if s.Method == nil {
		s.Method = DefaultMethod()
	}
	s.GapTolerance, s.FeasibilityTolerance = cmp.Or(s.GapTolerance, 1e-8), cmp.Or(s.FeasibilityTolerance, 1e-9)
	s.StationarityTolerance = cmp.Or(s.StationarityTolerance, 1e-7)
	for _, v := range []struct {
		name  string
		value float64
	}{{"GapTolerance", s.GapTolerance}, {"GapAbsolute", s.GapAbsolute},
		{"StationarityTolerance", s.StationarityTolerance}, {"FeasibilityTolerance", s.FeasibilityTolerance}} {
		if !(v.value >= 0) || math.IsInf(v.value, 0) {
			return s, fmt.Errorf("infer: %s %v is not a finite number ≥ 0", v.name, v.value)
		}
	}
	if s.MaxIterations < 0 || s.CheckEvery < 0 || s.Workers < 0 || s.MaxTime < 0 {
		return s, fmt.Errorf("infer: negative MaxIterations, CheckEvery, Workers or MaxTime")
	}
	if v, ok := s.Method.(problem.Validator); ok {
		if err := v.Validate(); err != nil {
			return s, err
		}
	}
	c := s.Method.Capabilities()
	s.MaxIterations, s.CheckEvery = cmp.Or(s.MaxIterations, c.MaxIterations), cmp.Or(s.CheckEvery, c.CheckEvery)
	return s, nil
}
