package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hinge/lab/bench"
	"hinge/lab/lines"
	"hinge/lab/source"
	"hinge/nn/kernel"
	"hinge/train/machine"
)

// scripts are the peers' sides.
//
//go:embed *.py
var scripts embed.FS

// runner measures what has no record.
type runner struct {
	options
	log io.Writer
	// self is this program, python the folder of the scripts.
	self, scripts string
	// refused are the environments that cannot be made.
	refused map[string]error
	version string
	machine machine.Machine
}

func newRunner(ctx context.Context, o options) (*runner, error) {
	work, err := filepath.Abs(o.work)
	if err != nil {
		return nil, err
	}
	o.work = work
	r := &runner{options: o, log: os.Stderr, scripts: filepath.Join(work, "scripts"), refused: map[string]error{}, version: source.Tree(ctx, filepath.Dir(o.records)).String(), machine: machine.This()}
	if r.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.scripts, 0o777); err != nil {
		return nil, err
	}
	files, err := scripts.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := scripts.ReadFile(f.Name())
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(r.scripts, f.Name()), text, 0o666); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// question measures the cases of a question that have no record of this machine.
func (r *runner) question(ctx context.Context, q question) error {
	records, err := readRecords(r.records, q.name)
	if err != nil {
		return err
	}
	for _, g := range q.groups(r.quick) {
		var missing []ask
		if !strings.Contains(g.name, r.only) {
			continue
		}
		for _, c := range g.cases {
			k := key{g.name, c.name, g.threads, r.machine.String()}
			if r.again || !slices.ContainsFunc(records, func(old record) bool { return old.key() == k && old.Quick == r.quick }) {
				missing = append(missing, c)
			}
		}
		if len(missing) == 0 {
			continue
		}
		g.cases = missing
		if err := r.group(ctx, q, g); err != nil {
			return fmt.Errorf("%s, %d threads: %w", g.name, g.threads, err)
		}
	}
	return nil
}

// member is a side of a group that is measured.
type member struct {
	*side
	result
	process *process
	// slow says that it is not asked again.
	slow bool
}

// group measures the cases of a group and appends a record of each.
func (r *runner) group(ctx context.Context, q question, g group) error {
	dir, err := os.MkdirTemp(r.work, "group")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var judged judge
	if g.prepare != nil {
		if judged, err = g.prepare(ctx, dir); err != nil {
			return err
		}
	}
	members := make([]*member, len(g.sides))
	for i := range g.sides {
		m := &member{side: &g.sides[i]}
		members[i] = m
		defer func() {
			if m.process != nil {
				m.process.stop()
			}
		}()
	}
	for _, c := range g.cases {
		load := bench.LoadAverage()
		for _, m := range members {
			failed := m.Failed
			m.result, m.slow = result{Name: m.side.name, Version: m.Version, Own: m.own || m.env == ""}, false
			if m.process == nil && failed != "" && !m.whole {
				m.Failed = failed
			}
		}
		for round := range r.rounds + 1 {
			for i := range members {
				m := members[(i+round)%len(members)]
				if m.Failed != "" || m.slow {
					continue
				}
				if err := r.measure(ctx, m, q, g, c, dir, judged, round == 0); err != nil {
					return err
				}
			}
		}
		rec := record{Question: q.name, Group: g.name, Case: c.name, Threads: g.threads, Load: load, Ahead: ahead(), Quick: r.quick, Date: time.Now().UTC().Truncate(time.Second),
			Version: r.version, Path: kernel.Path(), Machine: r.machine}
		for _, m := range members {
			rec.Sides = append(rec.Sides, m.result)
			fmt.Fprintf(r.log, "%s: %s, %s, %d threads: %s %s\n", q.name, g.name, c.name, g.threads, m.side.name, m.brief())
		}
		if err := lines.Append(recordFile(r.records, q.name), rec); err != nil {
			return err
		}
	}
	return nil
}

func (r *result) brief() string {
	if r.Failed != "" {
		return "failed: " + r.Failed
	}
	return strings.TrimSpace(fmt.Sprintf("%.4g s %s", bench.Median(r.Wall), r.Wrong))
}

