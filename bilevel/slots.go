package bilevel

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// slotGroup and patternGroup are the numbers of slots that one goroutine prepares, solves and
// reads before it takes the next group: few enough that their numbers stay in its cache.
const slotGroup, patternGroup = 2, 16

// group is slots that are solved by one call: as programs given the same labels, or whole.
type group struct {
	slots []int
	given *conditioned // nil: whole
}

// solveSlots solves all slots at (w, f.deep) and keeps their values and gradients.
// Where there are many, goroutines take groups of them; where there are few, the
// solver shares out their components. Slots do not depend on each other, so results
// do not depend on the number of goroutines. The error returned is the one of the first
// slot that has an error.
func (f *ValueFunction) solveSlots(w []float64, start time.Time) error {
	s, size, most := f.opt.Solver, slotGroup, patternGroup
	workers := s.Workers
	if workers <= 0 { // infer rejects negative ones
		workers = runtime.GOMAXPROCS(0)
	}
	if s.Recorder != nil || len(f.insts) < 8*workers {
		size, most = len(f.insts), len(f.insts)
	} else if s.Workers >= 0 {
		s.Workers = 1
	}
	f.condition()
	groups := f.groups(size, most)
	errs := make([]slotError, len(groups))
	var next atomic.Int64
	work := func() {
		for k := int(next.Add(1)) - 1; k < len(groups); k = int(next.Add(1)) - 1 {
			errs[k] = f.solveGroup(groups[k], w, s, start)
		}
	}
	var wg sync.WaitGroup
	for range min(workers, len(groups)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	var first slotError
	for _, e := range errs {
		if e.err != nil && (first.err == nil || e.slot < first.slot) {
			first = e
		}
	}
	return first.err
}

// slotError is the error of a slot.
type slotError struct {
	slot int
	err  error
}

// groups divides the slots: slots of one program given its labels together, at most most in a
// group, and slots that are solved whole, size in a group.
func (f *ValueFunction) groups(size, most int) (all []group) {
	f.order = f.order[:0]
	from := 0
	add := func(n int, given *conditioned) {
		for slots := range slices.Chunk(f.order[from:], n) {
			all = append(all, group{slots, given})
		}
		from = len(f.order)
	}
	seen := map[*conditioned][]int{} // samples
	for i := range f.samples {
		if c := f.labelled[i]; c != nil && f.conditional {
			seen[c] = append(seen[c], i)
		}
	}
	for i := range f.samples {
		c := f.labelled[i]
		for draw := 0; draw < len(f.insts) && len(seen[c]) > 0; draw += f.samples {
			for _, sample := range seen[c] {
				if slot := draw + sample; f.given[slot] == c {
					f.order = append(f.order, slot)
				}
			}
		}
		delete(seen, c)
		add(most, c)
	}
	for i := range f.insts {
		if f.given[i] == nil {
			f.order = append(f.order, i)
		}
	}
	add(size, nil)
	return all
}

// A SampleError is a fault of the program of one sample, by its place in the batch, or by its
// number once OfBatch has seen the error.
type SampleError struct {
	Sample int
	Err    error
}

// OfBatch gives a SampleError of a batch of these samples the number of its sample.
func OfBatch(err error, batch []int) error {
	if e, ok := errors.AsType[*SampleError](err); ok && e.Sample < len(batch) {
		e.Sample = batch[e.Sample]
	}
	return err
}

func (e *SampleError) Error() string {
	return fmt.Sprintf("bilevel: sample %d: %v", e.Sample, e.Err)
}
func (e *SampleError) Unwrap() error { return e.Err }

// solveGroup solves a group of slots; the time limit counts from start.
func (f *ValueFunction) solveGroup(g group, w []float64, s infer.Settings, start time.Time) slotError {
	if s.MaxTime > 0 {
		s.MaxTime = max(s.MaxTime-time.Since(start), 1)
	}
	solve := f.solveWhole
	if g.given != nil {
		solve = f.solveGiven
	}
	slot, err := solve(g, w, s)
	if err != nil {
		err = &SampleError{slot % f.samples, err}
	}
	return slotError{slot, err}
}

// solveGiven solves slots as programs given the same labels. It returns the first slot that has
// an error.
func (f *ValueFunction) solveGiven(g group, w []float64, s infer.Settings) (slot int, err error) {
	members, n := make([]infer.Member, len(g.slots)), f.template.Rules
	for k, i := range g.slots {
		members[k] = infer.Member{
			G: f.outputs(f.deep, i), Result: &f.small[i], Duals: f.opt.Check,
			Phi: f.phi[i*n : (i+1)*n], Deep: f.outputs(f.dg, i),
		}
	}
	if err := g.given.pattern.Solve(w, members, s); err != nil {
		return g.slots[0], err
	}
	for k, i := range g.slots {
		m := &members[k]
		if f.opt.Check && m.Result.Status != infer.Infeasible {
			in, err := g.given.pattern.Instance(w, m.G)
			if err != nil {
				return i, err
			}
			err = f.check(i, in, m.Result)
			g.given.pattern.Release(in)
			if err != nil {
				return i, err
			}
		}
		g.given.finish(m.Result, f.opt.Epsilon, f.results[i])
		f.slotValues[i] = f.results[i].DualValue
		if m.Result.Status == infer.Infeasible {
			return i, m.Result.Err()
		}
	}
	return 0, nil
}

// solveWhole solves slots as they are.
func (f *ValueFunction) solveWhole(g group, w []float64, s infer.Settings) (slot int, err error) {
	ins, warms, results := make([]*lcqp.Instance, len(g.slots)), make([]*infer.Warm, len(g.slots)), make([]*infer.Result, len(g.slots))
	for k, i := range g.slots {
		in, err := f.own(i)
		if err == nil {
			err = in.SetWeights(w)
		}
		if err == nil {
			err = in.SetDeep(f.outputs(f.deep, i))
		}
		if err != nil {
			return i, err
		}
		ins[k], warms[k], results[k] = in, f.warms[i], f.results[i]
	}
	if err := infer.SolveAll(ins, warms, s, results); err != nil {
		return g.slots[0], err
	}
	for k, i := range g.slots {
		in, res := ins[k], results[k]
		if res.Status == infer.Infeasible {
			return i, res.Err()
		}
		if err := f.check(i, in, res); err != nil {
			return i, err
		}
		if warms[k] != nil {
			res.SaveWarm(warms[k])
		}
		n := f.template.Rules
		in.Incompatibility(&res.Solution, f.phi[i*n:(i+1)*n])
		in.DeepGradient(&res.Solution, f.outputs(f.dg, i))
		f.slotValues[i] = res.DualValue
	}
	return 0, nil
}

// check verifies a solution outside the solver, if Options.Check is set.
func (f *ValueFunction) check(slot int, in *lcqp.Instance, res *infer.Result) error {
	if !f.opt.Check {
		return nil
	}
	if r := lcqp.Residuals(in, &res.Solution); !(r.Max() <= CheckTolerance) {
		return &CheckError{Slot: slot, Status: res.Status, Residual: r}
	}
	return nil
}
