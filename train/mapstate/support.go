package mapstate

import (
	"slices"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// Certificate shows how close an answer is to the exact MAP state.
type Certificate struct {
	// Status is how the solve ended, in words.
	Status string `json:"status"`
	// Judgement is nil where hard rules contradict each other.
	*Judgement
	// Unmet are the hard rules that no answer satisfies given the network's beliefs, or that
	// this answer breaks; empty if the answer satisfies all.
	Unmet []string `json:"unmet"`
}

// Judgement has the errors of a MAP state.
type Judgement struct {
	// Gap is |primal − dual| of the regularised program and Residual the largest residual
	// of its optimality conditions, both by lcqp.Residuals, which shares nothing with the
	// solver. Violation is the largest amount by which the MAP state breaks a hard rule.
	Gap       float64 `json:"gap"`
	Residual  float64 `json:"residual"`
	Violation float64 `json:"violation"`
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

// NewSupport weighs what holds a target at its value in a solution of an instance. g holds the
// network's outputs.
func NewSupport(in *lcqp.Instance, sol *lcqp.Solution, g []float64, target int) Support {
	p := in.Program()
	b := lcqp.Forces(in, sol, target)
	s := Support{
		AtomValue: AtomValue{p.Targets[target], sol.Y[target]}, Up: b.Up, Down: b.Down, Bound: b.Bound,
		Forces: []RuleForce{}, Weaker: max(0, len(b.Forces)-shownForces),
	}
	for _, f := range b.Forces[:len(b.Forces)-s.Weaker] {
		rule, rows, at := p.RowAt(int(f.Row))
		r := RuleForce{Force: f.Force, Rule: rule.Text, Atoms: atoms(p, rows, at, sol.Y, g)}
		if int(f.Row) >= in.Constraints {
			r.Weight = &in.Weights[p.PotentialRule[at]]
		}
		s.Forces = append(s.Forces, r)
	}
	return s
}

// leastViolation is the amount up to which a hard rule counts as satisfied.
const leastViolation = 1e-6

// Unmet names the hard rules that a result does not satisfy, each once: rules that contradict each
// other, none of which can be left out (infer.Irreducible), or the rules that its point breaks by
// more than 1e-6. g holds the network's outputs.
func Unmet(in *lcqp.Instance, r *infer.Result, g []float64) []string {
	p, unmet := in.Program(), []string{}
	add := func(row int) {
		rule := p.HardRules[p.ConstraintRule[row]].Text
		if !slices.Contains(unmet, rule) {
			unmet = append(unmet, rule)
		}
	}
	if r.Status == infer.Infeasible {
		for _, row := range infer.Irreducible(in, r.Certificate) {
			add(int(row))
		}
		return unmet
	}
	for row := range p.Constraints.Len() {
		if !(p.Excess(row, r.Y, g) <= leastViolation) {
			add(row)
		}
	}
	return unmet
}
