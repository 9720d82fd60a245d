// Package mapstate infers the answers of a model and explains them. A Solver finds the MAP state
//
//	y* = argmin_y w·Φ(y, g)  with y in [0,1]ⁿ that keeps the hard rules
//
// of one program with fixed rule weights w, for any outputs g of the network; the targets in
// Solver.Integers are 0 or 1 in it. An Explanation names
// the rules that y* breaks, a Support the forces that hold an atom at its value, and a Certificate
// how near y* is to the optimum, by lcqp.Residuals, which shares no code with the solvers.
//
// Hard rules that cannot be met together are the status infer.Infeasible, or an error of Each,
// and a result that fails the configured check is a bilevel.CheckError. A Solver is used by one
// goroutine at a time, and works in parallel inside.
package mapstate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
)

// Solver does MAP inference: one program with fixed rule weights, for any outputs of the network.
// Every solve starts cold. The result of an example does not depend on the other examples.
type Solver struct {
	// Integers are the targets whose values are 0 or 1 unless Relaxed is set, found by branch and
	// bound in up to SearchTime for an example: then the point is the best so far, with its gap in
	// the Result and the Certificate.
	Integers []int
	Relaxed  bool

	template *lcqp.Template
	set      bilevel.Options
	weights  []float64
	g        []float64 // of the last Solve
	ins      []*lcqp.Instance
	results  []*infer.Result
}

// SearchTime bounds the search of whole numbers for one example.
const SearchTime = 5 * time.Second

// NewSolver returns MAP inference of a program as configured, with a copy of the weights of
// its rules.
func NewSolver(cfg *config.Config, t *lcqp.Template, weights []float64) (*Solver, error) {
	set, err := cfg.Inference()
	return &Solver{template: t, set: set, weights: slices.Clone(weights)}, err
}

// Use has every solve take other settings of the solver.
func (s *Solver) Use(set infer.Settings) { s.set.Solver = set }

// Tighten makes every solve go on until it is stationary to a tolerance.
func (s *Solver) Tighten(stationarity float64) { s.set.Solver.StationarityTolerance = stationarity }

// A Solver holds at most slots examples at a time where it hands results on, and at most slotRows
// rows of them together.
const (
	slots    = 64
	slotRows = 1 << 21
)

// Each infers n examples with the weights w as Solve does, some at a time, and hands each result to
// a function while it lasts. Hard rules that cannot be met are an error.
func (s *Solver) Each(w, g []float64, n int, fix func(example int, in *lcqp.Instance) error, each func(example int, r *infer.Result)) (stats bilevel.Stats, err error) {
	s.weights = append(s.weights[:0], w...)
	deep, width := s.template.Deep, max(1, min(slots, slotRows/max(s.template.Rows(), 1)))
	if len(g) != n*deep {
		return stats, fmt.Errorf("train: %d outputs for %d examples of %d", len(g), n, deep)
	}
	for lo := 0; lo < n; lo += width {
		used, start := min(width, n-lo), time.Now()
		err := s.solve(g[lo*deep:][:used*deep], lo, used, fix)
		if err != nil && n == 1 {
			return stats, err
		}
		if err != nil {
			return stats, fmt.Errorf("examples %d to %d: %w", lo, lo+used-1, err)
		}
		stats.Seconds += time.Since(start).Seconds()
		for i, r := range s.results[:used] {
			if r.Status == infer.Infeasible && n == 1 {
				return stats, r.Err()
			}
			if r.Status == infer.Infeasible {
				return stats, fmt.Errorf("example %d: %w", lo+i, r.Err())
			}
			stats.Count(r)
			each(lo+i, r)
		}
	}
	return stats, nil
}

// Solve infers n examples from the network's outputs, which follow one another in g. fix,
// unless nil, fixes the known values of an example, whose targets are all free before. The
// Result of an example has the status of its inference, also if hard rules are infeasible. An
// error is about the arguments, about a result that failed the configured check, or about an
// example for which no values of its Integers were found.
func (s *Solver) Solve(g []float32, n int, fix func(example int, in *lcqp.Instance) error) error {
	if deep := s.template.Deep; len(g) != n*deep {
		return fmt.Errorf("train: %d outputs for %d examples of %d", len(g), n, deep)
	}
	return s.solve(nn.Widen(g), 0, n, fix)
}

