package infer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/lcqp"
)

// Solve solves one instance. warm may be nil, res is overwritten. The error
// tells of arguments that do not fit together; how the solve went is in
// res.Status and res.Err.
func Solve(in *lcqp.Instance, warm *Warm, s Settings, res *Result) error {
	return SolveAll([]*lcqp.Instance{in}, []*Warm{warm}, s, []*Result{res})
}

// SolveAll solves several instances, of the same template or not, in parallel
// over instances and their connected components. warms may be nil, and so may
// its entries; results must hold distinct Results.
//
// Every component is solved by one goroutine, which other ones help with large factors,
// from the same starting point whatever Workers is. Sums are taken in the order of the
// components. So the results do not depend on the number of goroutines, bit for bit.
func SolveAll(ins []*lcqp.Instance, warms []*Warm, s Settings, results []*Result) error {
	begin := time.Now()
	s, err := s.resolve()
	if err != nil {
		return err
	}
	if err := check(ins, warms, results); err != nil {
		return err
	}
	b := batches.Get().(*batch)
	defer b.release()
	b.ins, b.warms, b.results, b.settings = ins, warms, results, s
	b.deadline = problem.Deadline{Stop: s.Stop}
	if s.MaxTime > 0 {
		b.deadline.At = begin.Add(s.MaxTime)
	}
	b.first = b.first[:0]
	total := 0
	for _, r := range results {
		r.instance = nil
	}
	for n, in := range ins {
		r := results[n]
		if r.instance != nil {
			return fmt.Errorf("infer: result %d is given twice", n)
		}
		r.instance = in
		r.Solution.Resize(in.Template)
		r.Components = problem.Resize(r.Components, len(in.Components))
	}
	for _, in := range ins {
		b.first = append(b.first, total)
		total += len(in.Components)
	}
	b.run(total)
	for n := range ins {
		results[n].sum()
		results[n].Runtime = time.Since(begin)
	}
	return nil
}

// release returns the batch to the pool without references to the caller's
// data.
func (b *batch) release() {
	b.ins, b.warms, b.results, b.settings = nil, nil, nil, Settings{}
	for _, w := range b.workers {
		w.presolve.Release()
		w.whole = problem.Whole{}
	}
	batches.Put(b)
}

func check(ins []*lcqp.Instance, warms []*Warm, results []*Result) error {
	if len(results) != len(ins) || warms != nil && len(warms) != len(ins) {
		return fmt.Errorf("infer: %d instances, %d warm states and %d results", len(ins), len(warms), len(results))
	}
	for n, in := range ins {
		if in == nil || results[n] == nil {
			return errors.New("infer: nil instance or result")
		}
		if warms == nil || warms[n] == nil {
			continue
		}
		w := warms[n]
		if len(w.Dual) != 0 && len(w.Dual) != in.Rows() || len(w.Y) != 0 && len(w.Y) != in.Targets {
			return fmt.Errorf("infer: warm state %d has %d duals and %d targets, the template %d and %d",
				n, len(w.Dual), len(w.Y), in.Rows(), in.Targets)
		}
		for _, x := range [...][]float64{w.Dual, w.Y} {
			for _, v := range x {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return fmt.Errorf("infer: warm state %d holds %v", n, v)
				}
			}
		}
	}
	return nil
}

// sum fills the totals from the components, in their order.
func (r *Result) sum() {
	r.Status = Solved
	r.PrimalValue, r.DualValue, r.Energy = 0, 0, 0
	r.TotalGap, r.MaxComponentGap, r.MaxViolation = 0, 0, 0
	r.Stats, r.Certificate = Stats{}, nil
	for i := range r.Components {
		c := &r.Components[i]
		r.Certificate = cmp.Or(r.Certificate, c.certificate)
		r.Status = max(r.Status, c.Status)
		r.Stats.Add(&c.Stats)
		r.PrimalValue += c.Primal
		r.DualValue += c.Dual
		r.Energy += c.Energy
		r.MaxViolation = problem.Worst(r.MaxViolation, c.Violation)
		if c.Status != Infeasible {
			r.TotalGap += c.Gap()
			r.MaxComponentGap = problem.Worst(r.MaxComponentGap, c.Gap())
		}
	}
}

// batch is one SolveAll in progress. Components of all instances are numbered
// through; goroutines draw runs of consecutive numbers.
type batch struct {
	ins      []*lcqp.Instance
	warms    []*Warm
	results  []*Result
	settings Settings
	deadline problem.Deadline
	first    []int // number of the first component of each instance
	next     atomic.Int64
	workers  []*worker
}

var batches = sync.Pool{New: func() any { return new(batch) }}

// chunk returns how many consecutive components a goroutine draws at once: a few where
// they are small, to keep the counter cold, else one, to share the work evenly.
func (b *batch) chunk(total int) int {
	const small, few = 64, 4
	rows := 0
	for _, in := range b.ins {
		rows += in.Rows()
	}
	if rows < small*total {
		return few
	}
	return 1
}

func (b *batch) run(total int) {
	n := cmp.Or(b.settings.Workers, runtime.GOMAXPROCS(0))
	chunk := b.chunk(total)
	n = max(min(n, (total+chunk-1)/chunk), 1)
	if b.settings.Recorder != nil {
		n = 1
	}
	for len(b.workers) < n {
		b.workers = append(b.workers, new(worker))
	}
	b.next.Store(0)
	var wg sync.WaitGroup
	for _, w := range b.workers[1:n] {
		wg.Go(func() { b.work(w, total, chunk) })
	}
	b.work(b.workers[0], total, chunk)
	wg.Wait()
}

func (b *batch) work(w *worker, total, chunk int) {
	w.use(b.settings.Method)
	for {
		from := int(b.next.Add(int64(chunk))) - chunk
		if from >= total {
			return
		}
		inst := 0
		for number := from; number < min(from+chunk, total); number++ {
			for inst+1 < len(b.first) && b.first[inst+1] <= number {
				inst++
			}
			var warm *Warm
			if b.warms != nil {
				warm = b.warms[inst]
			}
			if b.settings.Begun != nil {
				b.settings.Begun.Add(1)
			}
			c, res := number-b.first[inst], b.results[inst]
			res.Components[c].certificate = w.component(b.ins[inst], warm, &b.settings, b.deadline, c, inst, problem.ReduceMerged, res)
		}
	}
}
