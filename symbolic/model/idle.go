package model

import (
	"fmt"
	"slices"

	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/psl"
)

// Grounded returns the warnings about the grounding of a rule: that it has no row, or that it
// divides by a number of values that is 0.
func Grounded(s ground.RuleStats) (list []Warning) {
	add := func(msg, hint string) {
		list = append(list, Warning{Data: true, Warning: psl.Warning{Pos: s.Pos, Msg: msg, Hint: hint}})
	}
	if s.Empty != "" {
		add("the rule has no grounding: "+s.Empty, s.Hint)
	}
	if s.Undefined > 0 {
		add(fmt.Sprintf("a number of values |...| that the rule divides by is 0 in %d of its groundings: the sum counts as 0 there, and is an error in the reference system", s.Undefined),
			"divide by @Max[1, |...|] if that is meant, else check the data of the sum and its filter")
	}
	return list
}

// Idle returns the warnings about the targets and the rules of a ground program that have no part
// in its answer.
func (m *Model) Idle(program *hlmrf.Program) []Warning {
	return slices.Concat(m.idleTargets(program), m.idleRules(program))
}

// idleTargets finds targets in no ground rule: nothing determines them.
func (m *Model) idleTargets(program *hlmrf.Program) (list []Warning) {
	seen := make([]bool, len(program.Targets))
	for _, columns := range [][]int32{program.Potentials.Col, program.Constraints.Col} {
		for _, c := range columns {
			seen[c] = true
		}
	}
	idle := map[string][]int{}
	for i, ok := range seen {
		if !ok {
			name, _ := m.Data.TargetAtom(i)
			idle[name] = append(idle[name], i)
		}
	}
	for _, predicate := range m.Data.Predicates() {
		if targets := idle[predicate.Name]; targets != nil {
			list = append(list, Warning{Data: true, Warning: psl.Warning{Pos: psl.Pos{File: m.File},
				Msg: fmt.Sprintf("no ground rule holds %d of the %d targets of %s, and the value there is 0, or in infer the one that -ties names; the first is %s",
					len(targets), predicate.Targets, predicate.Name, program.Targets[targets[0]]),
				Hint: "remove them, or add a prior such as 0.01: !" + predicate.Name + "(...)"}})
		}
	}
	return list
}

// idleRules finds soft rules whose weights cannot matter: no values of targets and outputs break
// them, or none change how much they are broken.
func (m *Model) idleRules(program *hlmrf.Program) (list []Warning) {
	rows := &program.Potentials
	ground, matters := make([]bool, len(program.Rules)), make([]bool, len(program.Rules))
	for k, r := range program.PotentialRule {
		ground[r] = true
		if matters[r] {
			continue
		}
		_, val := rows.Row(k)
		_, deep := rows.DeepRow(k)
		most := rows.Const[k]
		for _, v := range slices.Concat(val, deep) {
			most += max(v, 0)
		}
		matters[r] = len(val)+len(deep) > 0 && most > 0
	}
	places := make(map[string]psl.Pos, len(m.Rules.Rules))
	for _, r := range m.Rules.Rules {
		places[r.Pos.String()] = r.Pos
	}
	for i, r := range program.Rules {
		w := psl.Warning{Pos: places[r.Source]}
		switch {
		case r.Weight == 0:
			w.Msg, w.Hint = "the weight of the rule is 0", "remove the rule, or give it a weight"
		case ground[i] && !matters[i]:
			w.Msg, w.Hint = "the weight of the rule cannot matter: no values of the targets break it, or all break it alike", "check its coefficients and constants"
		default:
			continue
		}
		list = append(list, Warning{Warning: w})
	}
	return list
}
