package bilevel

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// slotGroup is the number of slots that one goroutine prepares, solves and reads
// before it takes the next ones: few enough that their numbers stay in its cache.
const slotGroup = 2

// solveSlots solves all slots at (w, f.deep) and keeps their values and gradients.
// Where there are many, goroutines take groups of them; where there are few, the
// solver shares out their components. Slots do not depend on each other, so results
// do not depend on the number of goroutines. The error returned is the one of the first
// slot that has an error.
func (f *ValueFunction) solveSlots(w []float64, start time.Time) error {
	s, size := f.opt.Solver, slotGroup
	workers := s.Workers
	if workers <= 0 { // the solver judges negative ones
		workers = runtime.GOMAXPROCS(0)
	}
	if s.Recorder != nil || len(f.insts) < 8*workers {
		size = len(f.insts)
	} else if s.Workers >= 0 {
		s.Workers = 1
	}
	groups := (len(f.insts) + size - 1) / size
	errs := make([]error, groups)
	var next atomic.Int64
	work := func() {
		for k := int(next.Add(1)) - 1; k < groups; k = int(next.Add(1)) - 1 {
			errs[k] = f.solveGroup(k*size, min((k+1)*size, len(f.insts)), w, s, start)
		}
	}
	var wg sync.WaitGroup
	for range min(workers, groups) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// solveGroup solves the slots from ≤ i < to; the time limit counts from start.
func (f *ValueFunction) solveGroup(from, to int, w []float64, s infer.Settings, start time.Time) error {
	for i := from; i < to; i++ {
		if err := f.prepare(i, w, f.outputs(f.deep, i)); err != nil {
			return fmt.Errorf("bilevel: slot %d: %w", i, err)
		}
	}
	if s.MaxTime > 0 {
		s.MaxTime = max(s.MaxTime-time.Since(start), 1)
	}
	if err := infer.SolveAll(f.problems[from:to], f.warms[from:to], s, f.answers[from:to]); err != nil {
		return fmt.Errorf("bilevel: %w", err)
	}
	for i := from; i < to; i++ {
		if err := f.keep(i); err != nil {
			return err
		}
	}
	return nil
}

// prepare chooses the problem of a slot and sets its weights and outputs.
func (f *ValueFunction) prepare(i int, w, g []float64) error {
	f.small[i], f.problems[i], f.answers[i] = nil, f.insts[i], f.results[i]
	if f.conditional {
		if err := f.condition(i, g); err != nil {
			return err
		}
	}
	if err := f.problems[i].SetWeights(w); err != nil {
		return err
	}
	return f.problems[i].SetDeep(g)
}

// keep stores value and gradients of a solved slot.
func (f *ValueFunction) keep(i int) error {
	t, in, res := f.template, f.problems[i], f.answers[i]
	if res.Status == infer.Infeasible {
		return fmt.Errorf("bilevel: slot %d: %w", i, res.Err())
	}
	if f.opt.Check {
		if r := lcqp.Residuals(in, &res.Solution); !(r.Max() <= CheckTolerance) {
			return &CheckError{Slot: i, Status: res.Status, Residual: r}
		}
	}
	if warm := f.warms[i]; warm != nil {
		res.SaveWarm(warm)
	}
	in.Incompatibility(&res.Solution, f.phi[i*t.Rules:(i+1)*t.Rules])
	in.DeepGradient(&res.Solution, f.outputs(f.dg, i))
	if p := f.small[i]; p != nil {
		f.given[i].finish(p, f.results[i])
	}
	f.slotValues[i] = f.results[i].DualValue
	return nil
}
