package infer

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
	"hinge/symbolic/psl"
	"hinge/train/exit"
)

// integerTargets returns the targets of the predicates that are integer, by the model or
// by -integer.
func integerTargets(c *command, p *problem.Problem) ([]int, error) {
	var names, all []string
	for _, predicate := range p.Predicates {
		all = append(all, predicate.Name)
		if predicate.Integer {
			names = append(names, predicate.Name)
		}
	}
	for _, name := range c.Integers {
		at := slices.IndexFunc(all, func(known string) bool { return strings.EqualFold(known, name) })
		if at < 0 {
			return nil, cli.Usage("-integer: the model has no predicate %s%s", name, cli.DidYouMean(name, "", all))
		}
		if !slices.Contains(names, all[at]) {
			names = append(names, all[at])
		}
	}
	var targets []int
	for _, name := range names {
		before := len(targets)
		for a := range p.Data.Atoms(name, ground.Target) {
			targets = append(targets, a.Index)
		}
		if len(targets) == before {
			c.Warn("the integer predicate %s has no targets", name)
		}
	}
	return targets, nil
}

// branchAndBound finds the best point at which the given targets are 0 or 1. Afterwards the
// judge and -explain see the program with these targets fixed.
func (s *solution) branchAndBound(c *command, targets []int, relaxation infer.Settings) error {
	if !problem.IsExact(s.solver) {
		exact := infer.DefaultMethod().Name()
		c.Warn("integer predicates are inferred by branch and bound with the method %s; %s is not used", exact, s.solver)
		s.solver, relaxation = exact, infer.Settings{Workers: s.Threads}
	}
	settings := integer.Settings{Solver: relaxation, MaxTime: c.Timeout, Proof: c.Check,
		GapAbsolute: s.Gap * float64(len(s.Instance.Components))}
	var state atomic.Pointer[string]
	settings.Progress = func(nodes int, value, bound float64) {
		text := fmt.Sprintf("%s, component between %.6g and %.6g; Ctrl-C ends with the best values so far", psl.Count(nodes, "relaxation"), bound, value)
		state.Store(&text)
	}
	c.Progress.Start(fmt.Sprintf("searching values of %s", psl.Count(len(targets), "integer target")), func() string {
		if text := state.Load(); text != nil {
			return *text
		}
		return "at the first relaxation"
	})
	begin := time.Now()
	c.Stop.Hold()
	r := new(integer.Result)
	err := integer.Solve(c.Stop.Ctx, s.Instance, targets, settings, r)
	s.solveTime = time.Since(begin)
	if err != nil {
		return err
	}
	if r.Err() != nil && r.Search == integer.Interrupted {
		return context.Canceled
	}
	s.integer, s.integers, s.Result = r, targets, r.Result
	if r.Err() != nil {
		return nil // the verdict reports it
	}
	free := *s.Instance // with bounds of its own
	free.Lower, free.Upper = slices.Clone(free.Lower), slices.Clone(free.Upper)
	s.PrimalValue, s.DualValue, s.TotalGap = r.Value, r.Bound, r.Gap()
	for _, i := range targets {
		if err := s.Instance.Fix(i, r.Y[i]); err != nil {
			return err
		}
	}
	for component, leaves := range r.Proof { // of -check
		if leaves == nil {
			continue
		}
		if _, err := integer.Check(&free, targets, component, leaves); err != nil {
			return cli.WithCode(exit.Unsolved, "-check: "+err.Error())
		}
	}
	return nil
}

// searchVerdict judges the outcome of a search: it returns an error, or the fault of the
// values, "" for none.
func (s *solution) searchVerdict() (problem string, err error) {
	switch r := s.integer; {
	case r.Search == integer.Infeasible && s.Status == infer.Infeasible:
		return "", s.Infeasible(s.Certificate)
	case r.Search == integer.Infeasible:
		s.Status = infer.Infeasible
		return "", cli.WithCode(exit.Infeasible, "the model is infeasible: values between 0 and 1 satisfy the hard rules, but no values 0 and 1 of the integer predicates do\n"+
			"    hint: give a hard rule a weight, or make all of them soft with -D inference.relax=true")
	case r.Err() != nil:
		return "", cli.WithCode(exit.Unsolved, fmt.Sprintf("no values of the integer predicates were found that satisfy the hard rules: %s", r.Search))
	case r.Search == integer.Interrupted:
		return "", &interruptedError{fmt.Sprintf("after %.0f s of search: %s", s.solveTime.Seconds(), within(r.Gap()))}
	case r.Search != integer.Optimal && r.Search != integer.GapReached:
		return fmt.Sprintf("%s: %s", r.Search, within(r.Gap())), nil
	}
	return "", nil
}

// within says what a gap of values and bound says of the values that were found.
func within(gap float64) string {
	if math.IsInf(gap, 1) {
		return "there is no bound yet on how far the best values are from the optimum"
	}
	return fmt.Sprintf("the best values are within %.6g of the optimum", gap)
}
