package pipe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"hinge/app/cli"
	"hinge/bilevel"
	"hinge/symbolic/ground"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
	"hinge/train/exit"
)

// Request is the content of a frame of the kind load: it names the program to load.
type Request struct {
	// Model is the path of a model file. The client sends the outputs of its predicates with
	// networks and of its predicates of the type DeepPredicate.
	Model string `json:"model"`
	// Partition is infer (default), learn or validation, Data a folder for data files in
	// place of the model's, Options are key=value, as behind -D.
	Partition model.Partition `json:"partition,omitempty"`
	Data      string          `json:"data,omitempty"`
	Options   []string        `json:"options,omitempty"`
	// Method is one of infer.Names, Epsilon ε (default: the model's, else
	// bilevel.DefaultEpsilon), Gap the relative duality gap at which a component is done,
	// Threads the number of goroutines; zero values are the defaults of package infer.
	Method  string  `json:"method,omitempty"`
	Epsilon float64 `json:"epsilon,omitempty"`
	Gap     float64 `json:"gap,omitempty"`
	Threads int     `json:"threads,omitempty"`
	// Check makes an error of each solve that an outside check finds not optimal.
	Check bool `json:"check,omitempty"`
}

// Loaded describes a program: its numbers are in these orders everywhere.
type Loaded struct {
	Program uint32  `json:"program"`
	Epsilon float64 `json:"epsilon"`
	// Rules are the weighted rules, HardRules the others.
	Rules     []Rule   `json:"rules"`
	HardRules []string `json:"hard_rules"`
	// Outputs and Targets are atoms: the predicate, then the arguments. Truth has the true
	// value of each target, null where it has none.
	Outputs [][]string `json:"outputs"`
	Targets [][]string `json:"targets"`
	Truth   []*float64 `json:"truth"`
	// Potentials, Constraints and Components are sizes of the ground program.
	Potentials  int `json:"potentials"`
	Constraints int `json:"constraints"`
	Components  int `json:"components"`
	// Warnings are doubts about the model, its rules and its data.
	Warnings []string `json:"warnings"`
}

// Rule is a weighted rule with the weight it starts with.
type Rule struct {
	Rule   string  `json:"rule"`
	Weight float64 `json:"weight"`
}

// session holds the programs that a client has loaded.
type session struct {
	programs map[uint32]*program
	last     uint32
}

// answer answers a request.
func (s *session) answer(k kind, body []byte) ([]byte, error) {
	if (k == hello || k == free) && len(body) != 4 {
		return nil, cli.Usage("a frame of the kind %d with %d bytes, want 4", k, len(body))
	}
	switch k {
	case hello:
		if v := binary.LittleEndian.Uint32(body); v != Version {
			return nil, &lostError{fmt.Sprintf("the client speaks version %d of the protocol, this program version %d: install client and program of one release", v, Version)}
		}
		return body, nil
	case load:
		return s.load(body)
	case free:
		delete(s.programs, binary.LittleEndian.Uint32(body))
		return nil, nil
	default:
		return s.solve(k, body)
	}
}

// load loads and grounds a model.
func (s *session) load(body []byte) ([]byte, error) {
	var q Request
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return nil, cli.Usage("load: %v", err)
	}
	method, err := infer.New(cmp.Or(q.Method, infer.DefaultMethod().Name()))
	switch {
	case err != nil:
		return nil, cli.Usage("method %q is none of %s", q.Method, strings.Join(infer.Names(), ", "))
	case q.Epsilon < 0 || q.Gap < 0 || q.Threads < 0:
		return nil, cli.Usage("epsilon, gap or threads is negative")
	}
	m, err := model.Load(q.Model, model.LoadOptions{Partition: q.Partition, Data: q.Data, Set: q.Options, OwnOutputs: true})
	if err != nil {
		return nil, err
	}
	for _, p := range m.Predicates {
		if p.Integer {
			return nil, cli.Usage("%s has integer values: V has no gradient", p.Name)
		}
	}
	opts := m.GroundOptions()
	opts.Workers = q.Threads
	opts.Grounded = func(s ground.RuleStats) { m.Warnings = append(m.Warnings, model.Grounded(s)...) }
	ground, err := ground.Ground(context.Background(), m.Rules, m.Data, opts)
	if err != nil {
		return nil, err
	}
	m.Warnings = append(m.Warnings, m.Idle(ground)...)
	template, err := lcqp.Compile(ground)
	if err != nil {
		return nil, err
	}
	p := &program{template: template, options: bilevel.Options{
		Epsilon: cmp.Or(q.Epsilon, m.Options.Epsilon, bilevel.DefaultEpsilon), Check: q.Check,
		Solver: infer.Settings{Method: method, GapTolerance: q.Gap, Workers: q.Threads},
	}, states: map[int64]*infer.Warm{}}
	s.last++
	s.programs[s.last] = p
	return json.Marshal(p.describe(s.last, m))
}

// describe returns the reply to a load request.
func (p *program) describe(number uint32, m *model.Model) *Loaded {
	t := p.template
	l := &Loaded{
		Program: number, Epsilon: p.options.Epsilon, Potentials: t.Potentials, Constraints: t.Constraints, Components: len(t.Components),
		Rules: []Rule{}, HardRules: []string{}, Warnings: []string{}, Outputs: make([][]string, t.Deep), Targets: make([][]string, t.Targets), Truth: make([]*float64, t.Targets),
	}
	for _, r := range t.Program().Rules {
		l.Rules = append(l.Rules, Rule{r.Text, r.Weight})
	}
	for _, r := range t.Program().HardRules {
		l.HardRules = append(l.HardRules, r.Text)
	}
	for i := range l.Targets {
		pred, args := m.Data.TargetAtom(i)
		l.Targets[i] = append([]string{pred}, args...)
		if v, known := m.Data.TruthValue(i); known && !math.IsNaN(v) {
			l.Truth[i] = &v
		}
	}
	for i := range l.Outputs {
		pred, args := m.Data.DeepAtom(i)
		l.Outputs[i] = append([]string{pred}, args...)
	}
	for _, w := range m.Warnings {
		l.Warnings = append(l.Warnings, w.String())
	}
	return l
}

// exitCode is the code that a command would have ended with.
func exitCode(err error) int {
	if errors.As(err, new(*lostError)) {
		return exit.Usage
	}
	return cli.ExitCode(err)
}
