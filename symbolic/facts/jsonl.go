package facts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"hinge/symbolic/psl"
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
		err = errors.New("there is more behind the value")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the value does not end on its line")
	}
	if NotFinite([]byte(text), err) >= 0 {
		err = errors.New("JSON has no numbers NaN and Infinity: write a finite number, or leave the row out")
	} else if err != nil {
		err = fmt.Errorf("%w: want one JSON object or list a line", err)
	} else {
		err = Unclear([]byte(text), nil)
	}
	if err != nil {
		return t.Place(-1, err.Error())
	}
	switch t.row.(type) {
	case map[string]any, []any:
		return nil
	}
	return t.Place(-1, "want a JSON object or list")
}

// NotFinite returns the offset of the NaN or infinity for which package encoding/json refused a text with the error
// err, or -1 if it had another reason.
func NotFinite(text []byte, err error) int {
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		at := max(int(wrong.Offset)-1, 0)
		if bytes.HasPrefix(text[at:], []byte("NaN")) || bytes.HasPrefix(text[at:], []byte("Infinity")) {
			return at
		}
	}
	return -1
}

// Unclear returns an error about what package encoding/json reads in a way of its own: a key that an object has twice, half
// a pair of surrogates and bytes that are no UTF-8. The text is known to be valid JSON. Names are the keys of the object and
// of those in its lists; there such a key in other letters, which the package takes for it, is an error too.
func Unclear(text []byte, names []string) error {
	if !utf8.Valid(text) {
		return errors.New("the text is not UTF-8")
	}
	var open []map[string]bool // the keys of the objects and lists around, from the outermost
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			open = append(open, nil)
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			begin := i
			for i++; text[i] != '"'; i++ {
				first := escaped(text[i:])
				switch {
				case text[i] != '\\':
				case !utf16.IsSurrogate(first):
					i++
				case utf16.DecodeRune(first, escaped(text[i+6:])) == unicode.ReplacementChar:
					return fmt.Errorf("%s is half a pair of surrogates, which is no character", text[i:i+6])
				default:
					i += 11
				}
			}
			if !bytes.HasPrefix(bytes.TrimLeft(text[i+1:], " \t\r\n"), []byte(":")) {
				continue
			}
			key := string(text[begin+1 : i])
			if strings.Contains(key, `\`) {
				_ = json.Unmarshal(text[begin:i+1], &key)
			}
			same := func(name string) bool { return strings.EqualFold(name, key) }
			if at := slices.IndexFunc(names, same); at >= 0 && names[at] != key && len(open)%2 == 1 {
				return fmt.Errorf("there is no key %s, want %s", Show(key), names[at])
			}
			keys := &open[len(open)-1]
			if *keys == nil {
				*keys = make(map[string]bool)
			}
			if (*keys)[key] {
				return fmt.Errorf("the key %s is twice in an object", Show(key))
			}
			(*keys)[key] = true
		}
	}
	return nil
}

// escaped returns the character whose number in JSON a text begins with, 0 where it begins otherwise.
func escaped(text []byte) rune {
	if !bytes.HasPrefix(text, []byte(`\u`)) {
		return 0
	}
	r, _ := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(r)
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
		return t.Place(-1, fmt.Sprintf("the list has %s, that of the first row has %d", psl.Count(len(list), "element"), t.width))
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
			if f, err := v.Float64(); err == nil && (f == 0 || strings.ContainsAny(v.String(), ".eE")) { // -0 is 0
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
			return nil, fmt.Errorf("want a list with at least %s", psl.Count(c.Number, "element"))
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
