package tables

import (
	"fmt"
	"slices"
	"strings"
)

// Marks of a cell's figure.
const (
	uncommitted = "†" // a run was made by a program that no commit holds
	mixed       = "‡" // the runs were made by commits whose code differs
	unequal     = "§" // of a comparison: its sides were
)

// mark is what a reader should know of where a cell's runs come from.
func (p *page) mark(c *Cell) (text string) {
	if slices.ContainsFunc(p.runs[c], func(r Record) bool { return !r.committed() }) {
		text += uncommitted
	}
	if slices.ContainsFunc(p.runs[c], func(r Record) bool {
		first := &p.runs[c][0]
		return r.Version != first.Version && !p.codes.same(p.t, first, &r)
	}) {
		text += mixed
	}
	return text
}

// versions are those of a cell's runs, in the order of the splits.
func (p *page) versions(c *Cell) (list []string) {
	for i := range p.runs[c] {
		list = append(list, p.runs[c][i].Version)
	}
	return unique(list)
}

// marks explains the marks below the table.
func (p *page) marks() {
	var dirty bool
	var rows []string
	for _, row := range p.t.rows() {
		var cells []string
		for _, column := range p.t.columns() {
			c := p.t.cell(row, column)
			if c == nil {
				continue
			}
			text := p.mark(c)
			dirty = dirty || strings.Contains(text, uncommitted)
			if strings.Contains(text, mixed) {
				cells = append(cells, fmt.Sprintf("%s (%s)", column, strings.Join(p.versions(c), ", ")))
			}
		}
		if cells != nil {
			rows = append(rows, fmt.Sprintf("- %s: %s\n", row, strings.Join(cells, ", ")))
		}
	}
	if dirty {
		p.printf("%s At least one run was made by a program that no commit holds: its source had changes, or is not known.\n\n", uncommitted)
	}
	if rows != nil {
		p.printf("%s Runs by commits that differ in the code that a run goes through:\n\n%s\n", mixed, strings.Join(rows, ""))
	}
}
