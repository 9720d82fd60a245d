package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"time"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Task is what the measuring process is told.
type Task struct {
	Cell    Cell
	Sources Sources
	// Limit bounds each solve, Memory the process in bytes.
	Limit  time.Duration
	Memory int64
	// Repeat is the time spent on repetitions of each kind of solve.
	Repeat time.Duration
	// Profiles, if not empty, is a folder for processor profiles.
	Profiles string
}

// longest is the most processor time of a first solve after which others are
// made.
const longest = 20 * time.Second

// measurement is a task in progress.
type measurement struct {
	*Task
	row      Row
	source   *source
	instance *lcqp.Instance
	settings infer.Settings
	result   infer.Result
}

// Measure measures one cell in this process and calls emit after each stage
// with what is known by then. The process should do nothing else and end
// afterwards: peak memory and first times are those of the process. An error
// has already been emitted as a row.
func Measure(ctx context.Context, t *Task, emit func(Row)) error {
	m := &measurement{Task: t, row: Row{Cell: t.Cell, Stage: Started, Limit: t.Limit.Seconds()}}
	if err := m.run(ctx, emit); err != nil {
		m.row.Status, m.row.Error = Failed, err.Error()
		emit(m.row)
		return err
	}
	return nil
}

func (m *measurement) run(ctx context.Context, emit func(Row)) error {
	if err := m.prepare(ctx); err != nil {
		return err
	}
	m.row.Stage = Grounded
	emit(m.row)
	err := m.profile("cold", m.cold)
	if err != nil {
		return err
	}
	m.judge()
	m.row.Stage = Cold
	emit(m.row)
	if m.row.Solved() && !m.long() {
		if err := m.profile("warm", m.warm); err != nil {
			return err
		}
	}
	m.row.Stage = Done
	emit(m.row)
	return nil
}

// prepare makes the model, grounds and compiles it.
func (m *measurement) prepare(ctx context.Context) (err error) {
	r := &m.row
	method, err := Method(m.Cell.Method)
	if err != nil {
		return err
	}
	m.settings = infer.Settings{
		Method: method, GapAbsolute: m.Cell.Gap, FeasibilityTolerance: m.Cell.Gap, StationarityTolerance: m.Cell.Gap,
		MaxIterations: math.MaxInt32, MaxTime: m.Limit,
	}
	clock := startClock()
	if m.source, err = m.Sources.open(m.Cell); err != nil {
		return err
	}
	r.Generate = clock.lap()
	p, err := m.source.ground(ctx)
	if err != nil {
		return err
	}
	r.Ground = clock.lap()
	template, err := lcqp.Compile(p)
	if err != nil {
		return err
	}
	if m.instance, err = template.NewInstance(m.source.epsilon); err != nil {
		return err
	}
	if f := m.source.family; f != nil && len(f.Outputs) > 0 {
		if err := m.instance.SetDeep(f.Outputs); err != nil {
			return err
		}
	}
	r.Compile = clock.lap()
	r.GroundPeak = PeakMemory()
	r.Terms, r.Targets, r.Components = template.Rows(), template.Targets, len(template.Components)
	for _, c := range template.Components {
		r.Largest = max(r.Largest, len(c.Targets))
	}
	if r.Terms >= 1_000_000 {
		debug.SetGCPercent(10) // as cmd/infer does
	}
	runtime.GC()
	return nil
}

// cold solves from zero: once, then again while there is time.
func (m *measurement) cold() error {
	var err error
	if m.row.First, err = m.solve(nil); err != nil {
		return err
	}
	// The system keeps count only roughly, so the peak can seem to sink.
	m.row.Peak = max(m.row.GroundPeak, PeakMemory())
	m.row.Status = word(m.result.Status)
	if !m.row.Solved() || m.long() {
		return nil
	}
	m.row.Again, err = m.best(nil)
	return err
}

// long reports whether solves take so much processor time that they are not
// repeated.
func (m *measurement) long() bool {
	return cmp.Or(m.row.First.CPU, m.row.First.Wall) > longest.Seconds()
}

// warm moves the problem a little and solves it from zero and from the previous
// solution.
func (m *measurement) warm() error {
	var state infer.Warm
	m.result.SaveWarm(&state)
	if err := m.source.move(m.instance, rand.New(rand.NewPCG(m.Cell.Seed, 1))); err != nil {
		return err
	}
	var err error
	if m.row.Changed, err = m.best(nil); err != nil {
		return err
	}
	if m.row.Warm, err = m.best(&state); err != nil {
		return err
	}
	m.row.WarmStatus = word(m.result.Status)
	return nil
}

// solve makes one solve.
func (m *measurement) solve(from *infer.Warm) (Time, error) {
	cpu := CPUTime()
	err := infer.Solve(m.instance, from, m.settings, &m.result)
	return Time{m.result.Runtime.Seconds(), (CPUTime() - cpu).Seconds()}, err
}

// best solves at least once and at most twenty times in about the time for
// repetitions, and returns the shortest times.
func (m *measurement) best(from *infer.Warm) (Time, error) {
	shortest, begin := Time{math.Inf(1), math.Inf(1)}, time.Now()
	for n := 0; n == 0 || n < 20 && time.Since(begin) < m.Repeat; n++ {
		took, err := m.solve(from)
		if err != nil {
			return Time{}, err
		}
		shortest = Time{min(shortest.Wall, took.Wall), min(shortest.CPU, took.CPU)}
	}
	return shortest, nil
}

// judge recomputes the quality of the result outside the solver.
func (m *measurement) judge() {
	r, res := &m.row, &m.result
	r.Value, r.Energy, r.Gap, r.Stats = finite(res.PrimalValue), finite(res.Energy), finite(res.MaxComponentGap), res.Stats
	r.Begun = begun(res)
	for i := range res.Components {
		r.Iterations = max(r.Iterations, res.Components[i].Stats.Iterations)
	}
	residual := lcqp.Residuals(m.instance, &res.Solution)
	r.Violation, r.Residual = finite(residual.Primal), finite(residual.Max())
	if m.source.optimum != nil {
		e := finite(math.Abs(res.PrimalValue - *m.source.optimum))
		r.ValueError = &e
	}
}

// finite makes of infinities and NaN, which JSON has not, the largest number.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return math.MaxFloat64
	}
	return v
}

// word is the part of a status before its explanation.
func word(s infer.Status) string {
	if s == infer.TimeLimit {
		return TimeLimit
	}
	text, _, _ := strings.Cut(s.String(), ":")
	return text
}

// profile runs f, with a processor profile if asked for.
func (m *measurement) profile(kind string, f func() error) error {
	if m.Profiles == "" {
		return f()
	}
	name := strings.ReplaceAll(fmt.Sprintf("%s-%d-%s.%s.pprof", m.Cell.Model, m.Cell.Size, m.Cell.Method, kind), ":", "-")
	file, err := os.Create(filepath.Join(m.Profiles, name))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return f()
}
