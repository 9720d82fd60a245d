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
	return m.IdleOf(program.Rules, m.Uses(program, nil))
}

// Uses tells by numbers 1 and 0 what a ground program uses: first each target of the data, whether a row has it, then each
// soft rule, whether it has a row, then each soft rule again, whether its weight matters to a row. For a part of a program,
// numbers are its targets' numbers in the whole; nil stands for a whole program. Where sums of the parts' Uses are above 0,
// the whole uses it.
func (m *Model) Uses(program *hlmrf.Program, numbers []int32) []float64 {
	uses := make([]float64, m.Data.Targets()+2*len(program.Rules))
	for _, columns := range [][]int32{program.Potentials.Col, program.Constraints.Col} {
		for _, c := range columns {
			if numbers != nil {
				c = numbers[c]
			}
			uses[c] = 1
		}
	}
	rows := &program.Potentials
	ground, matters := m.rulesOf(uses)
	for k, r := range program.PotentialRule {
		ground[r] = 1
		if matters[r] > 0 {
			continue
		}
		_, val := rows.Row(k)
		_, deep := rows.DeepRow(k)
		most := rows.Const[k]
		for _, v := range slices.Concat(val, deep) {
			most += max(v, 0)
		}
		if len(val)+len(deep) > 0 && most > 0 {
			matters[r] = 1
		}
	}
	return uses
}

// rulesOf returns what uses holds of the rules: which have a row, and whose weights matter.
func (m *Model) rulesOf(uses []float64) (ground, matters []float64) {
	uses = uses[m.Data.Targets():]
	return uses[:len(uses)/2], uses[len(uses)/2:]
}

// IdleOf is Idle for the Uses of a program, or for sums of those of its parts. It returns the warnings about targets
// in no ground rule, which nothing determines, and about soft rules whose weights cannot matter: no values of targets and outputs break them, or none change how much they are broken.
func (m *Model) IdleOf(rules []hlmrf.Rule, uses []float64) (list []Warning) {
	idle := map[string][]int{}
	for i, n := range uses[:m.Data.Targets()] {
		if n == 0 {
			name, _ := m.Data.TargetAtom(i)
			idle[name] = append(idle[name], i)
		}
	}
	for _, predicate := range m.Data.Predicates() {
		if targets := idle[predicate.Name]; targets != nil {
			list = append(list, Warning{Data: true, Warning: psl.Warning{Pos: psl.Pos{File: m.File},
				Msg: fmt.Sprintf("no ground rule holds %d of the %d targets of %s, and the value there is 0, or in infer the one that -ties names; the first is %s",
					len(targets), predicate.Targets, predicate.Name, m.Data.TargetName(targets[0])),
				Hint: "remove them, or add a prior such as 0.01: !" + predicate.Name + "(...)"}})
		}
	}
	places := make(map[string]psl.Pos, len(m.Rules.Rules))
	for _, r := range m.Rules.Rules {
		places[r.Pos.String()] = r.Pos
	}
	ground, matters := m.rulesOf(uses)
	for i, r := range rules {
		w := psl.Warning{Pos: places[r.Source]}
		switch {
		case r.Weight == 0:
			w.Msg, w.Hint = "the weight of the rule is 0", "remove the rule, or give it a weight"
		case ground[i] > 0 && matters[i] == 0:
			w.Msg, w.Hint = "the weight of the rule cannot matter: no values of the targets break it, or all break it alike", "check its coefficients and constants"
		default:
			continue
		}
		list = append(list, Warning{Warning: w})
	}
	return list
}
