package infer

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hinge/app/cli"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/modelfile"
)

// job is one run of the command: read, ground, solve, write, report.
type job struct {
	*options
	*doubts
	stop     *stopper
	progress *progress
	stdout   io.Writer

	m        *model.Model
	program  *hlmrf.Program
	instance *lcqp.Instance
	name     string // of the method
	// trained holds networks and rule weights, outputs those of the networks.
	trained *modelfile.Trained
	outputs []float64
	// tolerance is what -check holds the solution to.
	tolerance float64
	result    infer.Result
	// whole is the outcome of several ranks, else nil.
	whole *JointResult
	joint Joint // solves on several ranks
	ranks int
	// signal is the exit code of a signal to any rank, else 0.
	signal int
	// found is the outcome of a search where predicates are integer, else nil.
	found *integer.Result
	// interrupted tells that the result is not the optimum because of a signal.
	interrupted bool
	metrics     []model.Result
	times       struct{ load, ground, networks, solve time.Duration }
	// plans are those of the rules; rule is the one at hand and rows what it has so far.
	mu    sync.Mutex
	plans []ground.RulePlan
	rule  int
	rows  int64
	// grounded are the rows of each rule, where there are several ranks.
	grounded []float64
	// first is what was learned before inference, or nil.
	first *learned
	// explained and worst are for -explain and -top.
	asked     []int
	explained []explanation
	worst     []groundRule
}

// newJob makes a job.
func newJob(o *options, stop *stopper, p *progress, stdout io.Writer) *job {
	return &job{options: o, doubts: &doubts{silent: o.quiet, progress: p}, stop: stop, progress: p, stdout: stdout}
}

func (j *job) run() error {
	if err := j.load(); err != nil {
		return err
	}
	if j.loss != "" && j.loss != learnNone {
		if err := j.ground(); err != nil {
			return err
		}
		return j.learn()
	}
	if j.learnsFirst() {
		if err := j.learnFirst(); err != nil || !j.m.Infers {
			return err
		}
	}
	if err := j.ground(); err != nil {
		return err
	}
	if j.strict {
		if err := j.strictly(); err != nil {
			return err
		}
	}
	if err := j.findAsked(); err != nil {
		return err
	}
	if err := j.solve(); err != nil {
		return err
	}
	var failed error
	if j.interrupted = j.stop.ctx.Err() != nil && j.result.Status == infer.TimeLimit; j.interrupted {
		failed = j.interrupt()
	} else if !j.m.Options.Skip {
		failed = j.verdict()
	}
	var infeasible *infeasibleError
	if errors.As(failed, &infeasible) {
		if j.json {
			return errors.Join(j.writeJSON(), failed)
		}
		return failed
	}
	if j.found != nil && j.found.Err() != nil {
		return failed // there are no values
	}
	var err error
	if j.metrics, err = j.m.Evaluate(j.result.Y, j.outputs); err != nil {
		return err
	}
	if !j.interrupted && !j.m.Options.Skip { // the forces of any other point than the optimum explain nothing
		if err := j.explainAll(); err != nil {
			return err
		}
	}
	j.stop.write()
	j.progress.close()
	if err := errors.Join(j.writeValues(), j.writeGroundRules()); err != nil {
		return err
	}
	if j.json {
		err = j.writeJSON()
	} else {
		err = j.writeSummary()
	}
	return errors.Join(err, failed)
}

func (j *job) load() (err error) {
	begin := time.Now()
	j.progress.start("reading " + j.model)
	j.m, err = model.Load(j.model, model.LoadOptions{
		Partition: model.Partition(j.partition), Data: j.data, Set: j.set,
		Reading: func(path string) { j.progress.start("reading " + path) },
	})
	if err != nil {
		return err
	}
	j.times.load = time.Since(begin)
	for _, w := range j.m.Warnings {
		j.add(w)
	}
	if len(j.m.Unused) > 0 && !j.quiet {
		j.progress.note(fmt.Sprintf("infer: %s: options that change no answer: %s", j.m.File, strings.Join(j.m.Unused, ", ")))
	}
	if j.m.Data.Targets() == 0 && !(j.learnsFirst() && !j.m.Infers) {
		return &model.DataError{Err: fmt.Errorf("%s: the partition has no targets: there is nothing to infer", j.m)}
	}
	if err := j.replaceRules(); err != nil {
		return err
	}
	if err := j.loadTrained(); err != nil {
		return err
	}
	if j.out = cmp.Or(j.out, j.m.Options.ResultsDir); j.out != "" {
		// Better now than after an hour of solving.
		if err := os.MkdirAll(j.out, 0o777); err != nil {
			return cli.Usage("-out: %v", err)
		}
	}
	j.threads = cmp.Or(j.threads, j.m.Options.Threads)
	j.name = cmp.Or(j.method, j.m.Options.Method, infer.DefaultMethod().Name())
	j.epsilon = cmp.Or(j.epsilon, j.trainedEpsilon(), j.m.Options.Epsilon, j.defaultEpsilon())
	return nil
}

