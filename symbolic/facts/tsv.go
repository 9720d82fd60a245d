package facts

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hinge/symbolic/psl"
)

// tsvTable reads a file whose fields are separated by tabs.
type tsvTable struct {
	columns
	file   io.Closer
	lines  *Lines
	most   int      // fields that count though they are empty at the end of a line
	fields []string // of the last line
	ahead  bool     // it has not been delivered
	first  bool     // it is the first row
}

// openTSV opens a file of tab-separated fields for atoms of arity arguments.
func openTSV(s *Source, arity int) (Table, error) {
	f, err := openText(s.Path)
	if err != nil {
		return nil, err
	}
	t := &tsvTable{columns: columns{what: s.Path}, file: f, lines: NewLines(s.Path, f), most: arity, first: true}
	if err := t.read(); err != nil && err != io.EOF {
		f.Close()
		return nil, err
	}
	t.width = len(t.fields)
	t.most = t.width
	if t.ahead = t.width > 0; t.ahead && !s.NoHeader {
		t.names, t.ahead = slices.Clone(t.fields), false
	}
	if s.Columns == nil && t.ahead && t.width != arity && t.width != arity+1 {
		f.Close()
		return nil, t.lines.Fail(-1, fmt.Sprintf("the line has %s, the atom has %s (%s)", psl.Count(t.width, "field"), psl.Count(arity, "argument"), otherFormat(t.lines.Text(), t.width)))
	}
	return t, nil
}

// read reads the next line.
func (t *tsvTable) read() error {
	if err := t.lines.Next(); err != nil {
		return err
	}
	t.fields = t.lines.Fields(t.fields[:0], t.most)
	return nil
}

func (t *tsvTable) Close() error { return t.file.Close() }

func (t *tsvTable) Next(cells []Cell) error {
	if t.width == 0 {
		return io.EOF
	}
	if !t.ahead {
		if err := t.read(); err != nil {
			return err
		}
		t.first = false
	}
	t.ahead = false
	if len(t.fields) != t.width {
		return t.Place(-1, fmt.Sprintf("the line has %s, the first line has %d", psl.Count(len(t.fields), "field"), t.width))
	}
	for i, at := range t.chosen {
		cells[i] = Cell{Text: t.fields[at]}
	}
	return nil
}

func (t *tsvTable) Place(column int, msg string) error {
	if column < 0 {
		return t.lines.Fail(-1, msg)
	}
	if t.first && t.fields[t.chosen[column]] != "" {
		msg += " (if the line is a header, remove it)"
	}
	return t.lines.Fail(t.chosen[column], msg)
}

// otherFormat is a hint for a first line that does not have the fields wanted.
func otherFormat(line string, fields int) string {
	text := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}"):
		return `it looks like JSON: write {"jsonl": PATH, "columns": …} in the model`
	case fields == 1 && strings.Contains(text, ","):
		return `fields are separated by tabs; for CSV write {"csv": PATH} in the model`
	case fields == 1 && strings.ContainsAny(text, ";|"):
		return `fields are separated by tabs; for another separator write {"csv": PATH, "separator": …} in the model`
	}
	return "fields are separated by tabs"
}
