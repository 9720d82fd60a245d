package facts

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"hinge/symbolic/psl"
)

// openText opens a file that may be compressed, and reads past its byte order mark.
func openText(path string) (io.ReadCloser, error) {
	if err := lookAt(path, ""); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = Unzip(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	in := bufio.NewReader(r)
	if head, _ := in.Peek(len(mark)); string(head) == mark { // reading says what is wrong
		_, _ = in.Discard(len(mark))
	}
	return struct {
		io.Reader
		io.Closer
	}{in, f}, nil
}

// mark is the byte order mark of UTF-8.
const mark = "\uFEFF"

// csvTable reads a CSV file.
type csvTable struct {
	columns
	file   io.Closer
	reader *csv.Reader
	record []string // the last one
	ahead  bool     // it has not been delivered
}

func openCSV(s *Source) (Table, error) {
	f, err := openText(s.Path)
	if err != nil {
		return nil, err
	}
	t := &csvTable{columns: columns{what: s.Path}, file: f, reader: csv.NewReader(&lineEnds{in: bufio.NewReader(f), quotes: true})}
	t.reader.ReuseRecord, t.reader.FieldsPerRecord = true, -1
	if s.Separator != 0 {
		t.reader.Comma = s.Separator
	}
	if err := t.read(); err != nil && err != io.EOF {
		f.Close()
		return nil, err
	}
	t.width = len(t.record)
	if t.ahead = t.width > 0; t.ahead && !s.NoHeader {
		t.names, t.ahead = slices.Clone(t.record), false
		for i, name := range t.names {
			t.names[i] = strings.TrimSpace(name)
		}
	}
	return t, nil
}

// read reads the next record.
func (t *csvTable) read() (err error) {
	t.record, err = t.reader.Read()
	for i, field := range t.record {
		t.record[i] = strings.ReplaceAll(field, "\xff", "\r") // keptCR
	}
	var parse *csv.ParseError
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.As(err, &parse):
		msg := parse.Err.Error()
		switch {
		case errors.Is(err, csv.ErrBareQuote):
			msg = `a quote in a field that does not begin with one (double it, and put the field in quotes)`
		case errors.Is(err, csv.ErrQuote):
			msg = fmt.Sprintf(`a quoted field that began on line %d does not end before a separator (double the quotes within it)`, parse.StartLine)
		}
		return &Error{Source: t.what, Line: parse.Line, Col: parse.Column, Msg: msg}
	}
	return fmt.Errorf("%s: %w", t.what, err)
}

func (t *csvTable) Close() error { return t.file.Close() }

func (t *csvTable) Select(list []Column) error {
	err := t.columns.Select(list)
	if err != nil && t.width == 1 {
		for _, other := range []string{";", "\t", "|", ","} {
			if strings.Contains(t.record[0], other) || t.names != nil && strings.Contains(t.names[0], other) {
				return fmt.Errorf(`%w; the first line has %q: "separator": %q?`, err, other, other)
			}
		}
	}
	return err
}

func (t *csvTable) Next(cells []Cell) error {
	if t.width == 0 {
		return io.EOF
	}
	if !t.ahead {
		if err := t.read(); err != nil {
			return err
		}
	}
	t.ahead = false
	if len(t.record) != t.width {
		return t.Place(-1, fmt.Sprintf("the row has %s, the first row has %d", psl.Count(len(t.record), "field"), t.width))
	}
	for i, at := range t.chosen {
		text := t.record[at]
		if !utf8.ValidString(text) {
			return t.Place(i, "the field is not UTF-8 text")
		}
		cells[i] = Cell{Text: text}
	}
	return nil
}

func (t *csvTable) Place(column int, msg string) error {
	e := &Error{Source: t.what, Msg: msg}
	if column < 0 {
		e.Line, e.Col = t.reader.FieldPos(0)
		return e
	}
	at := t.chosen[column]
	e.Line, e.Col = t.reader.FieldPos(at)
	if t.names != nil {
		e.Column = t.names[at]
	}
	return e
}
