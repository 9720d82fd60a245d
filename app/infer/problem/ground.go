package problem

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"hinge/app/cli"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
)

// Problem is the result of the stage ground: the ground program, compiled.
type Problem struct {
	*Input
	Program  *hlmrf.Program
	Instance *lcqp.Instance
	Outputs  []float64 // of the networks
	// Ranks is the number of ranks, 0 for one process. With ranks, Program holds the rows of
	// this rank, and Numbers are the places of its targets in the whole program.
	Ranks                    int
	Numbers                  []int32
	GroundTime, NetworksTime time.Duration
}

// Ground grounds the rules, gives them the weights of -weights and runs the networks.
func (c *Session) Ground(in *Input) (*Problem, error) {
	p := &Problem{Input: in}
	err := c.Compile(p, &Recorder{Warnings: c.Warnings}, func(opts ground.Options) (*hlmrf.Program, error) {
		program, err := ground.Ground(c.Stop.Ctx, in.Rules, in.Data, opts)
		if err == nil && in.Trained != nil {
			err = setWeights(program, in)
		}
		return program, err
	})
	if err != nil || in.Trained == nil || in.Data.DeepAtoms() == 0 {
		return p, err
	}
	begin := time.Now()
	c.Progress.Start(fmt.Sprintf("running the networks for %s", psl.Count(in.Data.DeepAtoms(), "atom")))
	if p.Outputs, err = in.Trained.Outputs(in.Model, os.Getenv("HINGE_DATA")); err != nil {
		return nil, err
	}
	p.NetworksTime = time.Since(begin)
	return p, p.Instance.SetDeep(p.Outputs)
}

// setWeights gives the rules the weights of the run of -weights.
func setWeights(program *hlmrf.Program, in *Input) error {
	w, err := in.Trained.RuleWeights(program.Rules)
	if err != nil {
		return cli.Usage("-weights: %v", err)
	}
	for i := range program.Rules {
		program.Rules[i].Weight = w[i]
	}
	return nil
}

// Compile grounds by the given function and compiles the program.
func (c *Session) Compile(p *Problem, r *Recorder, do func(ground.Options) (*hlmrf.Program, error)) (err error) {
	begin := time.Now()
	opts := p.GroundOptions()
	opts.Workers, opts.MaxRows = p.Threads, c.maxGroundings
	opts.Planned, opts.Watch, opts.Grounded = r.planned, r.watch, r.grounded
	c.Progress.Start(fmt.Sprintf("grounding %s", psl.Count(len(p.Rules.Rules), "rule")), r.now)
	if p.Program, err = do(opts); err != nil {
		return err
	}
	template, err := lcqp.Compile(p.Program)
	if err != nil {
		return err
	}
	p.GroundTime = time.Since(begin)
	p.Instance, err = template.NewInstance(p.Epsilon)
	return err
}

// Recorder follows the grounding, for warnings and for the progress.
type Recorder struct {
	*Warnings
	mu    sync.Mutex
	Plans []ground.RulePlan
	// rule is the rule that is being grounded, and rows is its number of rows so far.
	rule int
	rows int64
	// Where Distributed is true other ranks ground rows, too, and Stats holds the counts of
	// each rule on this one.
	Distributed bool
	Stats       []ground.RuleStats
}

// planned warns about a rule that may have far too many groundings.
func (r *Recorder) planned(p ground.RulePlan) {
	r.mu.Lock()
	r.Plans = append(r.Plans, p)
	r.mu.Unlock()
	if p.Warning != "" {
		r.Warn("%s, about %.3g (%s; -max-groundings and -max-memory stop what is too much)", p.Warning, p.Groundings, p.Hint)
	}
}

// watch notes how far the grounding is.
func (r *Recorder) watch(rule int, rows int64) {
	r.mu.Lock()
	r.rule, r.rows = rule, rows
	r.mu.Unlock()
}

// now describes the rule being grounded, its number of rows, and the literal that would reduce
// it.
func (r *Recorder) now() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rows == 0 || r.rule >= len(r.Plans) {
		return "planning"
	}
	p := &r.Plans[r.rule]
	text := fmt.Sprintf("rule %d at %s, %s so far of about %.2g: %s", r.rule+1, p.Source, psl.Count(int(r.rows), "ground rule"), max(p.Groundings, float64(r.rows)), p.Text)
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	return text
}

// grounded warns about the grounding of a rule.
func (r *Recorder) grounded(s ground.RuleStats) {
	if r.Distributed {
		r.Stats = append(r.Stats, s)
		return
	}
	for _, w := range model.Grounded(s) {
		r.Add(w)
	}
}

// Primary is the place of the evaluation that learning is judged by, -1 without any.
func (p *Problem) Primary() int {
	if len(p.Evaluations) == 0 {
		return -1
	}
	return max(0, slices.IndexFunc(p.Evaluations, func(e model.Evaluation) bool { return e.Primary }))
}
