package inference

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"hinge/lab/bench"
	"hinge/lab/tables"
	"hinge/symbolic/infer"
)

// Names of further figures of a run.
const (
	accuracy  = "Accuracy or AUROC (%)" // Yelp: mean absolute error
	gap       = "Relative duality gap reached"
	infeasity = "Largest violation of a hard constraint"
	sweeps    = "Iterations of the component that took the most"
	processor = "Processor seconds"
)

// A rule says when inference stops.
type rule struct {
	title string
	// moving asks for the published rule; settings are the driver's.
	moving   bool
	settings infer.Settings
}

// certified is the rule of equal gaps: 1e-6, relative and by component. How exact
// the multipliers are is not asked for.
func certified() rule {
	return rule{title: "gap 1e-6", settings: infer.Settings{
		GapTolerance: 1e-6, FeasibilityTolerance: 1e-6, StationarityTolerance: 1e-2, MaxIterations: math.MaxInt32,
	}}
}

// published is the paper's rule for relational problems.
func published() rule {
	return rule{title: "paper's rule", moving: true, settings: infer.Settings{
		// The driver looks now and then, for the deadline only.
		MaxIterations: 25000, CheckEvery: 250,
	}}
}

// byGap is a rule of an absolute gap by component.
func byGap(title string, delta float64, iterations int) rule {
	return rule{title: title, settings: infer.Settings{
		GapAbsolute: delta, FeasibilityTolerance: violationTolerance, StationarityTolerance: math.MaxFloat64, MaxIterations: iterations,
	}}
}

// repeats is the number of runs whose median counts, manyRepeats that of runs
// which take no more than little together, and enough the time after which none
// more is begun.
const (
	repeats     = 3
	manyRepeats = 15
	little      = 500 * time.Millisecond
	enough      = 6 * time.Second
)

// more reports whether another run is wanted after n that took spent.
func more(n int, spent time.Duration) bool {
	return n == 0 || n < repeats && spent < enough || n < manyRepeats && spent < little
}

// measure times the inference of a problem, each time from nothing: no warm start,
// a template compiled anew.
func measure(ctx context.Context, p problem, epsilon float64, method infer.Method, r rule, limit time.Duration) (tables.Outcome, error) {
	var out tables.Outcome
	var seconds []float64
	var spent time.Duration
	for more(len(seconds), spent) {
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		list, err := p.instances(epsilon)
		if err != nil {
			return out, err
		}
		results := make([]*infer.Result, len(list))
		for i := range results {
			results[i] = new(infer.Result)
		}
		s := r.settings
		end := &deadline{at: time.Now().Add(limit)}
		if s.Method, s.MaxTime = method, limit; r.moving {
			// One clock: that of the driver, which starts later, would call the end by the
			// other a standstill.
			s.Method, s.MaxTime = movement{method, end}, 0
		}
		runtime.GC() // what compiling has left is not to be collected in the solve
		before := bench.CPUTime()
		if err := infer.SolveAll(list, nil, s, results); err != nil {
			return out, err
		}
		used := bench.CPUTime() - before
		if out, err = judge(p, r, results); err != nil {
			return out, err
		}
		out.Limited = out.Limited || end.missed.Load()
		out.More[processor] = used.Seconds()
		spent += results[0].Runtime
		seconds = append(seconds, results[0].Runtime.Seconds())
	}
	slices.Sort(seconds)
	out.Value = seconds[len(seconds)/2]
	out.WallS = spent.Seconds()
	return out, nil
}

// judge sums up what a solve has reached.
func judge(p problem, r rule, results []*infer.Result) (tables.Outcome, error) {
	out := tables.Outcome{More: map[string]float64{}}
	total, value, violated, most := 0.0, 0.0, 0.0, 0
	for _, res := range results {
		switch s := res.Status; {
		case s == infer.TooLarge || s == infer.Infeasible || s == infer.NotRun:
			return out, fmt.Errorf("inference: %v", s)
		case s.OK() || s == infer.NoProgress && r.moving:
		default:
			out.Limited = true
		}
		total += res.TotalGap
		value += math.Abs(res.DualValue)
		violated = max(violated, res.MaxViolation)
		for i := range res.Components {
			most = max(most, res.Components[i].Stats.Iterations)
		}
	}
	out.More[gap] = total / max(value, 1e-300)
	out.More[infeasity] = violated
	out.More[sweeps] = float64(most)
	var err error
	out.More[accuracy], err = p.score(results)
	return out, err
}
