package problem

import (
	"fmt"
	"slices"

	"hinge/app/cli"
	"hinge/app/watch"
	"hinge/symbolic/model"
	"hinge/symbolic/psl"
	"hinge/train/exit"
)

// Warnings collects the warnings of a run and prints each once.
type Warnings struct {
	List []model.Warning
	// Untold is for a rank whose warnings rank 0 has, too, and prints, as it writes the results.
	Untold bool
	seen   map[string]bool
	// silent hides the warnings that do not change the answer.
	silent   bool
	progress *watch.Progress
}

// Add notes a warning.
func (s *Warnings) Add(w model.Warning) {
	text := w.String()
	if s.seen[text] {
		return
	}
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[text] = true
	s.List = append(s.List, w)
	if !s.Untold && (!s.silent || w.Loud) {
		s.progress.Note("infer: warning: " + text)
	}
}

// Warn notes a warning without a place.
func (s *Warnings) Warn(format string, args ...any) {
	s.Add(model.Warning{Warning: psl.Warning{Msg: fmt.Sprintf(format, args...)}})
}

// Strictly turns warnings into an error, of the exit code Data where all are about data.
func (s *Warnings) Strictly() error {
	if len(s.List) == 0 {
		return nil
	}
	e := &cli.CodeError{Code: exit.Data, Text: "-strict: " + psl.Count(len(s.List), "warning")}
	if slices.ContainsFunc(s.List, func(w model.Warning) bool { return !w.Data }) {
		e.Code = exit.Usage
	}
	if s.silent || s.Untold {
		e.Text += ", the first: " + s.List[0].String()
	}
	return e
}

// Warning is a warning in JSON.
type Warning struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Changes means that the answer may be another than the reference system's.
	Changes bool `json:"changes_answer,omitempty"`
}

// Listed are the warnings for JSON.
func (s *Warnings) Listed() []Warning {
	list := make([]Warning, len(s.List))
	for i, w := range s.List {
		list[i] = Warning{w.Pos.File, w.Pos.Line, w.Pos.Col, w.Msg, w.Hint, w.Loud}
	}
	return list
}

// WarnAbout warns of targets and rules that have no part in the answer. With -strict all
// warnings so far are an error.
func (c *Session) WarnAbout(p *Problem) error {
	for _, w := range p.Idle(p.Program) {
		c.Add(w)
	}
	if c.Strict {
		return c.Strictly()
	}
	return nil
}
