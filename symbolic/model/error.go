package model

import (
	"errors"
	"fmt"

	"hinge/symbolic/facts"
	"hinge/symbolic/psl"
)

// Error is a mistake in a model file: where it is, what it is and, where there
// is one, a hint how to mend it. Mistakes in rules are a *psl.Error instead.
type Error psl.Warning

// Error returns file:line:col: message (hint) on one line.
func (e *Error) Error() string { return psl.Warning(*e).String() }

// foreign carries an error of another package through a panic.
type foreign struct{ error }

// must stops the reading of a model with err, if there is one.
func must(err error) {
	if err != nil {
		panic(foreign{err})
	}
}

// caught, deferred, returns the mistake that stopped the reading: an *Error, or an error of must.
func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Error:
		*err = r
	case foreign:
		*err = r.error
	default:
		panic(r)
	}
}

// dataFault turns a mistake in a model file into a fault of the data that it names, a *facts.Error
// at the same place.
func dataFault(err error) error {
	var at *Error
	if !errors.As(err, &at) {
		return err
	}
	msg := at.Msg
	if at.Hint != "" {
		msg += " (" + at.Hint + ")"
	}
	return &facts.Error{Source: at.Pos.File, Line: at.Pos.Line, Col: at.Pos.Col, Msg: msg}
}

// Warning is a doubt about a model, its rules or its data.
type Warning struct {
	psl.Warning
	// Loud reports whether the answer may be another than the reference system's: such
	// a warning is shown where others are not wanted.
	Loud bool
	// Data reports whether it is about the data, not about the model or its rules.
	Data bool
}

// warn notes a doubt at a node.
func (l *loader) warn(n *node, hint, format string, args ...any) {
	l.m.Warnings = append(l.m.Warnings, Warning{Warning: psl.Warning{Pos: l.pos(n), Msg: fmt.Sprintf(format, args...), Hint: hint}})
}

// loud is warn for what may change the answer.
func (l *loader) loud(n *node, hint, format string, args ...any) {
	l.warn(n, hint, format, args...)
	l.m.Warnings[len(l.m.Warnings)-1].Loud = true
}

// doubt is warn for warnings about the data.
func (l *loader) doubt(n *node, hint, format string, args ...any) {
	l.warn(n, hint, format, args...)
	l.m.Warnings[len(l.m.Warnings)-1].Data = true
}

// warnAll notes doubts about rules.
func (m *Model) warnAll(list []psl.Warning) {
	for _, w := range list {
		m.Warnings = append(m.Warnings, Warning{Warning: w})
	}
}
