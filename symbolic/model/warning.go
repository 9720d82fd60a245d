package model

import (
	"fmt"

	"hinge/symbolic/psl"
)

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
