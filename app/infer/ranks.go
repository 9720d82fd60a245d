package infer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"hinge/app/cli"
	"hinge/optim/collective"
	"hinge/symbolic/ground"
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
		{o.loss != "" && o.loss != learnNone, "-learn"}, {o.weights != "", "-weights"}, {len(o.explain) > 0, "-explain"},
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
func (j *job) fits() error {
	switch {
	case j.m.Data.DeepAtoms() > 0:
		return cli.Usage("%s has networks, which one process runs; start it without mpirun", j.m.File)
	case j.learnsFirst():
		return cli.Usage("%s is learned before it is inferred, which one process does; -learn=none infers with the weights as written", j.m.File)
	case !isExact(j.name):
		return cli.Usage("%s asks for the method %s, which one process has; -method auto works on several ranks", j.m.File, j.name)
	case j.m.Options.Skip:
		return cli.Usage("%s asks for no inference; start it without mpirun", j.m.File)
	}
	for _, p := range j.m.Predicates {
		if p.Integer {
			return cli.Usage("%s: %s is integer, which one process searches; start it without mpirun", j.m.File, p.Name)
		}
	}
	return nil
}

// ranksGC is the collector's target while several ranks solve: memory is what they are for.
const ranksGC = 20

// runRanks is run for a rank of several: all read the model and its data, each grounds its
// part, all solve together, and rank 0 evaluates, writes and reports. Where one has an error, all
// end with it.
func (j *job) runRanks(c collective.Comm) error {
	j.ranks = c.Size()
	if j.joint == nil {
		return cli.Usage("this program has no way to solve on several ranks; start it without mpirun")
	}
	err := j.load()
	if err == nil {
		err = j.fits()
	}
	if err := collective.Agree(c, err, exitCode); err != nil {
		return err
	}
	part, err := j.groundPart(c)
	if err := collective.Agree(c, err, exitCode); err != nil {
		return err
	}
	if err := j.doubtRanks(c); err != nil {
		return err
	}
	if j.strict {
		if err := collective.Agree(c, j.strictly(), exitCode); err != nil {
			return err
		}
	}
	if c.Rank() > 0 {
		j.m.Data = nil // only rank 0 needs the names of the atoms
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(ranksGC)
	}
	debug.FreeOSMemory()
	if err := j.solveRanks(c, part); err != nil {
		return err
	}
	failed := j.verdictRanks(c)
	var infeasible *collective.RankError
	if errors.As(failed, &infeasible) && infeasible.Code == exit.Infeasible {
		if j.json && c.Rank() == 0 {
			return errors.Join(j.writeJSON(), failed)
		}
		return failed
	}
	if err = j.collect(c, part.Targets); err == nil && c.Rank() == 0 {
		err = j.writeRanks()
	}
	return errors.Join(collective.Agree(c, err, exitCode), failed)
}

// groundPart grounds this rank's part.
func (j *job) groundPart(c collective.Comm) (*ground.Part, error) {
	begin := time.Now()
	opts := j.beginGrounding()
	split := splits[j.split](j.m.Data, c.Size())
	part, err := split.Ground(j.stop.ctx, j.m.Rules, j.m.Data, opts, c.Rank())
	if err != nil {
		return nil, err
	}
	j.program = part.Program
	template, err := lcqp.Compile(j.program)
	if err != nil {
		return nil, err
	}
	j.times.ground = time.Since(begin)
	j.instance, err = template.NewInstance(j.epsilon)
	return part, err
}

// doubtRanks warns on rank 0 of rules without groundings on any rank.
func (j *job) doubtRanks(c collective.Comm) error {
	if err := collective.Sum(c, j.grounded); err != nil {
		return err
	}
	if c.Rank() > 0 {
		return nil
	}
	for i, n := range j.grounded {
		if n == 0 {
			j.add(model.Warning{Warning: psl.Warning{Pos: j.place(j.plans[i].Source), Msg: "the rule has no grounding",
				Hint: "one process says why"}, Data: true})
		}
	}
	return nil
}

