package model

import (
	"strings"

	"hinge/symbolic/psl"
)

// Error is a mistake in a model file: where it is, what it is and, where there
// is one, a hint how to mend it. Mistakes in rules are a *psl.Error instead.
type Error struct {
	Pos  psl.Pos
	Msg  string
	Hint string
}

// Error returns file:line:col: message (hint) on one line.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Pos.Line > 0 {
		b.WriteString(e.Pos.String() + ": ")
	} else if e.Pos.File != "" {
		b.WriteString(e.Pos.File + ": ")
	}
	b.WriteString(e.Msg)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// DataError is bad or missing data: a file that cannot be read or a row that
// makes no sense. Err has the place.
type DataError struct{ Err error }

// Error returns the text of Err.
func (e *DataError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *DataError) Unwrap() error { return e.Err }