// solve infers n examples, of which the first has the number from.
func (s *Solver) solve(g []float64, from, n int, fix func(example int, in *lcqp.Instance) error) error {
	for len(s.ins) < n {
		in, err := s.template.NewInstance(cmp.Or(s.set.Epsilon, bilevel.DefaultEpsilon))
		if err != nil {
			return err
		}
		s.ins, s.results = append(s.ins, in), append(s.results, new(infer.Result))
	}
	s.g = g
	for i, in := range s.ins[:n] {
		if err := in.SetWeights(s.weights); err != nil {
			return err
		}
		if err := in.SetDeep(s.outputs(i)); err != nil {
			return fmt.Errorf("example %d: %w", from+i, err)
		}
		in.FreeAll()
		if fix == nil {
			continue
		}
		if err := fix(from+i, in); err != nil {
			return err
		}
	}
	if err := s.points(from, n); err != nil || !s.set.Check {
		return err
	}
	for i, r := range s.results[:n] {
		if r.Status == infer.Infeasible {
			continue
		}
		if worst := lcqp.Residuals(s.ins[i], &r.Solution); !(worst.Max() <= bilevel.CheckTolerance) {
			return &bilevel.CheckError{Slot: from + i, Status: r.Status, Residual: worst}
		}
	}
	return nil
}

// points solves the programs of n examples, as solve does. Afterwards targets with whole numbers are fixed at theirs.
func (s *Solver) points(from, n int) error {
	if len(s.Integers) == 0 || s.Relaxed {
		return infer.SolveAll(s.ins[:n], nil, s.set.Solver, s.results[:n])
	}
	settings := integer.Settings{Solver: infer.Settings{Workers: s.set.Solver.Workers}, MaxTime: SearchTime}
	for i, in := range s.ins[:n] {
		var r integer.Result
		if err := integer.Solve(context.Background(), in, s.Integers, settings, &r); err != nil {
			return err
		}
		*s.results[i] = r.Result
		switch {
		case r.Err() == nil:
			s.results[i].Status, s.results[i].TotalGap, s.results[i].MaxComponentGap = ended(&r), r.Gap(), r.Gap()
		case r.Status == infer.Infeasible:
			continue
		default:
			return fmt.Errorf("example %d: %w", from+i, r.Err())
		}
		for _, t := range s.Integers {
			if err := in.Fix(t, r.Y[t]); err != nil {
				return err
			}
		}
	}
	return nil
}

// ended returns the status of a search that has found a point. The status of its result is about the
// program with the whole numbers held.
func ended(r *integer.Result) infer.Status {
	switch r.Search {
	case integer.Optimal:
		return r.Status
	case integer.TimeLimit:
		return infer.TimeLimit
	}
	return infer.NoProgress
}

// Result returns the result of an example of the last Solve. The next Solve overwrites it.
func (s *Solver) Result(example int) *infer.Result { return s.results[example] }

// Instance returns the program of an example of the last Solve.
func (s *Solver) Instance(example int) *lcqp.Instance { return s.ins[example] }

func (s *Solver) outputs(example int) []float64 {
	deep := s.template.Deep
	return s.g[example*deep:][:deep]
}

// Explain explains the MAP state of an example of the last Solve.
func (s *Solver) Explain(example int) *Explanation {
	r := s.results[example]
	e := ExplainTargets(s.template, r.Y, s.weights, s.outputs(example), nil)
	e.Energy = r.Energy
	return e
}

// Support returns the forces that hold targets of an example of the last Solve.
func (s *Solver) Support(example int, targets ...int) []Support {
	out := make([]Support, len(targets))
	for i, target := range targets {
		out[i] = NewSupport(s.ins[example], &s.results[example].Solution, s.outputs(example), target)
	}
	return out
}

// Certificate judges the result of an example of the last Solve.
func (s *Solver) Certificate(example int) Certificate {
	in, r := s.ins[example], s.results[example]
	c := Certificate{Status: r.Status.String(), Unmet: Unmet(in, r, s.outputs(example))}
	if r.Status == infer.Infeasible {
		return c
	}
	judged := lcqp.Residuals(in, &r.Solution)
	c.Judgement = &Judgement{Gap: judged.Gap, Residual: judged.Max(), Violation: s.template.Program().Violation(r.Y, s.outputs(example))}
	if len(s.Integers) > 0 && !s.Relaxed {
		c.Gap = max(c.Gap, r.TotalGap)
	}
	return c
}
