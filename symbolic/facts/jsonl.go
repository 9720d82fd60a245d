package facts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// jsonlTable reads a file with a JSON value a line.
type jsonlTable struct {
	file    io.Closer
	lines   *Lines
	columns []Column
	width   int  // of the first row, if it is a list
	all     bool // all elements of a list are read, as no columns are named
	row     any
	ahead   bool
}

func openJSONL(s *Source) (Table, error) {
	f, err := openText(s.Path)
	if err != nil {
		return nil, err
	}
	t := &jsonlTable{file: f, lines: NewLines(s.Path, f), all: len(s.Columns) == 0}
	if err := t.read(); err != nil && err != io.EOF {
		f.Close()
		return nil, err
	}
	t.ahead = t.row != nil
	if list, ok := t.row.([]any); ok {
		t.width = len(list)
	}
	return t, nil
}

// read reads the next line that is not blank.
func (t *jsonlTable) read() error {
	t.row = nil
	if err := t.lines.Next(); err != nil {
		return err
	}
	text := strings.TrimSpace(t.lines.Text())
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err := d.Decode(&t.row)
	if err == nil && d.InputOffset() < int64(len(text)) {
		err = errors.New("there is more behind the value: want one JSON object or list a line")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the value does not end on its line: want one JSON object or list a line")
	}
	if err != nil {
		return t.Place(-1, err.Error())
	}
	if keysOf(t.row) != colons(text) {
		key, _ := twice(json.NewDecoder(strings.NewReader(text)))
		return t.Place(-1, fmt.Sprintf("the key %s is twice in an object", Show(key)))
	}
	switch t.row.(type) {
	case map[string]any, []any:
		return nil
	}
	return t.Place(-1, "want a JSON object or list")
}

// keysOf counts the keys of all objects in a value, and colons those of its text, which has more where
// an object has a key twice.
func keysOf(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		n = len(v)
		for _, inner := range v {
			n += keysOf(inner)
		}
	case []any:
		for _, inner := range v {
			n += keysOf(inner)
		}
	}
	return n
}

func colons(text string) (n int) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			quoted = !quoted
		case ':':
			if !quoted {
				n++
			}
		}
	}
	return n
}

// twice returns the first key that an object of the next value has twice.
func twice(d *json.Decoder) (key string, found bool) {
	begin, _ := d.Token()
	if begin != json.Delim('{') && begin != json.Delim('[') {
		return "", false
	}
	for seen := map[string]bool{}; d.More(); seen[key] = true {
		if begin == json.Delim('{') {
			token, _ := d.Token()
			if key, _ = token.(string); seen[key] {
				return key, true
			}
		}
		if inner, found := twice(d); found {
			return inner, true
		}
	}
	_, _ = d.Token() // the end
	return "", false
}

func (t *jsonlTable) Columns() []string { return nil }
func (t *jsonlTable) Width() int        { return t.width }
func (t *jsonlTable) Close() error      { return t.file.Close() }

func (t *jsonlTable) Select(columns []Column) error {
	t.columns = columns
	return nil
}

func (t *jsonlTable) Next(cells []Cell) error {
	if !t.ahead {
		if err := t.read(); err != nil {
			return err
		}
	}
	t.ahead = false
	if list, ok := t.row.([]any); ok && t.all && len(list) > t.width {
		return t.Place(-1, fmt.Sprintf("the list has %d elements, that of the first row has %d", len(list), t.width))
	}
	for i, c := range t.columns {
		v, err := t.find(c)
		if err != nil {
			return t.Place(i, err.Error())
		}
		switch v := v.(type) {
		case nil:
			cells[i] = Cell{Null: true}
		case noKey:
			cells[i] = Cell{Null: true, Why: v.String}
		case string:
			cells[i] = Cell{Text: v}
		case json.Number:
			cells[i] = Cell{Text: v.String()}
			if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
				cells[i].Text = FormatFloat(f, 64)
			}
		case bool:
			cells[i] = Cell{Text: strconv.FormatBool(v)}
		default:
			return t.Place(i, "want a text, a number or a truth value, not a list or an object")
		}
	}
	return nil
}

// noKey is the result of find for an object without the key.
type noKey struct {
	key    string
	object map[string]any
}

func (n noKey) String() string {
	names := slices.Sorted(maps.Keys(n.object))
	return fmt.Sprintf("the object has no key %s (%s)", Show(n.key), suggest(n.key, names, 0))
}

// find looks a column up in the row; nil is null.
func (t *jsonlTable) find(c Column) (any, error) {
	if c.Number > 0 {
		list, ok := t.row.([]any)
		if !ok || c.Number > len(list) {
			return nil, fmt.Errorf("want a list with at least %d elements", c.Number)
		}
		return list[c.Number-1], nil
	}
	at, rest := t.row, c.Name
	for {
		object, ok := at.(map[string]any)
		if !ok {
			if at == nil {
				return nil, nil
			}
			return nil, errors.New("want an object with names (a list has numbers)")
		}
		if v, ok := object[rest]; ok {
			return v, nil
		}
		first, more, nested := strings.Cut(rest, ".")
		inner, ok := object[first]
		if !nested || !ok {
			return noKey{rest, object}, nil
		}
		at, rest = inner, more
	}
}

func (t *jsonlTable) Place(column int, msg string) error {
	e := t.lines.Fail(-1, msg)
	if column >= 0 {
		e.Column = t.columns[column].String()
	}
	return e
}
