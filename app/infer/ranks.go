package infer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"

	"hinge/app/cli"
	"hinge/optim/collective"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/exit"
)

// splits are the values of -split.
var splits = map[string]func(*ground.Database, int) *ground.Split{
	"graph": ground.SplitGraph, "blocks": ground.SplitBlocks, "hash": ground.SplitHash,
}

// forRanks finds flags that several ranks do not know.
func (o *options) forRanks() error {
	for _, f := range []struct {
		given bool
		what  string
	}{
		{o.onlyLearns(), "-learn"}, {o.weights != "", "-weights"}, {len(o.explain) > 0, "-explain"},
		{o.top > 0, "-top"}, {o.groundRules != "", "-groundrules"}, {len(o.integers) > 0, "-integer"},
		{o.method != "" && !isExact(o.method), "-method " + o.method},
	} {
		if f.given {
			return cli.Usage("%s is for one process; start it without mpirun", f.what)
		}
	}
	return nil
}

// fits finds what a model asks for that several ranks do not do.
func (c *command) fits(in *input) error {
	switch {
	case in.Data.DeepAtoms() > 0:
		return cli.Usage("%s has networks, which one process runs; start it without mpirun", in.File)
	case c.learnsFirst(in.Model):
		return cli.Usage("%s is learned before it is inferred, which one process does; -learn=none infers with the weights as written", in.File)
	case !isExact(in.method):
		return cli.Usage("%s asks for the method %s, which one process has; -method auto works on several ranks", in.File, in.method)
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

// ranksGC is the collector's target while several ranks solve: memory is what they are for.
const ranksGC = 20

// runRanks is run for a rank of several: all read the model and its data, each grounds its
// part, all solve together, and rank 0 evaluates, writes and reports. Where one has an error, all
// end with it.
func (c *command) runRanks(comm collective.Comm, joint Joint) error {
	if joint == nil {
		return cli.Usage("this program has no way to solve on several ranks; start it without mpirun")
	}
	in, err := c.read(model.Partition(c.partition))
	if err == nil {
		err = c.fits(in)
	}
	if err := collective.Agree(comm, err, exitCode); err != nil {
		return err
	}
	p, grounded, err := c.groundShare(comm, in)
	if err := collective.Agree(comm, err, exitCode); err != nil {
		return err
	}
	if err := c.doubtRanks(comm, p, grounded); err != nil {
		return err
	}
	if c.strict {
		if err := collective.Agree(comm, c.strictly(), exitCode); err != nil {
			return err
		}
	}
	if comm.Rank() > 0 {
		in.Data = nil // only rank 0 needs the names of the atoms
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(ranksGC)
	}
	debug.FreeOSMemory()
	s, err := c.solveRanks(comm, p, joint)
	if err != nil {
		return err
	}
	r := &report{solution: s}
	failed := c.verdictRanks(comm, s)
	var infeasible *collective.RankError
	if errors.As(failed, &infeasible) && infeasible.Code == exit.Infeasible {
		if c.json && comm.Rank() == 0 {
			return errors.Join(c.writeJSON(r), failed)
		}
		return failed
	}
	if err = s.collect(comm); err == nil && comm.Rank() == 0 {
		if err = c.evaluate(r); err == nil {
			err = c.write(r)
		}
	}
	return errors.Join(collective.Agree(comm, err, exitCode), failed)
}

// groundShare grounds this rank's part, and leaves the plans and numbers of rows of the rules.
func (c *command) groundShare(comm collective.Comm, in *input) (*problem, *recorder, error) {
	p, r := &problem{input: in, ranks: comm.Size()}, &recorder{warnings: c.warnings, share: true}
	err := c.compile(p, r, func(opts ground.Options) (*hlmrf.Program, error) {
		part, err := splits[c.split](in.Data, comm.Size()).Ground(c.stop.ctx, in.Rules, in.Data, opts, comm.Rank())
		if err != nil {
			return nil, err
		}
		p.numbers = part.Targets
		return part.Program, nil
	})
	return p, r, err
}

// doubtRanks warns on rank 0 of rules without groundings on any rank.
func (c *command) doubtRanks(comm collective.Comm, p *problem, r *recorder) error {
	if err := collective.Sum(comm, r.grounded); err != nil || comm.Rank() > 0 {
		return err
	}
	for i, n := range r.grounded {
		if n == 0 {
			c.add(model.Warning{Warning: psl.Warning{Pos: p.place(r.plans[i].Source), Msg: "the rule has no grounding",
				Hint: "one process says why"}, Data: true})
		}
	}
	return nil
}

// solveRanks solves together with the other ranks.
func (c *command) solveRanks(comm collective.Comm, p *problem, joint Joint) (*solution, error) {
	settings, tolerance, err := p.settings()
	if err := collective.Agree(comm, err, exitCode); err != nil {
		return nil, err
	}
	settings.MaxTime, settings.Stop = c.timeout, c.stop.ctx.Done()
	var (
		mu         sync.Mutex
		iterations int
		last       lcqp.Residual
	)
	c.progress.start(fmt.Sprintf("solving on %s", count(comm.Size(), "rank")), func() string {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Sprintf("%s, gap %.2g, violation %.2g", count(iterations, "iteration"), last.Gap, last.Primal)
	})
	c.stop.hold()
	d, err := joint(comm, p.instance, p.numbers, settings, func(n int, r lcqp.Residual) {
		mu.Lock()
		iterations, last = n, r
		mu.Unlock()
	})
	if err != nil {
		return nil, err
	}
	signals := []float64{float64(c.stop.code.Load())}
	if err := collective.Max(comm, signals); err != nil {
		return nil, err
	}
	s := &solution{problem: p, solver: p.method, tolerance: tolerance, distributed: &d, solveTime: d.Runtime, signal: int(signals[0])}
	s.interrupted = s.signal > 0 && d.Status == infer.TimeLimit
	s.Status, s.Energy, s.Certificate = d.Status, d.Energy, d.Certificate
	s.PrimalValue, s.DualValue = d.Residual.PrimalValue, d.Residual.DualValue
	s.TotalGap, s.MaxComponentGap, s.MaxViolation = d.Residual.Gap, d.Residual.Gap, d.Residual.Primal
	return s, nil
}

// verdictRanks is verdict, the same on all ranks.
func (c *command) verdictRanks(comm collective.Comm, s *solution) error {
	proof := s.distributed.Certificate
	proofs := []float64{0}
	if proof != nil {
		proofs[0] = 1
	}
	err := collective.Sum(comm, proofs)
	if err != nil {
		return err
	}
	switch infeasible := s.distributed.Status == infer.Infeasible; {
	case infeasible && proof != nil:
		err = s.infeasible(proof)
	case infeasible && proofs[0] == 0:
		err = &infeasibleError{"the model is infeasible: hard rules contradict each other across ranks\n" +
			"    hint: one process names them, without mpirun; or make all hard rules soft with -D inference.relax=true"}
	case !infeasible && comm.Rank() == 0:
		err = c.verdict(s)
	}
	return collective.Agree(comm, err, func(err error) int {
		if s.interrupted {
			return s.signal
		}
		return exitCode(err)
	})
}

// collect gives rank 0 the values of all targets; those in no row are 0.
func (s *solution) collect(comm collective.Comm) error {
	numbers, values := make([][]int32, comm.Size()), make([][]float64, comm.Size())
	for i, own := range s.distributed.Own {
		if own {
			numbers[0], values[0] = append(numbers[0], s.numbers[i]), append(values[0], s.distributed.Y[i])
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

// leave ends a rank and returns its exit code. An error that
// all ranks know of is told by the one that has it; with any other the others would wait for
// this one, and are aborted.
func (c *command) leave(comm collective.Comm, err error) int {
	var known *collective.RankError
	switch {
	case err == nil:
		if err := comm.Close(); err != nil {
			return printError(err)
		}
		return exit.OK
	case errors.Is(err, context.Canceled) && !errors.As(err, &known):
		if comm.Rank() == 0 {
			fmt.Fprintln(os.Stderr, "infer: interrupted,", c.stop.left())
		}
		return int(c.stop.code.Load()) // in the middle of something: the launcher ends the others
	case errors.As(err, &known):
		if known.Err != nil {
			printError(known.Err)
		}
		_ = comm.Close()
		return known.Code
	}
	printError(&collective.RankError{Rank: comm.Rank(), Text: err.Error(), Err: err})
	comm.Abort(exitCode(err))
	return exitCode(err)
}
