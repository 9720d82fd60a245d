package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	l := &Log{path: path}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	var broken error
	for n := 1; in.Scan(); n++ {
		if broken != nil {
			return nil, broken
		}
		if len(in.Bytes()) == 0 {
			continue
		}
		var r Row
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			broken = fmt.Errorf("%s:%d: %w", path, n, err)
			continue
		}
		l.rows = append(l.rows, r)
	}
	return l, in.Err()
}

// Append writes a row behind the others, on a line of its own even after an
// incomplete one.
func (l *Log) Append(r Row) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	if err := l.write(f, append(text, '\n')); err != nil {
		f.Close()
		return err
	}
	l.rows = append(l.rows, r)
	return f.Close()
}

// write cuts off an incomplete last line and appends.
func (l *Log) write(f *os.File, line []byte) error {
	end, err := f.Seek(0, 2)
	if err != nil {
		return err
	}
	last := make([]byte, 1)
	for ; end > 0; end-- {
		if _, err := f.ReadAt(last, end-1); err != nil {
			return err
		}
		if last[0] == '\n' {
			break
		}
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	_, err = f.WriteAt(line, end)
	return err
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
