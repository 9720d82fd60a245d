package infer

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hinge/app/cli"
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
		return s.infeasible(s.Certificate)
	case err != nil && s.Status != infer.OwnRule:
		problem = strings.TrimPrefix(err.Error(), "infer: ")
	}
	if problem == "" && c.check {
		problem = s.judge()
	}
	switch {
	case problem == "":
		return nil
	case c.check:
		return cli.WithCode(exit.Unsolved, "-check: "+problem)
	}
	c.warn("%s", problem)
	return nil
}

// feasibleEnough is the violation up to which a point counts as feasible.
const feasibleEnough = 1e-6

// interruption describes the result of an interrupted solve.
func (s *solution) interruption() error {
	where := "printed"
	if place := s.destination(); place != "" {
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
		v = lcqp.Residuals(s.instance, &s.Solution)
	}
	checked := []float64{v.Primal, v.DualSign}
	if s.Status == infer.OwnRule {
		// It promises no gap.
	} else if s.tolerance == checkTolerance {
		scale := 1.0
		for _, w := range s.instance.Weights {
			scale = max(scale, w)
		}
		checked = append(checked, v.Stationarity/scale, v.Complementarity/scale, v.Gap/(1+math.Abs(v.PrimalValue)))
	} else {
		if s.distributed == nil {
			primal, dual := s.instance.Value(&s.Solution)
			v.Gap = math.Abs(primal - dual)
		}
		checked = append(checked, v.Gap/float64(s.gaps()))
	}
	for _, r := range checked {
		if !(r <= s.tolerance) {
			return fmt.Sprintf("the outside check finds violation %.2g, dual sign %.2g, stationarity %.2g, complementarity %.2g, gap %.2g",
				v.Primal, v.DualSign, v.Stationarity, v.Complementarity, v.Gap)
		}
	}
	return ""
}

// gaps is the number of gaps that are judged each for itself: one for each component,
// or one for all of several ranks.
func (p *problem) gaps() int {
	if p.ranks > 1 {
		return 1
	}
	return max(1, len(p.instance.Components))
}

// infeasible names the rules of a certificate after checking it.
func (p *problem) infeasible(c *infer.Certificate) error {
	if c == nil || !(c.Margin(p.instance) > 0) {
		return fmt.Errorf("the solver calls the model infeasible, but its proof is wrong")
	}
	var rules []string
	for _, row := range c.Rows {
		rule := p.ruleOf(row)
		text := rule.Source + ": " + rule.Text
		if !slices.Contains(rules, text) {
			rules = append(rules, text)
		}
	}
	return cli.WithCode(exit.Infeasible, fmt.Sprintf("the model is infeasible: no values satisfy %s of the hard rules\n    %s\n    one of them: %s\n"+
		"    hint: give one of them a weight, or make all hard rules soft with -D inference.relax=true",
		cli.Count(len(c.Rows), "grounding"), strings.Join(rules, "\n    "), p.constraintText(int(c.Rows[0]))))
}
