package infer

import (
	"fmt"
	"slices"

	"hinge/app/cli"
	"hinge/app/watch"
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
	progress *watch.Progress
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
		s.progress.Note("infer: warning: " + text)
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
	e := &cli.CodeError{Code: exit.Data, Text: "-strict: " + cli.Count(len(s.list), "warning")}
	if slices.ContainsFunc(s.list, func(w model.Warning) bool { return !w.Data }) {
		e.Code = exit.Usage
	}
	if s.silent {
		e.Text += ", the first: " + s.list[0].String()
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
	for _, w := range p.Idle(p.program) {
		c.add(w)
	}
	if c.strict {
		return c.strictly()
	}
	return nil
}
