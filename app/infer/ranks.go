package infer

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"hinge/app/cli"
	"hinge/app/infer/problem"
	"hinge/app/watch"
	"hinge/optim/collective"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/exit"
)

// rank runs a command as one of several processes, or alone.
type rank struct {
	*command
	comm  collective.Comm
	joint Joint
}

// agree makes an error of one rank one of all.
func (k *rank) agree(err error) error { return collective.Agree(k.comm, err, cli.ExitCode) }

// first reports whether this is rank 0, which evaluates, writes and reports.
func (k *rank) first() bool { return k.comm.Rank() == 0 }

// fits returns an error for parts of a model that several ranks do not support.
func (k *rank) fits(in *problem.Input) error {
	switch {
	case in.Data.DeepAtoms() > 0:
		return cli.Usage("%s has networks, which one process runs; start it without mpirun", in.File)
	case k.LearnsFirst(in.Model):
		return cli.Usage("%s is learned before it is inferred, which one process does; -learn=none infers with the weights as written", in.File)
	case !problem.IsExact(in.Method):
		return cli.Usage("%s asks for the method %s, which one process has; -method auto works on several ranks", in.File, in.Method)
	case in.Options.Skip:
		return cli.Usage("%s asks for no inference; start it without mpirun", in.File)
	}
	for _, p := range in.Predicates {
		if p.Integer {
			return cli.Usage("%s: %s is integer, which one process searches; start it without mpirun", in.File, p.Name)
		}
	}
	return nil
}

// run has all ranks read the model and its data. Each grounds its part, all solve together,
// and rank 0 evaluates, writes and reports. Where one has an error, all end with it. A
// process that is alone goes through the stages of the command.
func (k *rank) run() error {
	if k.comm.Size() == 1 {
		_, err := k.command.run()
		return err
	}
	k.Untold = !k.first()
	if k.joint == nil {
		return cli.Usage("this program has no way to solve on several ranks; start it without mpirun")
	}
	in, err := k.Read(model.Partition(k.Partition))
	if err == nil {
		err = errors.Join(k.fits(in), k.decide(in, nil))
	}
	if err := k.agree(err); err != nil {
		return err
	}
	if err := k.agree(k.alike(in)); err != nil {
		return err
	}
	p, grounded, err := k.ground(in)
	if err := k.agree(err); err != nil {
		return err
	}
	if err := k.warnAbout(p, grounded); err != nil {
		return err
	}
	if !k.first() {
		in.Data = nil // only rank 0 needs the names of the atoms
	}
	watch.CollectOften()
	debug.FreeOSMemory()
	s, err := k.solve(p)
	if err != nil {
		return err
	}
	r := &report{solution: s}
	failed := k.verdict(s)
	var infeasible *collective.RankError
	if errors.As(failed, &infeasible) && infeasible.Code == exit.Infeasible {
		if k.JSON && k.first() {
			return errors.Join(r.writeJSON(k.command), failed)
		}
		return failed
	}
	if err = s.collect(k.comm); err == nil && k.first() {
		if err = r.evaluate(); err == nil {
			err = k.write(r)
		}
	}
	return errors.Join(k.agree(err), failed)
}

// alike returns an error, the same on all ranks, where they have not read the same.
func (k *rank) alike(in *problem.Input) error {
	for _, of := range []struct {
		what  string
		write func(io.Writer)
	}{
		{"settings", func(w io.Writer) {
			fmt.Fprintln(w, in.Epsilon, in.Gap, in.Method, in.Options.MaxIterations(in.Method), in.GroundOptions(), k.Split, k.Strict)
		}},
		{"rules and weights", func(w io.Writer) {
			for _, r := range in.Rules.Rules {
				fmt.Fprintln(w, r, r.Weight)
			}
		}},
		{"data", in.Data.Digest},
	} {
		sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
		of.write(sum)
		switch unlike, err := collective.Unlike(k.comm, sum.Sum32()); {
		case err != nil:
			return err
		case unlike != "":
			return cli.Usage("%s: %s are not those of rank 0: %s; start all ranks with the same flags and files", in.File, of.what, unlike)
		}
	}
	return nil
}

