package infer

import (
	"fmt"
	"math"
	"strings"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/exit"
)

// verdict judges the outcome of the solve: nil, an *interruptedError, or an error with the
// exit code Infeasible or, with -check, Unsolved. Without -check a bad solution is a warning.
func (c *command) verdict(s *solution) error {
	problem := ""
	switch err := s.Err(); {
	case s.interrupted:
		return s.interruption()
	case s.Options.Skip:
		return nil
	case s.integer != nil:
		if problem, err = s.searchVerdict(); err != nil {
			return err
		}
	case s.Status == infer.Infeasible:
		return s.Infeasible(s.Certificate)
	case err != nil && s.Status != infer.OwnRule:
		problem = strings.TrimPrefix(err.Error(), "infer: ")
	}
	if problem == "" && c.Check {
		problem = s.judge()
	}
	switch {
	case problem == "":
		return nil
	case c.Check:
		return cli.WithCode(exit.Unsolved, "-check: "+problem)
	}
	c.Warn("%s", problem)
	return nil
}

// feasibleEnough is the violation up to which a point counts as feasible.
const feasibleEnough = 1e-6

// interruption describes the result of an interrupted solve.
func (s *solution) interruption() error {
	where := "printed"
	if place := s.Destination(); place != "" {
		where = "in " + place
	}
	what := fmt.Sprintf("the last feasible point, with a gap of %.2g", s.TotalGap)
	if s.MaxViolation > feasibleEnough {
		what = fmt.Sprintf("a point that breaks a hard rule by %.2g, with a gap of %.2g", s.MaxViolation, s.TotalGap)
	}
	return &interruptedError{fmt.Sprintf("after %.0f s of inference: the values %s are %s", s.solveTime.Seconds(), where, what)}
}

// judge compares the residuals of the outside check with the promise of the stop rule; ""
// means that they agree. A solution that claims to be the optimum must have small residuals
// throughout: stationarity and complementarity relative to the largest weight, the gap
// relative to the value. A solution that a loose stop rule ended must be feasible, with the
// promised gap per component; if ADMM's own rule ended it, it must be feasible.
func (s *solution) judge() string {
	var v lcqp.Residual
	if s.distributed != nil {
		v = s.distributed.Residual
	} else {
		v = lcqp.Residuals(s.Instance, &s.Solution)
	}
	checked := []float64{v.Primal, v.DualSign}
	if s.Status == infer.OwnRule {
		// It promises no gap.
	} else if s.tolerance == problem.CheckTolerance {
		scale := 1.0
		for _, w := range s.Instance.Weights {
			scale = max(scale, w)
		}
		checked = append(checked, v.Stationarity/scale, v.Complementarity/scale, v.Gap/(1+math.Abs(v.PrimalValue)))
	} else {
		if s.distributed == nil {
			primal, dual := s.Instance.Value(&s.Solution)
			v.Gap = math.Abs(primal - dual)
		}
		checked = append(checked, v.Gap/float64(s.Gaps()))
	}
	for _, r := range checked {
		if !(r <= s.tolerance) {
			return fmt.Sprintf("the outside check finds violation %.2g, dual sign %.2g, stationarity %.2g, complementarity %.2g, gap %.2g",
				v.Primal, v.DualSign, v.Stationarity, v.Complementarity, v.Gap)
		}
	}
	return ""
}