// measure asks a side once. A peer's failure is part of its result, Hinge's an error.
func (r *runner) measure(ctx context.Context, m *member, q question, g group, c ask, dir string, judged judge, warmUp bool) error {
	a, wall, err := r.answer(ctx, m, q, g, c, dir)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil && judged != nil {
		m.Wrong, err = judged(m.side.name, c, &a)
	}
	if err != nil {
		if m.process != nil {
			m.process.stop()
			m.process = nil
		}
		if m.Own && !errors.Is(err, errLate) {
			return fmt.Errorf("%s: %w", m.side.name, err)
		}
		m.Wall, m.CPU, m.Failed = nil, nil, err.Error()
		return nil
	}
	m.Figures = a.Figures
	m.slow = warmUp && wall > r.slow
	if warmUp && !m.slow {
		return nil
	}
	m.Wall, m.CPU = append(m.Wall, a.Wall), append(m.CPU, a.CPU)
	return nil
}

// answer starts a side where it does not run, and returns its answer to a case and the seconds
// that it took. What the answer leaves out is what the system counts.
func (r *runner) answer(ctx context.Context, m *member, q question, g group, c ask, dir string) (a answer, wall float64, err error) {
	limit := time.Duration(r.limit * max(1, q.patience) * float64(time.Second))
	if m.process == nil {
		name, args, err := r.program(ctx, m.side, c, dir)
		if err != nil {
			return a, 0, err
		}
		began := time.Now()
		if m.process, err = start(ctx, m.side, environ(g.threads), name, args); err != nil {
			return a, 0, err
		}
		if m.whole {
			return r.whole(m, began, limit)
		}
		ready, err := m.process.read(limit)
		if err != nil {
			return a, 0, err
		}
		m.Version = ready.Version
	}
	pid := m.process.cmd.Process.Pid
	before, began := usageOf(pid), time.Now()
	a, err = m.process.ask(fmt.Sprintf("%s %g", c.line, r.seconds), limit)
	if err != nil {
		return a, 0, err
	}
	wall = time.Since(began).Seconds()
	after := usageOf(pid)
	m.Peak = max(m.Peak, after.peak)
	if a.CPU == 0 {
		a.CPU = (after.cpu - before.cpu) / float64(max(1, a.Count))
	}
	return a, wall, nil
}

// whole waits for a process that answers once, at its end.
func (r *runner) whole(m *member, began time.Time, limit time.Duration) (a answer, wall float64, err error) {
	p := m.process
	if m.program {
		timer := time.AfterFunc(limit, p.cancel)
		defer timer.Stop()
		a.Version = "Hinge " + machine.Release
	} else if a, err = p.read(limit); err != nil {
		return a, 0, err
	}
	p.in.Close()
	for range p.answers { // until it closes its output
	}
	err = p.cmd.Wait()
	wall = time.Since(began).Seconds()
	m.process = nil
	if err != nil {
		return a, wall, errors.New(lastLine(p.said.String(), err))
	}
	cpu, peak := ended(p.cmd.ProcessState)
	p.cancel()
	m.Version, m.Peak = a.Version, max(m.Peak, peak)
	if a.Wall == 0 {
		a.Wall = wall
	}
	if a.CPU == 0 {
		a.CPU = cpu
	}
	return a, wall, nil
}

// program returns the command of a side.
func (r *runner) program(ctx context.Context, s *side, c ask, dir string) (name string, args []string, err error) {
	args = slices.Clone(s.args)
	if s.program {
		name, args = strings.ReplaceAll(args[0], "DIR", dir), args[1:]
	} else if s.env == "" {
		name, args = r.self, append([]string{"-serve"}, args...)
	} else {
		if name, err = r.interpreter(ctx, s.env); err != nil {
			return "", nil, err
		}
		args[0] = filepath.Join(r.scripts, args[0])
		args = append([]string{"-B"}, args...)
	}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "DIR", dir)
	}
	if s.whole {
		args = append(args, strings.Fields(c.line)...)
	}
	return name, args, nil
}

// environ is the environment of a side with as many threads. Libraries of matrices choose their
// kernels themselves.
func environ(threads int) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OPENBLAS_") })
	for _, name := range []string{"GOMAXPROCS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS", "NUMEXPR_NUM_THREADS"} {
		env = append(env, fmt.Sprint(name, "=", threads))
	}
	return env
}
