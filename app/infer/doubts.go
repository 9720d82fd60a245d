package infer

import (
	"fmt"

	"hinge/symbolic/model"
	"hinge/symbolic/psl"
)

// doubts collects the warnings of a run and prints each once.
type doubts struct {
	list []model.Warning
	seen map[string]bool
	// silent hides those that do not change the answer.
	silent   bool
	progress *progress
}

// add notes a warning.
func (d *doubts) add(w model.Warning) {
	text := w.String()
	if d.seen[text] {
		return
	}
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[text] = true
	d.list = append(d.list, w)
	if !d.silent || w.Loud {
		d.progress.note("infer: warning: " + text)
	}
}

// warn notes a warning without a place.
func (d *doubts) warn(format string, args ...any) {
	d.add(model.Warning{Warning: psl.Warning{Msg: fmt.Sprintf(format, args...)}})
}

// strictError is what -strict makes of warnings.
type strictError struct {
	text string
	// data tells that all of them are about data.
	data bool
}

func (e *strictError) Error() string { return e.text }

// strictly turns warnings into an error.
func (d *doubts) strictly() error {
	if len(d.list) == 0 {
		return nil
	}
	e := &strictError{data: true}
	for _, w := range d.list {
		e.data = e.data && w.Data
	}
	e.text = "-strict: " + count(len(d.list), "warning")
	if d.silent {
		e.text += ", the first: " + d.list[0].String()
	}
	return e
}

// doubt is a warning in JSON.
type doubt struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Changes tells that the answer may be another than the reference system's.
	Changes bool `json:"changes_answer,omitempty"`
}

// listed are the warnings for JSON.
func (d *doubts) listed() []doubt {
	list := make([]doubt, len(d.list))
	for i, w := range d.list {
		list[i] = doubt{w.Pos.File, w.Pos.Line, w.Pos.Col, w.Msg, w.Hint, w.Loud}
	}
	return list
}