// solveRanks solves together with the other ranks.
func (j *job) solveRanks(c collective.Comm, part *ground.Part) error {
	s, err := j.settings()
	if err := collective.Agree(c, err, exitCode); err != nil {
		return err
	}
	s.MaxTime, s.Stop = j.timeout, j.stop.ctx.Done()
	var iterations int
	var last lcqp.Residual
	j.progress.start(fmt.Sprintf("solving on %s", count(c.Size(), "rank")), func() string {
		j.mu.Lock()
		defer j.mu.Unlock()
		return fmt.Sprintf("%s, gap %.2g, violation %.2g", count(iterations, "iteration"), last.Gap, last.Primal)
	})
	observe := func(n int, r lcqp.Residual) {
		j.mu.Lock()
		iterations, last = n, r
		j.mu.Unlock()
	}
	j.stop.hold()
	w, err := j.joint(c, j.instance, part.Targets, s, observe)
	if err != nil {
		return err
	}
	signals := []float64{float64(j.stop.code.Load())}
	if err := collective.Max(c, signals); err != nil {
		return err
	}
	j.signal = int(signals[0])
	j.interrupted = j.signal > 0 && w.Status == infer.TimeLimit
	j.whole, j.times.solve = &w, w.Runtime
	r := &j.result
	r.Status, r.Energy, r.Certificate = w.Status, w.Energy, w.Certificate
	r.PrimalValue, r.DualValue = w.Residual.PrimalValue, w.Residual.DualValue
	r.TotalGap, r.MaxComponentGap, r.MaxViolation = w.Residual.Gap, w.Residual.Gap, w.Residual.Primal
	return nil
}

// verdictRanks is verdict, the same on all ranks.
func (j *job) verdictRanks(c collective.Comm) error {
	proofs := []float64{0}
	if j.whole.Certificate != nil {
		proofs[0] = 1
	}
	err := collective.Sum(c, proofs)
	if err != nil {
		return err
	}
	switch {
	case j.interrupted && c.Rank() == 0:
		err = j.interrupt()
	case j.interrupted:
	case j.whole.Status == infer.Infeasible && j.whole.Certificate != nil:
		err = j.infeasible(j.whole.Certificate)
	case j.whole.Status == infer.Infeasible && proofs[0] == 0:
		err = &infeasibleError{"the model is infeasible: hard rules contradict each other across ranks\n" +
			"    hint: one process names them, without mpirun; or make all hard rules soft with -D inference.relax=true"}
	case j.whole.Status == infer.Infeasible:
	case c.Rank() == 0:
		err = j.verdict()
	}
	return collective.Agree(c, err, func(err error) int {
		if j.interrupted {
			return j.signal
		}
		return exitCode(err)
	})
}

// collect gives rank 0 the values of all targets; those in no row are 0.
func (j *job) collect(c collective.Comm, targets []int32) error {
	var number []int32
	var value []float64
	for i, own := range j.whole.Own {
		if own {
			number, value = append(number, targets[i]), append(value, j.whole.Y[i])
		}
	}
	numbers, values := make([][]int32, c.Size()), make([][]float64, c.Size())
	numbers[0], values[0] = number, value
	numbers, err := collective.Exchange(c, numbers)
	if err != nil {
		return err
	}
	if values, err = collective.Exchange(c, values); err != nil || c.Rank() > 0 {
		return err
	}
	j.result.Y = make([]float64, j.m.Data.Targets())
	for r, list := range numbers {
		for k, i := range list {
			j.result.Y[i] = values[r][k]
		}
	}
	return nil
}

// writeRanks evaluates, writes and reports what rank 0 has collected.
func (j *job) writeRanks() (err error) {
	if j.metrics, err = j.m.Evaluate(j.result.Y, nil); err != nil {
		return err
	}
	j.stop.write()
	j.progress.close()
	if err := j.writeValues(); err != nil {
		return err
	}
	if j.json {
		return j.writeJSON()
	}
	return j.writeSummary()
}

// leave ends a rank and returns its exit code. An error that
// all ranks know of is told by the one that has it; with any other the others would wait for
// this one, and are aborted.
func (j *job) leave(c collective.Comm, err error) int {
	var known *collective.RankError
	switch {
	case err == nil:
		if err := c.Close(); err != nil {
			return report(err)
		}
		return exit.OK
	case errors.Is(err, context.Canceled) && !errors.As(err, &known):
		if c.Rank() == 0 {
			fmt.Fprintln(os.Stderr, "infer: interrupted,", j.stop.left())
		}
		return int(j.stop.code.Load()) // in the middle of something: the launcher ends the others
	case errors.As(err, &known):
		if known.Err != nil {
			report(known.Err)
		}
		_ = c.Close()
		return known.Code
	}
	report(&collective.RankError{Rank: c.Rank(), Text: err.Error(), Err: err})
	c.Abort(exitCode(err))
	return exitCode(err)
}
