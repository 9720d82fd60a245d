package train

import (
	"math"
	"slices"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Answerer is implemented by models that answer examples from outside the data again and
// again, as package app/serve does.
type Answerer interface {
	// Answers returns a value that answers with the model's present weights. It has copies
	// of them, so the model is no longer needed. A setting with which the model cannot
	// answer is a UsageError.
	Answers() (Answers, error)
}

// Answers answers examples that are images. It may be used by one goroutine at a time.
type Answers interface {
	Layout() Layout
	// Answer answers examples. An example holds the pixels of its images, one image after
	// the other and row by row, from 0, background, to 255, ink. The answer to an example
	// does not depend on the others, bit for bit.
	Answer(examples [][]uint8) ([]Answer, error)
	// Why explains an answer of the last call; nil where there are no rules.
	Why(example int) *Why
}

// Layout describes the examples that an Answers takes.
type Layout struct {
	// Images is the number of images of an example, Height and Width their sides,
	// Classes the number of classes of an image.
	Images, Height, Width, Classes int
	// Rules reports whether answers are MAP states, with certificates.
	Rules bool
}

// NoAnswer is the answer where hard rules contradict each other.
const NoAnswer = -1

// Answer is the answer to an example.
type Answer struct {
	// Answer is at least 0, or NoAnswer.
	Answer int64
	// Beliefs are the network's, [images][classes].
	Beliefs []float32
	// Certificate is nil for systems without rules.
	Certificate *Certificate
}

// Certificate shows how close an answer is to the exact MAP state.
type Certificate struct {
	// Status is how the solve ended, in words.
	Status string `json:"status"`
	// Gap is |primal − dual| of the regularised program and Residual the largest residual
	// of its optimality conditions, both by lcqp.Residuals, which shares nothing with the
	// solver. Violation is the largest amount by which the MAP state breaks a hard rule.
	// All are 0 where hard rules contradict each other.
	Gap       float64 `json:"gap"`
	Residual  float64 `json:"residual"`
	Violation float64 `json:"violation"`
	// Unmet are the hard rules that no answer satisfies given the network's beliefs, or that
	// this answer breaks; empty if the answer satisfies all.
	Unmet []string `json:"unmet"`
}

// Why explains an answer.
type Why struct {
	*Explanation
	// Supports are the atoms that the answer is read off.
	Supports []Support `json:"supports"`
}

// Support lists the forces that hold an atom of an answer at its value: see lcqp.Balance.
type Support struct {
	AtomValue
	Up    float64 `json:"up"`
	Down  float64 `json:"down"`
	Bound float64 `json:"bound"`
	// Forces are the strongest, ten at most, and Weaker counts the others.
	Forces []RuleForce `json:"forces"`
	Weaker int         `json:"weaker"`
}

// RuleForce is the force of a ground rule on an atom; a positive force pushes its value up.
type RuleForce struct {
	Force float64 `json:"force"`
	Rule  string  `json:"rule"`
	// Weight is nil for hard rules.
	Weight *float64    `json:"weight"`
	Atoms  []AtomValue `json:"atoms"`
}

// shownForces is how many forces a Support lists.
const shownForces = 10

func newSupport(in *lcqp.Instance, sol *lcqp.Solution, g []float64, target int) Support {
	p := in.Program()
	b := lcqp.Forces(in, sol, target)
	s := Support{
		AtomValue: AtomValue{p.Targets[target], sol.Y[target]}, Up: b.Up, Down: b.Down, Bound: b.Bound,
		Forces: []RuleForce{}, Weaker: max(0, len(b.Forces)-shownForces),
	}
	for _, f := range b.Forces[:len(b.Forces)-s.Weaker] {
		r := RuleForce{Force: f.Force}
		if k := int(f.Row); k < in.Constraints {
			r.Rule, r.Atoms = p.HardRules[p.ConstraintRule[k]].Text, atoms(p, &p.Constraints, k, sol.Y, g)
		} else {
			k -= in.Constraints
			r.Rule, r.Atoms = p.Rules[p.PotentialRule[k]].Text, atoms(p, &p.Potentials, k, sol.Y, g)
			r.Weight = &in.Weights[p.PotentialRule[k]]
		}
		s.Forces = append(s.Forces, r)
	}
	return s
}

const (
	// leastViolation is the amount up to which a hard rule counts as satisfied.
	leastViolation = 1e-6
	// shownUnmet is how many hard rules are named that cannot be met.
	shownUnmet = 5
)

// Unmet names the hard rules that a result does not satisfy, each once and five at most: the
// rules that contradict each other, or the rules that its point breaks by more than 1e-6. g
// holds the network's outputs.
func Unmet(in *lcqp.Instance, r *infer.Result, g []float64) []string {
	p, unmet := in.Program(), []string{}
	add := func(row int) {
		rule := p.HardRules[p.ConstraintRule[row]].Text
		if len(unmet) < shownUnmet && !slices.Contains(unmet, rule) {
			unmet = append(unmet, rule)
		}
	}
	if r.Status == infer.Infeasible {
		for _, row := range r.Certificate.Rows {
			add(int(row))
		}
		return unmet
	}
	for row := range p.Constraints.Len() {
		v := p.Constraints.At(row, r.Y, g)
		if p.Relations[row] == hlmrf.Equal {
			v = math.Abs(v)
		}
		if !(v <= leastViolation) {
			add(row)
		}
	}
	return unmet
}
