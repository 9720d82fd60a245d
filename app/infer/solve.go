package infer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"hinge/app/cli"
	"hinge/app/watch"
	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
)

// solution is the result of the stage solve: values of the targets.
type solution struct {
	*problem
	infer.Result
	solver string // the name of the method
	// tolerance is the largest residual that -check accepts.
	tolerance float64
	// integer is the outcome of a search where predicates are integer, distributed is the
	// outcome on several ranks. Otherwise they are nil.
	integer     *integer.Result
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
func (c *command) solve(p *problem) (*solution, error) {
	if p.Options.Skip {
		return p.skip(), nil
	}
	settings, tolerance, err := p.settings()
	if err != nil {
		return nil, err
	}
	settings.MaxTime = c.timeout
	if err := ties[c.ties](p.instance, p.Data); err != nil {
		return nil, err
	}
	if p.instance.Rows() >= largeProgram {
		watch.CollectOften()
	}
	targets, err := integerTargets(c, p)
	if err != nil {
		return nil, err
	}
	s := &solution{problem: p, solver: p.method, tolerance: tolerance}
	if len(targets) > 0 {
		err = s.branchAndBound(c, targets, settings)
	} else {
		var begun atomic.Int64
		n := len(p.instance.Components)
		c.progress.Start(fmt.Sprintf("solving %s by %s", cli.Count(n, "component"), s.solver), func() string {
			return fmt.Sprintf("at %d of %d", begun.Load(), n)
		})
		settings.Begun, settings.Stop = &begun, c.stop.Ctx.Done()
		c.stop.Hold()
		begin := time.Now()
		err = infer.Solve(p.instance, p.start(), settings, &s.Result)
		s.solveTime = time.Since(begin)
	}
	s.interrupted = c.stop.Ctx.Err() != nil && s.Status == infer.TimeLimit
	return s, err
}

// initial returns the values of inference.initialvalue. They are random if the model does not
// set it, and for ATOM, since values of targets are not read.
func (p *problem) initial() []float64 {
	rng := rand.New(rand.NewPCG(p.Options.Seed, 0))
	y := make([]float64, p.instance.Targets)
	for i := range y {
		switch p.Options.InitialValue {
		case "ZERO":
		case "ONE":
			y[i] = 1
		case "HALF":
			y[i] = 0.5
		default:
			y[i] = rng.Float64()
		}
	}
	return y
}

// start returns the point at which a method begins that only comes near the optimum. It is
// nil where the model names none, or the method ends with the optimum.
func (p *problem) start() *infer.Warm {
	if p.Options.InitialValue == "" || isExact(p.method) {
		return nil
	}
	return &infer.Warm{Y: p.initial()}
}

// skip takes the initial values for the answer (inference.skip).
func (p *problem) skip() *solution {
	s := &solution{problem: p, solver: p.method}
	s.Resize(p.instance.Template)
	copy(s.Y, p.initial())
	s.Status, s.Energy, s.MaxViolation = infer.NotRun, p.program.Energy(s.Y, p.outputs, p.instance.Weights), p.program.Violation(s.Y, p.outputs)
	s.PrimalValue, s.DualValue, s.TotalGap = math.NaN(), math.NaN(), math.NaN()
	s.Components = make([]infer.ComponentResult, len(p.instance.Components))
	return s
}
