package infer

import (
	"math"
	"time"

	"hinge/symbolic/lcqp"
)

// worker is the state of one goroutine of the driver. Workers are pooled, so
// their storage is reused from solve to solve.
type worker struct {
	method   Method
	solver   Solver
	presolve presolve
	problem  Problem
	pull     []float64
	last     []float64 // duals at the previous check, for certificates
}

// use makes the worker's solver one of the method's.
func (w *worker) use(m Method) {
	if w.solver == nil || w.method != m {
		w.method, w.solver = m, m.NewSolver()
	}
}

// component solves component c of an instance and writes its part of res. This
// is the only loop that knows when to stop.
func (w *worker) component(in *lcqp.Instance, warm *Warm, s *Settings, deadline time.Time,
	c, instance int, res *Result) (certificate *Certificate) {
	out := &res.Components[c]
	*out = ComponentResult{}
	pre, p := &w.presolve, &w.problem
	pre.full, pre.tol = !s.NoPresolve, max(s.FeasibilityTolerance, neverActive)
	if !pre.run(in, &in.Components[c], p) {
		return w.infeasible(in, c, res)
	}
	p.Stats.RowsLeft, p.Stats.TargetsLeft = p.Rows, p.Targets
	pre.start(p, warm)
	w.pull = resize(w.pull, p.Targets)
	var v point
	if p.Targets == 0 {
		out.Status = Solved
	} else {
		w.solver.Init(p)
		w.last = append(w.last[:0], p.Dual...)
		progress := Moving
		for {
			w.solver.Point(p)
			v = p.evaluate(w.pull)
			p.Stats.Checks++
			gap := worst(math.Abs(v.primal-v.dual), v.product)
			if s.Recorder != nil {
				s.Recorder.Record(Record{Instance: instance, Component: c, Iteration: p.Stats.Iterations,
					Primal: v.primal + pre.primal, Dual: v.dual + pre.primal, Violation: v.violation, Stats: p.Stats})
			}
			allowed := max(s.GapTolerance*(in.Epsilon+math.Abs(v.dual+pre.primal)), s.GapAbsolute)
			if progress == Settled && gap > allowed {
				allowed = max(allowed, min(p.rounding(w.pull), 1e-7))
			}
			if v.violation <= s.FeasibilityTolerance && v.stationarity <= s.StationarityTolerance && gap <= allowed {
				out.Status = Solved
				break
			}
			if v.violation > s.FeasibilityTolerance && w.farkas(p) {
				return w.infeasible(in, c, res)
			}
			stop := NotRun
			switch {
			case progress == Settled:
				stop = NoProgress
			case p.Stats.Iterations >= s.MaxIterations:
				stop = IterationLimit
			case !deadline.IsZero() && time.Now().After(deadline):
				stop = TimeLimit
			}
			if stop != NotRun {
				if v.violation <= 1e-6 && v.stationarity <= 1e-6 && gap <= 1e-6*(1+math.Abs(v.dual+pre.primal)) {
					stop = AlmostSolved
				}
				out.Status = stop
				break
			}
			progress = Moving
			for n := 0; progress == Moving && n < s.CheckEvery && p.Stats.Iterations < s.MaxIterations; n++ {
				progress = w.solver.Iterate(p)
				p.Stats.Iterations++
			}
		}
	}
	energy, constant := pre.finish(p, &res.Solution)
	if e := pre.chainError(&res.Solution); out.Status.OK() && e > s.StationarityTolerance {
		out.Status = AlmostSolved
		if e > 1e-6 {
			out.Status = NoProgress
		}
	}
	out.Energy = energy
	out.Primal, out.Dual, out.Violation = v.primal+constant, v.dual+constant, v.violation
	out.Stats = p.Stats
	return nil
}

// infeasible writes a harmless point for a component without feasible points.
func (w *worker) infeasible(in *lcqp.Instance, c int, res *Result) *Certificate {
	out := &res.Components[c]
	out.Status = Infeasible
	out.Primal, out.Dual, out.Violation = math.Inf(1), math.Inf(1), math.Inf(1)
	out.Stats = w.problem.Stats
	for _, t := range in.Components[c].Targets {
		res.Y[t], res.LowerDual[t], res.UpperDual[t] = in.Lower[t], 0, 0
	}
	for _, row := range in.Components[c].Rows {
		res.Dual[row] = 0
		if k := int(row) - in.Constraints; k >= 0 {
			res.Slack[k], res.SlackDual[k] = 0, 0
		}
	}
	return w.presolve.certificate()
}

// farkas tests whether the hard part of the duals, or of their change since the
// last check, proves the problem infeasible: when there is no feasible point
// the dual is unbounded, and both tend to the direction in which it grows. On
// success the proof is left in presolve.seed.
func (w *worker) farkas(p *Problem) bool {
	for k, mu := range p.Dual {
		w.last[k] = mu - w.last[k]
	}
	found := w.proves(p, w.last) || w.proves(p, p.Dual)
	copy(w.last, p.Dual)
	return found
}

func (w *worker) proves(p *Problem, mu []float64) bool {
	m := w.pull
	clear(m)
	margin, scale := 0.0, 0.0
	for k, v := range mu {
		if p.Kind[k] > lcqp.HardEQ || v == 0 || p.Kind[k] == lcqp.HardLE && v < 0 {
			continue
		}
		margin += v * p.B[k]
		scale += math.Abs(v * p.B[k])
		for j := p.Ptr[k]; j < p.Ptr[k+1]; j++ {
			m[p.Col[j]] += p.Val[j] * v
			scale += math.Abs(p.Val[j] * v)
		}
	}
	for i, v := range m {
		margin += min(v*p.Lower[i], v*p.Upper[i])
	}
	if !(margin > 1e-9*scale) {
		return false
	}
	w.presolve.seed = w.presolve.seed[:0]
	for k, v := range mu {
		if p.Kind[k] == lcqp.HardEQ && v != 0 || p.Kind[k] == lcqp.HardLE && v > 0 {
			w.presolve.seed = append(w.presolve.seed, fixing{row: w.presolve.rows[k], mu: v})
		}
	}
	return true
}
