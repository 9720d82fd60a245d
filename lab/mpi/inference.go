package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	app "hinge/app/infer"
	"hinge/cluster"
	"hinge/lab/bench"
	"hinge/optim/collective"
	"hinge/symbolic/familytest"
	"hinge/train/machine"
)

// inferEnv makes the program cmd/infer: it holds the folder for what a rank has measured.
const inferEnv = "HINGE_BENCH_INFER"

// infer is cmd/infer as one rank, which then leaves its peak of memory in a file.
func infer() int {
	debug.SetGCPercent(50) // as the command
	code := app.Main(os.Args[1:], cluster.Joint)
	file := filepath.Join(os.Getenv(inferEnv), "memory-"+strconv.Itoa(collective.Launched().Rank))
	if err := os.WriteFile(file, strconv.AppendInt(nil, bench.PeakMemory(), 10), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}

// program is a model to infer: a family with about so many ground terms, and how ranks
// divide it.
type program struct {
	family string
	terms  float64
	split  string
	ranks  []int
	times  int
	limit  time.Duration // of the solve on several ranks
}

// programs are what is measured; large is the size of the one that splits well.
func programs(o *options) []program {
	return []program{
		{"knn-labels", o.terms, "graph", o.ranks, o.alternations, 0},
		{"chain", 1e6, "graph", o.ranks, 1, 0},
		{"knn-labels", 1e5, "hash", o.ranks, 1, o.limit},
		{"citation", 1e5, "graph", o.ranks, 1, o.limit},
		{"citation", 1e6, "graph", o.ranks, 1, o.limit},
	}
}

// outcome is what one run of a program has come to.
type outcome struct {
	Objective    float64
	Gap          float64
	MaxViolation float64 `json:"max_violation"`
	Status       string
	Terms        int
	Targets      int
	Shared       int `json:"shared_targets"`
	Iterations   int
	GroundS      float64 `json:"ground_s"`
	SolveS       float64 `json:"solve_s"`
	// wall is the time of the whole run with reading and writing, memory the largest peak
	// of a rank in bytes.
	wall, memory float64
}

// inferred are the runs of a program on a number of ranks.
type inferred struct {
	program
	launcher launcher
	ranks    int
	runs     []*outcome
}

// measureInference runs all programs and returns the runs, those of one process first in
// each program.
func measureInference(ctx context.Context, o *options, found []launcher) ([]*inferred, error) {
	dir := o.models
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "bench-mpi-models"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
	}
	var all []*inferred
	for _, p := range programs(o) {
		model, err := p.written(dir)
		if err != nil {
			return nil, err
		}
		series := []*inferred{{program: p, ranks: 1}}
		for _, l := range found {
			for _, r := range p.ranks {
				series = append(series, &inferred{program: p, launcher: l, ranks: r})
			}
		}
		for range p.times {
			for _, s := range series {
				a, err := s.run(ctx, model)
				if ctx.Err() != nil {
					return all, nil // the programs that are done
				}
				if err != nil {
					return nil, err
				}
				s.runs = append(s.runs, a)
				fmt.Fprintf(os.Stderr, "%s, %.0e terms, %d ranks %s: ground %.1f s, solve %.1f s, %s, load %s\n",
					p.family, p.terms, s.ranks, s.launcher.name, a.GroundS, a.SolveS, a.Status, bench.LoadAverage())
			}
		}
		all = append(all, series...)
	}
	return all, nil
}

// written writes the model below a folder, unless it is there.
func (p *program) written(dir string) (model string, err error) {
	dir = filepath.Join(dir, fmt.Sprintf("%s-%.0e", p.family, p.terms))
	model = filepath.Join(dir, "model.json")
	if _, err := os.Stat(model); !errors.Is(err, fs.ErrNotExist) {
		return model, err
	}
	f, err := familytest.Find(p.family)
	if err != nil {
		return "", err
	}
	m, err := f.Model(int(p.terms), 3)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return model, m.Write(dir)
}

// epsilons are those that the families are meant to be solved with.
var epsilons = map[string]string{"citation": "0.1"}

