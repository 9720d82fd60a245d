package ground

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Section says what a data file holds.
type Section uint8

const (
	// Observations are atoms with a value, 1 unless written.
	Observations Section = iota
	// Targets are the atoms to infer; a value is read and ignored.
	Targets
	// DeepAtoms are the neural outputs; a value is read and ignored.
	DeepAtoms
	// Truths are the true values of atoms, 1 unless written.
	Truths
)

// maxLine is the longest line of a data file in bytes.
const maxLine = 1 << 20

// DataError is a mistake in a data file.
type DataError struct {
	File      string
	Line, Col int // from 1; columns count characters
	Msg       string
}

// Error returns file:line:col: message.
func (e *DataError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
}

// LoadFile loads a data file; see Load. A file that does not exist is looked
// for with .gz added, and a file named so is decompressed.
func (db *Database) LoadFile(section Section, pred, path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(path, ".gz") {
		if g, gzErr := os.Open(path + ".gz"); gzErr == nil {
			f, err, path = g, nil, path+".gz"
		}
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if !strings.HasSuffix(path, ".gz") {
		return db.Load(section, pred, path, f)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return db.Load(section, pred, path, z)
}

// Load reads atoms of a declared predicate, one a line: the arguments and, in
// files that have it, a value in [0, 1], separated by tabs. Whether there is a
// value is decided by the first line: it has one field more than the predicate
// has arguments. Spaces around fields and blank lines are skipped. A mistake
// is a *DataError; name is the file name in it. Atoms before the mistake stay
// in the database.
func (db *Database) Load(section Section, pred, name string, r io.Reader) error {
	p := db.lookup(pred)
	if p == nil {
		return fmt.Errorf("ground: predicate %s is not declared", pred)
	}
	l := loader{db: db, p: p, section: section, name: name}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), maxLine)
	for in.Scan() {
		l.line++
		if err := l.read(in.Text()); err != nil {
			return err
		}
	}
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &DataError{name, l.line + 1, 1, fmt.Sprintf("the line has more than %d bytes", maxLine)}
	case err != nil:
		return fmt.Errorf("%s: after line %d: %w", name, l.line, err)
	}
	return nil
}

// loader is the state of loading one file.
type loader struct {
	db      *Database
	p       *predicate
	section Section
	name    string
	line    int
	fields  int // per line; 0 before the first
	args    []string
}

// read adds the atom of one line.
func (l *loader) read(line string) error {
	if l.line == 1 {
		line = strings.TrimPrefix(line, "\uFEFF")
	}
	if strings.TrimSpace(line) == "" {
		return nil
	}
	if !utf8.ValidString(line) {
		return l.fail(line, 0, "the line is not UTF-8 text")
	}
	n := strings.Count(line, "\t") + 1
	// Tabs after the last field add nothing.
	for most := max(l.fields, l.p.arity); n > most && strings.HasSuffix(strings.TrimRight(line, " \r"), "\t"); n-- {
		line = line[:strings.LastIndexByte(line, '\t')]
	}
	if l.fields == 0 {
		if n != l.p.arity && n != l.p.arity+1 {
			return l.fail(line, 0, fmt.Sprintf("%s has %d arguments, the line has %d fields (%s)", l.p.name, l.p.arity, n, otherFormat(line, n)))
		}
		l.fields = n
	}
	if n != l.fields {
		return l.fail(line, 0, fmt.Sprintf("the line has %d fields, the first line has %d", n, l.fields))
	}
	value := 1.0
	l.args = l.args[:0]
	for i, at := 0, 0; i < n; i++ {
		end := at + strings.IndexByte(line[at:]+"\t", '\t')
		field := strings.TrimSpace(line[at:end])
		if i < l.p.arity {
			if field == "" {
				return l.fail(line, at, fmt.Sprintf("argument %d is empty", i+1))
			}
			if t := l.p.typeOf(i); t >= Integer {
				if _, ok := t.canonical(field); !ok {
					return l.fail(line, at, t.problem(field)+l.header())
				}
			}
			l.args = append(l.args, field)
		} else {
			v, err := parseValue(field)
			if err != nil || !(v >= 0 && v <= 1) {
				return l.fail(line, at, fmt.Sprintf("the value %q is not a number in [0, 1]", field)+l.header())
			}
			value = v
		}
		at = end + 1
	}
	var err error
	switch l.section {
	case Observations:
		err = l.db.Observe(l.p.name, value, l.args...)
	case Targets:
		_, err = l.db.Target(l.p.name, l.args...)
	case DeepAtoms:
		_, err = l.db.Deep(l.p.name, l.args...)
	default:
		err = l.db.Truth(l.p.name, value, l.args...)
	}
	if err != nil {
		return l.fail(line, 0, strings.TrimPrefix(err.Error(), "ground: "))
	}
	return nil
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

// header is a hint for mistakes on the first line.
func (l *loader) header() string {
	if l.line == 1 {
		return " (if the line is a header, remove it)"
	}
	return ""
}

// parseValue reads a value; like the reference it allows the letter of a
// precision at its end: 0.7f.
func parseValue(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && len(text) > 1 && strings.IndexByte("fFdD", text[len(text)-1]) >= 0 {
		return strconv.ParseFloat(text[:len(text)-1], 64)
	}
	return v, err
}

// fail is an error at a byte offset of the line.
func (l *loader) fail(line string, offset int, msg string) error {
	return &DataError{l.name, l.line, utf8.RuneCountInString(line[:offset]) + 1, msg}
}