// ground grounds the part of this rank. The recorder has the counts of each rule.
func (k *rank) ground(in *problem.Input) (*problem.Problem, *problem.Recorder, error) {
	p, r := &problem.Problem{Input: in, Ranks: k.comm.Size()}, &problem.Recorder{Warnings: k.Warnings, Distributed: true}
	err := k.Compile(p, r, func(opts ground.Options) (*hlmrf.Program, error) {
		part, err := problem.Splits[k.Split](in.Data, p.Ranks).Ground(k.Stop.Ctx, in.Rules, in.Data, opts, k.comm.Rank())
		if err != nil {
			return nil, err
		}
		p.Numbers = part.Targets
		return part.Program, nil
	})
	return p, r, err
}

// warnAbout warns on rank 0 of the groundings of all ranks, and of what has no part in them. With -strict all warnings so far
// are an error.
func (k *rank) warnAbout(p *problem.Problem, r *problem.Recorder) error {
	uses := p.Uses(p.Program, p.Numbers)
	sums := slices.Clone(uses)
	for _, s := range r.Stats {
		sums = append(sums, float64(s.Rows), float64(s.Undefined))
	}
	if err := collective.Sum(k.comm, sums); err != nil {
		return err
	}
	if k.first() {
		k.warnOfGrounding(r.Stats, sums[len(uses):])
		for _, w := range p.IdleOf(p.Program.Rules, sums[:len(uses)]) {
			k.Add(w)
		}
	}
	if k.Strict {
		return k.agree(k.Strictly())
	}
	return nil
}

// warnOfGrounding warns of rules without groundings and of divisions by |...| = 0. sums holds the
// rows and the undefined ones of each rule, of all ranks.
func (k *rank) warnOfGrounding(stats []ground.RuleStats, sums []float64) {
	var empty []int
	for i, s := range stats {
		if sums[2*i] == 0 {
			empty = append(empty, i)
		}
		for _, w := range model.Grounded(ground.RuleStats{Pos: s.Pos, Undefined: int(sums[2*i+1])}) {
			k.Add(w)
		}
	}
	for j, i := range empty[:min(len(empty), ground.MostEmpty+1)] {
		w := psl.Warning{Pos: stats[i].Pos, Msg: "the rule has no grounding", Hint: "one process says why"}
		if j == ground.MostEmpty && len(empty) > ground.MostEmpty+1 {
			why, _ := ground.Others(len(empty))
			w.Msg += ": " + why
		}
		k.Add(model.Warning{Warning: w, Data: true})
	}
}

// solve solves together with the other ranks.
func (k *rank) solve(p *problem.Problem) (*solution, error) {
	settings, tolerance, err := p.Settings()
	if err := k.agree(err); err != nil {
		return nil, err
	}
	settings.MaxTime, settings.Stop = k.Timeout, k.Stop.Ctx.Done()
	var (
		mu         sync.Mutex
		iterations int
		last       lcqp.Residual
	)
	k.Progress.Start(fmt.Sprintf("solving on %s", psl.Count(p.Ranks, "rank")), func() string {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Sprintf("%s, gap %.2g, violation %.2g", psl.Count(iterations, "iteration"), last.Gap, last.Primal)
	})
	k.Stop.Hold()
	d, err := k.joint(k.comm, p.Instance, p.Numbers, settings, func(n int, r lcqp.Residual) {
		mu.Lock()
		iterations, last = n, r
		mu.Unlock()
	})
	if err != nil {
		return nil, err
	}
	signals := []float64{float64(k.Stop.Code.Load())}
	if err := collective.Max(k.comm, signals); err != nil {
		return nil, err
	}
	s := &solution{Problem: p, solver: p.Method, tolerance: tolerance, distributed: &d, solveTime: d.Runtime, signal: int(signals[0])}
	s.interrupted = s.signal > 0 && d.Status == infer.TimeLimit
	s.Status, s.Energy, s.Certificate = d.Status, d.Energy, d.Certificate
	s.PrimalValue, s.DualValue = d.Residual.PrimalValue, d.Residual.DualValue
	s.TotalGap, s.MaxComponentGap, s.MaxViolation = d.Residual.Gap, d.Residual.Gap, d.Residual.Primal
	return s, nil
}

