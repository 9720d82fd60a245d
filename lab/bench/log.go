package bench

import (
	"hinge/data/jsonl"
	"hinge/lab/lines"
)

// Log is a file of rows, one JSON object a line, only ever appended to.
type Log struct {
	path string
	rows []Row
}

// OpenLog reads a log; a file that does not exist is an empty one. An
// incomplete last line, as an interruption leaves it, is skipped. Other
// mistakes are errors that name the line.
func OpenLog(path string) (*Log, error) {
	rows, err := jsonl.Read[Row](path)
	if err != nil {
		return nil, err
	}
	return &Log{path: path, rows: rows}, nil
}

// Append writes a row behind the others, on a line of its own even after an
// incomplete one.
func (l *Log) Append(r Row) error {
	if err := lines.Append(l.path, r); err != nil {
		return err
	}
	l.rows = append(l.rows, r)
	return nil
}

// Latest returns the last row of each cell, in the order in which the cells
// were first measured.
func (l *Log) Latest() []Row {
	at := map[Cell]int{}
	var list []Row
	for _, r := range l.rows {
		if i, ok := at[r.Cell]; ok {
			list[i] = r
			continue
		}
		at[r.Cell] = len(list)
		list = append(list, r)
	}
	return list
}

// find returns the last row of a cell that was measured by a program with a
// limit of at least limit seconds, or that needed less.
func (l *Log) find(c Cell, build string, limit float64) (Row, bool) {
	for i := len(l.rows) - 1; i >= 0; i-- {
		r := &l.rows[i]
		if r.Cell == c && r.Build == build && (!r.Limited() || r.Limit >= limit) {
			return *r, true
		}
	}
	return Row{}, false
}
