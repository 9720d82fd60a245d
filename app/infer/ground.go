package infer

import (
	"fmt"
	"os"
	"sync"
	"time"

	"hinge/app/cli"
	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
)

// problem is the result of the stage ground: the ground program, compiled.
type problem struct {
	*input
	program  *hlmrf.Program
	instance *lcqp.Instance
	outputs  []float64 // of the networks
	// ranks is the number of ranks, 0 for one process. With ranks, program holds the rows of
	// this rank, and numbers are the places of its targets in the whole program.
	ranks                    int
	numbers                  []int32
	groundTime, networksTime time.Duration
}

// ground grounds the rules, gives them the weights of -weights and runs the networks.
func (c *command) ground(in *input) (*problem, error) {
	p := &problem{input: in}
	err := c.compile(p, &recorder{warnings: c.warnings}, func(opts ground.Options) (*hlmrf.Program, error) {
		program, err := ground.Ground(c.stop.Ctx, in.Rules, in.Data, opts)
		if err == nil && in.trained != nil {
			err = setWeights(program, in)
		}
		return program, err
	})
	if err != nil || in.trained == nil || in.Data.DeepAtoms() == 0 {
		return p, err
	}
	begin := time.Now()
	c.progress.Start(fmt.Sprintf("running the networks for %s", cli.Count(in.Data.DeepAtoms(), "atom")))
	if p.outputs, err = in.trained.Outputs(in.Model, os.Getenv("HINGE_DATA")); err != nil {
		return nil, err
	}
	p.networksTime = time.Since(begin)
	return p, p.instance.SetDeep(p.outputs)
}

// setWeights gives the rules the weights of the run of -weights.
func setWeights(program *hlmrf.Program, in *input) error {
	w, err := in.trained.RuleWeights(program.Rules)
	if err != nil {
		return cli.Usage("-weights: %v", err)
	}
	for i := range program.Rules {
		program.Rules[i].Weight = w[i]
	}
	return nil
}

// compile grounds by the given function and compiles the program.
func (c *command) compile(p *problem, r *recorder, do func(ground.Options) (*hlmrf.Program, error)) (err error) {
	begin := time.Now()
	opts := p.GroundOptions()
	opts.Workers, opts.Recorder, opts.Watch, opts.MaxRows = p.threads, r, r.watch, c.maxGroundings
	c.progress.Start(fmt.Sprintf("grounding %s", cli.Count(len(p.Rules.Rules), "rule")), r.now)
	if p.program, err = do(opts); err != nil {
		return err
	}
	template, err := lcqp.Compile(p.program)
	if err != nil {
		return err
	}
	p.groundTime = time.Since(begin)
	p.instance, err = template.NewInstance(p.epsilon)
	return err
}

// recorder follows the grounding, for warnings and for the progress.
type recorder struct {
	*warnings
	mu    sync.Mutex
	plans []ground.RulePlan
	// rule is the rule that is being grounded, and rows is its number of rows so far.
	rule int
	rows int64
	// Where distributed is true other ranks ground rows, too, and grounded holds the number of
	// rows of each rule on this one.
	distributed bool
	grounded    []float64
}

// Planned warns about a rule that may have far too many groundings.
func (r *recorder) Planned(p ground.RulePlan) {
	r.mu.Lock()
	r.plans = append(r.plans, p)
	r.mu.Unlock()
	if p.Warning != "" {
		r.warn("%s, about %.3g (%s; -max-groundings and -max-memory stop what is too much)", p.Warning, p.Groundings, p.Hint)
	}
}

// watch notes how far the grounding is.
func (r *recorder) watch(rule int, rows int64) {
	r.mu.Lock()
	r.rule, r.rows = rule, rows
	r.mu.Unlock()
}

// now describes the rule being grounded, its number of rows, and the literal that would reduce
// it.
func (r *recorder) now() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rows == 0 || r.rule >= len(r.plans) {
		return "planning"
	}
	p := &r.plans[r.rule]
	text := fmt.Sprintf("rule %d at %s, %s so far of about %.2g: %s", r.rule+1, p.Source, cli.Count(int(r.rows), "ground rule"), max(p.Groundings, float64(r.rows)), p.Text)
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	return text
}

// Grounded warns about the grounding of a rule.
func (r *recorder) Grounded(s ground.RuleStats) {
	if r.distributed {
		r.grounded = append(r.grounded, float64(s.Rows))
		return
	}
	for _, w := range model.Grounded(s) {
		r.add(w)
	}
}

var _ ground.Recorder = (*recorder)(nil)
