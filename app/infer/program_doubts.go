package infer

import (
	"fmt"
	"slices"

	"hinge/symbolic/model"
	"hinge/symbolic/psl"
)

// doubtProgram looks for targets and rules of the ground program that have no
// part in the answer.
func (j *job) doubtProgram() {
	j.doubtTargets()
	j.doubtRules()
}

// doubtTargets finds targets in no ground rule: nothing determines them.
func (j *job) doubtTargets() {
	seen := make([]bool, len(j.program.Targets))
	for _, c := range j.program.Potentials.Col {
		seen[c] = true
	}
	for _, c := range j.program.Constraints.Col {
		seen[c] = true
	}
	type missing struct {
		n     int
		first string
	}
	of := map[string]*missing{}
	for i, ok := range seen {
		if ok {
			continue
		}
		name, _ := j.m.Data.TargetAtom(i)
		if of[name] == nil {
			of[name] = &missing{first: j.program.Targets[i]}
		}
		of[name].n++
	}
	for _, p := range j.m.Data.Predicates() {
		if x := of[p.Name]; x != nil {
			j.add(model.Warning{Data: true, Warning: psl.Warning{Pos: psl.Pos{File: j.m.File},
				Msg:  fmt.Sprintf("%d of the %d targets of %s are in no ground rule and get the value 0, the first is %s", x.n, p.Targets, p.Name, x.first),
				Hint: "remove them, or add a prior such as 0.01: !" + p.Name + "(...)"}})
		}
	}
}

// doubtRules finds soft rules whose weights cannot matter: no values of the
// targets break them, or none change how much they are broken.
func (j *job) doubtRules() {
	p := j.program
	ground, matters := make([]bool, len(p.Rules)), make([]bool, len(p.Rules))
	for k, r := range p.PotentialRule {
		ground[r] = true
		if matters[r] {
			continue
		}
		col, val := p.Potentials.Row(k)
		most := p.Potentials.Const[k]
		_, deep := p.Potentials.DeepRow(k)
		for _, v := range slices.Concat(val, deep) {
			most += max(v, 0)
		}
		matters[r] = len(col) > 0 && most > 0
	}
	for i, r := range p.Rules {
		pos := j.place(r.Source)
		switch {
		case r.Weight == 0:
			j.add(model.Warning{Warning: psl.Warning{Pos: pos, Msg: "the weight of the rule is 0", Hint: "remove the rule, or give it a weight"}})
		case ground[i] && !matters[i]:
			j.add(model.Warning{Warning: psl.Warning{Pos: pos, Msg: "the weight of the rule cannot matter: no values of the targets break it, or all break it alike",
				Hint: "check its coefficients and constants"}})
		}
	}
}

// place finds a rule by the text of its place.
func (j *job) place(source string) psl.Pos {
	for _, r := range j.m.Rules.Rules {
		if r.Pos.String() == source {
			return r.Pos
		}
	}
	return psl.Pos{File: source}
}
