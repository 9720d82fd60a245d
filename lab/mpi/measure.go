package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"hinge/lab/bench"
	"hinge/train/machine"
)

// launcher is an MPI by the name of its mpirun.
type launcher struct {
	name, program string
	args          []string
}

var launchers = []launcher{
	// As many ranks as processors, which the system may place as it places others.
	{"Open MPI", "mpirun.openmpi", []string{"--bind-to", "none", "--oversubscribe"}},
	{"MPICH", "mpirun.mpich", nil},
}

// study is everything that was measured.
type study struct {
	o       *options
	machine machine.Machine
	load    [2]string // before and after, as the system averages it
	single  []*answer // by alternation
	several []*series
}

// series are the runs on a number of ranks.
type series struct {
	kind     kind
	launcher launcher
	ranks    int
	runs     []*answer // by alternation
	same     bool      // bits as those of one process with as many shards
}

// kind says what several ranks do.
type kind int

const (
	apart  kind = iota // processes at the same time that share nothing
	shared             // ranks that share the batch of one process
	each               // ranks that each have as much
)

// batch is the number of additions of a step.
func (m *series) batch(o *options) int {
	if m.kind == each {
		return o.batch * m.ranks
	}
	return o.batch
}

// images is how many of them one process counts for a step of all.
func (m *series) images(o *options) int {
	if m.kind == shared {
		return 4 * o.batch
	}
	return 4 * o.batch * m.ranks
}

func measure(ctx context.Context, o *options, found []launcher) (*study, error) {
	s := &study{o: o, machine: machine.This()}
	s.load[0] = bench.LoadAverage()
	for _, r := range o.ranks {
		s.several = append(s.several, &series{kind: apart, ranks: r})
	}
	for _, l := range found {
		for _, r := range o.ranks {
			s.several = append(s.several, &series{kind: shared, launcher: l, ranks: r}, &series{kind: each, launcher: l, ranks: r})
		}
	}
	for n := range o.alternations {
		a, err := o.start(ctx, launcher{}, order{Batch: o.batch, Ranks: 1})
		if err != nil {
			return nil, err
		}
		s.single = append(s.single, a)
		for _, m := range s.several {
			a, err := o.run(ctx, m)
			if err != nil {
				return nil, err
			}
			m.runs = append(m.runs, a)
		}
		fmt.Fprintf(os.Stderr, "alternation %d of %d, load %s\n", n+1, o.alternations, bench.LoadAverage())
	}
	digests := map[int]uint32{}
	for _, r := range o.ranks {
		a, err := o.start(ctx, launcher{}, order{Batch: o.batch, Shards: r, Ranks: 1})
		if err != nil {
			return nil, err
		}
		digests[r] = a.Digest
	}
	for _, m := range s.several {
		m.same = true
		for _, a := range m.runs {
			m.same = m.same && a.Digest == digests[m.ranks]
		}
	}
	s.load[1] = bench.LoadAverage()
	return s, nil
}

// run makes one run of a series.
func (o *options) run(ctx context.Context, m *series) (*answer, error) {
	if m.kind != apart {
		return o.start(ctx, m.launcher, order{Batch: m.batch(o), Shards: m.ranks, Ranks: m.ranks})
	}
	var g errgroup.Group
	all := make([]*answer, m.ranks)
	for i := range all {
		g.Go(func() (err error) {
			all[i], err = o.start(ctx, launcher{}, order{Batch: o.batch, Ranks: 1})
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	sum := all[0]
	for _, a := range all[1:] {
		for i, t := range a.Seconds[:len(sum.Seconds)] {
			sum.Seconds[i] += t
		}
	}
	for i := range sum.Seconds {
		sum.Seconds[i] /= float64(m.ranks)
	}
	return sum, nil
}

// start runs this program as ranks of one thread each and returns what rank 0 says.
func (o *options) start(ctx context.Context, l launcher, do order) (*answer, error) {
	dir, err := os.MkdirTemp("", "bench-mpi")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	do.Dir, do.Steps = filepath.Join(dir, "run"), o.steps
	text, err := json.Marshal(do)
	if err != nil {
		return nil, err
	}
	out, err := start(ctx, l, do.Ranks, rankEnv+"="+string(text))
	if err != nil {
		return nil, err
	}
	a := new(answer)
	return a, json.Unmarshal(out, a)
}

// start runs this program as ranks of one thread each, or alone as one, with a variable
// that says what to do, and returns what they print.
func start(ctx context.Context, l launcher, ranks int, what string, args ...string) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := append([]string{self}, args...)
	if ranks > 1 {
		command = slices.Concat([]string{l.program, "-n", strconv.Itoa(ranks)}, l.args, command)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	// Open MPI's launcher wants to be told twice that it is meant to run as root.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", what)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, errs.String())
	}
	return out.Bytes(), nil
}
