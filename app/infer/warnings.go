package infer

import (
	"fmt"
	"slices"

	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/exit"
)

// warnings collects the warnings of a run and prints each once.
type warnings struct {
	list []model.Warning
	seen map[string]bool
	// silent hides the warnings that do not change the answer.
	silent   bool
	progress *progress
}

// add notes a warning.
func (s *warnings) add(w model.Warning) {
	text := w.String()
	if s.seen[text] {
		return
	}
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[text] = true
	s.list = append(s.list, w)
	if !s.silent || w.Loud {
		s.progress.note("infer: warning: " + text)
	}
}

// warn notes a warning without a place.
func (s *warnings) warn(format string, args ...any) {
	s.add(model.Warning{Warning: psl.Warning{Msg: fmt.Sprintf(format, args...)}})
}

// strictly turns warnings into an error, of the exit code Data where all are about data.
func (s *warnings) strictly() error {
	if len(s.list) == 0 {
		return nil
	}
	e := &codeError{exit.Data, "-strict: " + count(len(s.list), "warning")}
	if slices.ContainsFunc(s.list, func(w model.Warning) bool { return !w.Data }) {
		e.code = exit.Usage
	}
	if s.silent {
		e.text += ", the first: " + s.list[0].String()
	}
	return e
}

// warning is a warning in JSON.
type warning struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Changes means that the answer may be another than the reference system's.
	Changes bool `json:"changes_answer,omitempty"`
}

// listed are the warnings for JSON.
func (s *warnings) listed() []warning {
	list := make([]warning, len(s.list))
	for i, w := range s.list {
		list[i] = warning{w.Pos.File, w.Pos.Line, w.Pos.Col, w.Msg, w.Hint, w.Loud}
	}
	return list
}

// warnAbout warns of targets and rules that have no part in the answer. With -strict all
// warnings so far are an error.
func (c *command) warnAbout(p *problem) error {
	for _, w := range slices.Concat(p.idleTargets(), p.idleRules()) {
		c.add(w)
	}
	if c.strict {
		return c.strictly()
	}
	return nil
}

// idleTargets finds targets in no ground rule: nothing determines them.
func (p *problem) idleTargets() (list []model.Warning) {
	seen := make([]bool, len(p.program.Targets))
	for _, columns := range [][]int32{p.program.Potentials.Col, p.program.Constraints.Col} {
		for _, c := range columns {
			seen[c] = true
		}
	}
	idle := map[string][]int{}
	for i, ok := range seen {
		if !ok {
			name, _ := p.Data.TargetAtom(i)
			idle[name] = append(idle[name], i)
		}
	}
	for _, predicate := range p.Data.Predicates() {
		if targets := idle[predicate.Name]; targets != nil {
			list = append(list, model.Warning{Data: true, Warning: psl.Warning{Pos: psl.Pos{File: p.File},
				Msg: fmt.Sprintf("%d of the %d targets of %s are in no ground rule and get the value that -ties names, 0 by default; the first is %s",
					len(targets), predicate.Targets, predicate.Name, p.program.Targets[targets[0]]),
				Hint: "remove them, or add a prior such as 0.01: !" + predicate.Name + "(...)"}})
		}
	}
	return list
}

// idleRules finds soft rules whose weights cannot matter: no values of the
// targets break them, or none change how much they are broken.
func (p *problem) idleRules() (list []model.Warning) {
	rows := &p.program.Potentials
	ground, matters := make([]bool, len(p.program.Rules)), make([]bool, len(p.program.Rules))
	for k, r := range p.program.PotentialRule {
		ground[r] = true
		if matters[r] {
			continue
		}
		col, val := rows.Row(k)
		_, deep := rows.DeepRow(k)
		most := rows.Const[k]
		for _, v := range slices.Concat(val, deep) {
			most += max(v, 0)
		}
		matters[r] = len(col) > 0 && most > 0
	}
	for i, r := range p.program.Rules {
		w := psl.Warning{Pos: p.place(r.Source)}
		switch {
		case r.Weight == 0:
			w.Msg, w.Hint = "the weight of the rule is 0", "remove the rule, or give it a weight"
		case ground[i] && !matters[i]:
			w.Msg, w.Hint = "the weight of the rule cannot matter: no values of the targets break it, or all break it alike", "check its coefficients and constants"
		default:
			continue
		}
		list = append(list, model.Warning{Warning: w})
	}
	return list
}

// place finds a rule by the text of its place.
func (in *input) place(source string) psl.Pos {
	for _, r := range in.Rules.Rules {
		if r.Pos.String() == source {
			return r.Pos
		}
	}
	return psl.Pos{File: source}
}