// verdict returns the error of the command, the same on all ranks.
func (k *rank) verdict(s *solution) error {
	proof := s.distributed.Certificate
	proofs := []float64{0}
	if proof != nil {
		proofs[0] = 1
	}
	err := collective.Sum(k.comm, proofs)
	if err != nil {
		return err
	}
	switch infeasible := s.distributed.Status == infer.Infeasible; {
	case infeasible && proof != nil:
		err = s.Infeasible(proof)
	case infeasible && proofs[0] == 0:
		err = cli.WithCode(exit.Infeasible, "the model is infeasible: hard rules contradict each other across ranks\n"+
			"    hint: one process names them, without mpirun; or make all hard rules soft with -D inference.relax=true")
	case !infeasible && k.first():
		err = k.command.verdict(s)
	}
	return collective.Agree(k.comm, err, func(err error) int {
		if s.interrupted {
			return s.signal
		}
		return cli.ExitCode(err)
	})
}

// collect gives rank 0 the values of all targets; those in no row are 0.
func (s *solution) collect(comm collective.Comm) error {
	numbers, values := make([][]int32, comm.Size()), make([][]float64, comm.Size())
	for i, own := range s.distributed.Own {
		if own {
			numbers[0], values[0] = append(numbers[0], s.Numbers[i]), append(values[0], s.distributed.Y[i])
		}
	}
	numbers, err := collective.Exchange(comm, numbers)
	if err != nil {
		return err
	}
	if values, err = collective.Exchange(comm, values); err != nil || comm.Rank() > 0 {
		return err
	}
	s.Y = make([]float64, s.Data.Targets())
	for r, list := range numbers {
		for k, i := range list {
			s.Y[i] = values[r][k]
		}
	}
	return nil
}

// leave ends a rank and returns its exit code.
func (k *rank) leave(err error) int {
	_, known := errors.AsType[*collective.RankError](err)
	switch {
	case err == nil:
		if err := k.comm.Close(); err != nil {
			return printError(err)
		}
		return exit.OK
	case k.comm.Size() == 1 && errors.As(err, new(*interruptedError)):
		printError(err)
		return int(k.Stop.Code.Load())
	case errors.Is(err, context.Canceled) && !known:
		if k.first() {
			fmt.Fprintln(os.Stderr, "infer: interrupted,", k.Stop.Left())
		}
		return int(k.Stop.Code.Load()) // in the middle of something: a launcher ends the others
	}
	return cli.Leave(k.comm, err, err.Error(), printError)
}

// A Joint solves one program whose rows are divided among the ranks of a job. Each rank calls
// it with the instance of its own rows and with the numbers that its targets have in the whole
// program. It calls observe with its progress. Package cluster has such a function.
type Joint func(c collective.Comm, in *lcqp.Instance, targets []int32, s infer.Settings,
	observe func(iterations int, r lcqp.Residual)) (JointResult, error)

// JointResult is the result of a Joint. Solution and Own are about the targets and rows of
// this rank; everything else is the same on all ranks.
type JointResult struct {
	// Solution has the values of the rank's targets, which agree on all ranks, and what
	// belongs to its rows.
	lcqp.Solution
	// Own tells which of the rank's targets count as its own: each target is one rank's.
	Own    []bool
	Status infer.Status
	// Certificate proves that the rank's own rows are infeasible; nil unless they are.
	// Where only rows of several ranks together contradict each other, no rank has one.
	Certificate *infer.Certificate
	// Energy is w·Φ, Residual what lcqp.Residuals finds for the whole program.
	Energy     float64
	Residual   lcqp.Residual
	Iterations int // of the ranks together
	// Rows, Constraints and Components are sizes of the whole program; Shared counts the
	// targets that several ranks have, SharedRows the rows in components with one.
	Rows, Constraints, Components, Shared, SharedRows int
	Runtime                                           time.Duration
}
