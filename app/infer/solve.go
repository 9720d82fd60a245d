package infer

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"hinge/app/infer/problem"
	"hinge/app/watch"
	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
	"hinge/symbolic/psl"
)

// solution is the result of the stage solve: values of the targets.
type solution struct {
	*problem.Problem
	infer.Result
	solver string // the name of the method
	// tolerance is the largest residual that -check accepts.
	tolerance float64
	// integer is the outcome of a search where predicates are integer, with their targets in
	// integers; distributed is the outcome on several ranks. Otherwise they are nil.
	integer     *integer.Result
	integers    []int
	distributed *JointResult
	// interrupted means that the result is not the optimum because of a signal. signal is
	// the exit code of a signal to any of several ranks, else 0.
	interrupted bool
	signal      int
	solveTime   time.Duration
}

// largeProgram is the number of rows from which the garbage is kept small, as it is on several ranks.
const largeProgram = 1_000_000

// solve finds the MAP state, by a search where predicates are integer.
func (c *command) solve(p *problem.Problem) (*solution, error) {
	if p.Options.Skip {
		return skip(p), nil
	}
	settings, tolerance, err := p.Settings()
	if err != nil {
		return nil, err
	}
	settings.MaxTime = c.Timeout
	if err := problem.Ties[c.Ties](p.Instance, p.Data); err != nil {
		return nil, err
	}
	if p.Instance.Rows() >= largeProgram {
		watch.CollectOften()
	}
	targets, err := integerTargets(c, p)
	if err != nil {
		return nil, err
	}
	s := &solution{Problem: p, solver: p.Method, tolerance: tolerance}
	if len(targets) > 0 {
		err = s.branchAndBound(c, targets, settings)
	} else {
		var begun atomic.Int64
		n := len(p.Instance.Components)
		c.Progress.Start(fmt.Sprintf("solving %s by %s", psl.Count(n, "component"), s.solver), func() string {
			return fmt.Sprintf("at %d of %d", begun.Load(), n)
		})
		settings.Begun, settings.Stop = &begun, c.Stop.Ctx.Done()
		c.Stop.Hold()
		begin := time.Now()
		if choice, small := p.Choice(settings); small {
			err = infer.Solve(p.Instance, nil, choice, &s.Result)
		}
		if err == nil && (s.Status == infer.NotRun || s.Status == infer.AlmostSolved || s.Status == infer.NoProgress || s.Status == infer.IterationLimit) {
			err = infer.Solve(p.Instance, p.Start(), settings, &s.Result)
		}
		s.solveTime = time.Since(begin)
	}
	s.interrupted = c.Stop.Ctx.Err() != nil && s.Status == infer.TimeLimit
	return s, err
}

// skip takes the initial values for the answer (inference.skip).
func skip(p *problem.Problem) *solution {
	s := &solution{Problem: p, solver: p.Method}
	s.Resize(p.Instance.Template)
	copy(s.Y, p.Initial())
	s.Status, s.Energy, s.MaxViolation = infer.NotRun, p.Program.Energy(s.Y, p.Outputs, p.Instance.Weights), p.Program.Violation(s.Y, p.Outputs)
	s.PrimalValue, s.DualValue, s.TotalGap = math.NaN(), math.NaN(), math.NaN()
	s.Components = make([]infer.ComponentResult, len(p.Instance.Components))
	return s
}