// run infers once.
func (s *inferred) run(ctx context.Context, model string) (*outcome, error) {
	dir, err := os.MkdirTemp("", "bench-mpi")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	args := []string{"-model", model, "-epsilon", cmp.Or(epsilons[s.family], "0.01"), "-json", "-quiet", "-out", filepath.Join(dir, "out")}
	if s.ranks > 1 {
		args = append(args, "-split", s.split)
		if s.limit > 0 {
			args = append(args, "-timeout", s.limit.String())
		}
	}
	begin := time.Now()
	out, err := start(ctx, s.launcher, s.ranks, inferEnv+"="+dir, args...)
	if err != nil {
		return nil, err
	}
	a := &outcome{wall: time.Since(begin).Seconds()}
	for r := range s.ranks {
		text, err := os.ReadFile(filepath.Join(dir, "memory-"+strconv.Itoa(r)))
		if err != nil {
			return nil, err
		}
		bytes, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			return nil, err
		}
		a.memory = max(a.memory, bytes)
	}
	return a, json.NewDecoder(bytes.NewReader(out)).Decode(a)
}

// inferenceTitle begins the page's part on inference.
const inferenceTitle = "# Inference on several ranks"

// inferencePage is what was measured of inference, as Markdown.
func inferencePage(o *options, all []*inferred, load [2]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, inferenceTitle+`

Made by `+"`make bench-mpi`"+` (`+"`go run ./lab/mpi -part inference -alternations %d -terms %g -limit %v -ranks %s`"+`).
Not edited by hand.

%s; version %s.
Load average %s at the start, %s at the end, of what else ran on the machine and of the
measurement itself.

One ground program over the memories of several processes (docs/CLUSTER.md), one thread each:
models of `+"`symbolic/familytest`"+` as files, run as a user runs `+"`cmd/infer`"+`, in turn with one process; with
several turns the median is given. Every process reads all data; that is in "run" and not in the time
that is compared, grounding and solving. Memory is the peak of the largest process.
Iterations are those of consensus; where there are none, solves near the border were enough.
The objective is compared with that of one process, relatively. Several ranks stop after
%v with what they have (time_limit).

| model | terms | split | processes | MPI | ground s | solve s | run s | terms/s | time of one | memory | of one | targets in common | iterations | status | gap | violation | objective off by |
| --- | ---: | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |
`, o.alternations, o.terms, o.limit, rankList(o.ranks), machine.This(), machine.Version(context.Background()), load[0], load[1], o.limit)
	var one *inferred
	for _, s := range all {
		of := func(f func(*outcome) float64) float64 {
			var list []float64
			for _, a := range s.runs {
				list = append(list, f(a))
			}
			return bench.Median(list)
		}
		peak := slices.MaxFunc(s.runs, func(a, b *outcome) int { return cmp.Compare(a.memory, b.memory) }).memory
		work := of((*outcome).work)
		last := s.runs[len(s.runs)-1]
		split, times, share, shared, iterations, off := "", "", "", "", "", ""
		if s.ranks == 1 {
			one = s
		} else {
			var ratios []float64
			for i, a := range s.runs {
				ratios = append(ratios, a.work()/one.runs[i].work())
			}
			most := slices.MaxFunc(one.runs, func(a, b *outcome) int { return cmp.Compare(a.memory, b.memory) }).memory
			want := one.runs[0].Objective
			split, times = s.split, fmt.Sprintf("%.2f", bench.Median(ratios))
			share = fmt.Sprintf("%.0f %%", 100*peak/most)
			shared = fmt.Sprintf("%d of %d", last.Shared, last.Targets)
			iterations = strconv.Itoa(last.Iterations)
			off = fmt.Sprintf("%.1e", math.Abs(last.Objective-want)/max(math.Abs(want), 1e-12))
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %s | %.2f | %.1f | %.1f | %.2g | %s | %.0f MB | %s | %s | %s | %s | %.1e | %.1e | %s |\n",
			s.family, last.Terms, split, s.ranks, s.launcher.name, of(func(a *outcome) float64 { return a.GroundS }),
			of(func(a *outcome) float64 { return a.SolveS }), of(func(a *outcome) float64 { return a.wall }), float64(last.Terms)/work,
			times, peak/1e6, share, shared, iterations, last.Status, last.Gap, last.MaxViolation, off)
	}
	return b.String()
}

// work is the time that is compared.
func (a *outcome) work() float64 { return a.GroundS + a.SolveS }