// defaultEpsilon is ε where nobody says: that of the reference for its dual
// methods, else one that does not show, since its other methods do not
// regularise. Learning keeps the reference's.
func (j *job) defaultEpsilon() float64 {
	dual := func(method string) bool { return infer.Can(method).Family == infer.DualFamily }
	if e := infer.Can(j.name).LeastEpsilon; e > 0 {
		return e
	}
	if j.loss != "" && j.loss != learnNone || dual(j.m.Options.Method) || dual(j.method) && j.method != infer.DefaultMethod().Name() {
		return dualEpsilon
	}
	return smallEpsilon
}

// replaceRules puts the rules of -rules in the place of the model's.
func (j *job) replaceRules() error {
	if j.rules == "" {
		return nil
	}
	src, err := os.ReadFile(j.rules)
	if err != nil {
		return cli.Usage("-rules: %v", err)
	}
	p, err := psl.Parse(j.rules, src)
	if err != nil {
		return err
	}
	for _, w := range slices.Concat(p.Warnings, p.Distinct()) {
		j.add(model.Warning{Warning: w})
	}
	if len(p.Rules) == 0 {
		return cli.Usage("-rules: %s holds no rule", j.rules)
	}
	j.m.Rules, j.m.Options.Normalize = p, false
	return nil
}

func (j *job) ground() (err error) {
	begin := time.Now()
	opts := j.beginGrounding()
	if j.program, err = ground.Ground(j.stop.ctx, j.m.Rules, j.m.Data, opts); err != nil {
		return err
	}
	if err := j.learnedWeights(); err != nil {
		return err
	}
	j.doubtProgram()
	template, err := lcqp.Compile(j.program)
	if err != nil {
		return err
	}
	j.times.ground = time.Since(begin)
	if j.instance, err = template.NewInstance(j.epsilon); err != nil {
		return err
	}
	return j.runNetworks()
}

// beginGrounding returns the options of grounding and shows what is going on.
func (j *job) beginGrounding() ground.Options {
	opts := j.m.GroundOptions()
	opts.Workers = j.threads
	opts.Recorder, opts.MaxRows = j, j.maxGroundings
	j.plans = nil
	j.progress.start(fmt.Sprintf("grounding %s", count(len(j.m.Rules.Rules), "rule")), j.groundingNow)
	return opts
}

// Planned warns of rules that look as if they would explode.
func (j *job) Planned(p ground.RulePlan) {
	j.mu.Lock()
	j.plans = append(j.plans, p)
	j.mu.Unlock()
	if p.Warning != "" {
		j.warn("%s, about %.3g (%s; -max-groundings and -max-memory stop what is too much)", p.Warning, p.Groundings, p.Hint)
	}
}

// Watch notes how far the grounding is.
func (j *job) Watch(rule int, rows int64) {
	j.mu.Lock()
	j.rule, j.rows = rule, rows
	j.mu.Unlock()
}

// groundingNow says which rule is grounded, how many rows it has, and what would make
// them fewer.
func (j *job) groundingNow() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.rows == 0 || j.rule >= len(j.plans) {
		return "planning"
	}
	p := &j.plans[j.rule]
	text := fmt.Sprintf("rule %d at %s, %s so far of about %.2g: %s", j.rule+1, p.Source, count(int(j.rows), "ground rule"), max(p.Groundings, float64(j.rows)), p.Text)
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	return text
}

// Grounded warns of a rule that has no grounding.
func (j *job) Grounded(s ground.RuleStats) {
	if j.ranks > 1 {
		j.grounded = append(j.grounded, float64(s.Rows))
		return
	}
	if s.Empty != "" {
		j.add(model.Warning{Warning: psl.Warning{Pos: s.Pos, Msg: "the rule has no grounding: " + s.Empty, Hint: s.Hint}, Data: true})
	}
}

var (
	_ ground.Recorder = (*job)(nil)
	_ ground.Watcher  = (*job)(nil)
)

func (j *job) solve() error {
	if j.m.Options.Skip {
		return j.skip()
	}
	s, err := j.settings()
	if err != nil {
		return err
	}
	s.MaxTime = j.timeout
	targets, err := j.integerTargets()
	if err != nil {
		return err
	}
	if len(targets) > 0 {
		return j.search(targets, s)
	}
	var begun atomic.Int64
	s.Begun = &begun
	n := len(j.instance.Components)
	j.progress.start(fmt.Sprintf("solving %s by %s", count(n, "component"), j.name), func() string {
		return fmt.Sprintf("at %d of %d", begun.Load(), n)
	})
	s.Stop = j.stop.ctx.Done()
	j.stop.hold()
	begin := time.Now()
	err = infer.Solve(j.instance, j.start(), s, &j.result)
	j.times.solve = time.Since(begin)
	return err
}

// interrupt says what an interrupted solve has found.
func (j *job) interrupt() error {
	where := "printed"
	if j.out != "" {
		where = "in " + j.out
	}
	r := &j.result
	what := fmt.Sprintf("the last feasible point, with a gap of %.2g", r.TotalGap)
	if r.MaxViolation > feasibleEnough {
		what = fmt.Sprintf("a point that breaks a hard rule by %.2g, with a gap of %.2g", r.MaxViolation, r.TotalGap)
	}
	return &interruptedError{fmt.Sprintf("after %.0f s of inference: the values %s are %s", j.times.solve.Seconds(), where, what)}
}

// feasibleEnough is the violation up to which a point counts as feasible.
const feasibleEnough = 1e-6
