package facts

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"hinge/symbolic/psl"
)

// Destination is where results go: a file, or a table of a database.
type Destination struct {
	shown string
	// path and format describe a file; for a database address and table are set instead.
	path, format string
	address      *Address
	table        string
}

// Atom is a result: the name of a predicate, the arguments and the value.
type Atom struct {
	Predicate string
	Args      []string
	Value     float64
}

// check returns an error if results with at most arity arguments cannot hold the atom.
func (a *Atom) check(arity int) error {
	if len(a.Args) > arity || math.IsNaN(a.Value) || math.IsInf(a.Value, 0) {
		return fmt.Errorf("facts: %s has %s and the value %v; results have at most %d and finite values", a.Predicate, psl.Count(len(a.Args), "argument"), a.Value, arity)
	}
	return nil
}

// Writer takes results. Nothing of them is seen by others before Commit; Abort, which does
// nothing after Commit, leaves everything as it was.
type Writer interface {
	Write(a *Atom) error
	Commit() error
	Abort()
}

// Ends lists the endings that the names of files for results may have.
var Ends = []string{".csv", ".csv.gz", ".jsonl", ".jsonl.gz", ".parquet"}

// ParseDestination reads FILE.csv, FILE.jsonl, FILE.parquet, or ADDRESS#TABLE. It returns nil
// for any other text, such as the name of a folder.
func ParseDestination(text string) (*Destination, error) {
	if IsAddress(text) {
		at := strings.LastIndexByte(text, '#')
		if at < 0 {
			at = len(text)
		}
		a, err := ParseAddress(text[:at])
		if err != nil {
			return nil, err
		}
		if at+1 >= len(text) {
			return nil, fmt.Errorf("%s names no table: write %s#TABLE", a, a)
		}
		return &Destination{shown: text, address: a, table: text[at+1:]}, nil
	}
	for _, end := range Ends {
		if strings.HasSuffix(strings.ToLower(text), end) {
			return &Destination{shown: text, path: text, format: end}, nil
		}
	}
	return nil, nil
}

// String returns the destination as written.
func (d *Destination) String() string { return d.shown }

// Columns are the columns of results with at most arity arguments: predicate, arg1, arg2, …,
// value.
func Columns(arity int) []string {
	list := []string{"predicate"}
	for i := range arity {
		list = append(list, "arg"+strconv.Itoa(i+1))
	}
	return append(list, "value")
}

// Check finds out whether results with at most arity arguments can be written, and leaves
// everything as it was.
func (d *Destination) Check(ctx context.Context, arity int) error {
	w, err := d.Create(ctx, arity)
	if err == nil {
		w.Abort()
	}
	return err
}

// Create begins to write results with at most arity arguments.
func (d *Destination) Create(ctx context.Context, arity int) (Writer, error) {
	if d.address != nil {
		return createTable(ctx, d, arity)
	}
	if d.format == ".parquet" && createParquet == nil {
		return nil, missing("Parquet files")
	}
	f, err := temporary(d.path)
	if err != nil {
		return nil, err
	}
	w := &fileWriter{path: d.path, file: f, arity: arity}
	switch kind, packed := strings.CutSuffix(d.format, ".gz"); {
	case kind == ".parquet":
		w.rows, err = createParquet(f, arity)
	default:
		var to io.Writer = f
		if packed {
			w.zip = gzip.NewWriter(f)
			to = w.zip
		}
		if kind == ".csv" {
			rows := &csvRows{csv.NewWriter(to), make([]string, arity+2)}
			w.rows, err = rows, rows.w.Write(Columns(arity))
		} else {
			w.rows = &jsonRows{w: bufio.NewWriter(to)}
		}
	}
	if err != nil {
		w.Abort()
		return nil, fmt.Errorf("%s: %w", d, err)
	}
	return w, nil
}

// Rows writes the rows of a file; Close ends it and leaves the file open.
type Rows interface {
	Write(a *Atom) error
	Close() error
}

// fileWriter writes a file beside its place.
type fileWriter struct {
	path string
	file *os.File
	zip  *gzip.Writer
	rows Rows
	// arity is the largest number of arguments.
	arity int
	done  bool
}

func (w *fileWriter) Write(a *Atom) error {
	if err := a.check(w.arity); err != nil {
		return err
	}
	return w.rows.Write(a)
}

func (w *fileWriter) Commit() error {
	err := w.rows.Close()
	if w.zip != nil {
		err = errors.Join(err, w.zip.Close())
	}
	w.done = true
	return place(w.file, w.path, errors.Join(err, w.file.Sync()))
}

func (w *fileWriter) Abort() {
	if !w.done {
		w.file.Close()
		_ = os.Remove(w.file.Name()) // what remains is only untidy
	}
}

// csvRows writes CSV.
type csvRows struct {
	w      *csv.Writer
	fields []string
}

func (r *csvRows) Write(a *Atom) error {
	clear(r.fields)
	r.fields[0] = a.Predicate
	copy(r.fields[1:], a.Args)
	r.fields[len(r.fields)-1] = strconv.FormatFloat(a.Value, 'g', -1, 64)
	return r.w.Write(r.fields)
}

func (r *csvRows) Close() error {
	r.w.Flush()
	return r.w.Error()
}

// jsonRows writes an object a line.
type jsonRows struct {
	w    *bufio.Writer
	line []byte
}

func (r *jsonRows) Write(a *Atom) error {
	text := func(s string) {
		b, _ := json.Marshal(s) // a string has a form
		r.line = append(r.line, b...)
	}
	r.line = append(r.line[:0], `{"predicate":`...)
	text(a.Predicate)
	for i, arg := range a.Args {
		r.line = append(r.line, `,"arg`...)
		r.line = append(strconv.AppendInt(r.line, int64(i+1), 10), `":`...)
		text(arg)
	}
	r.line = append(r.line, `,"value":`...)
	r.line = append(strconv.AppendFloat(r.line, a.Value, 'g', -1, 64), "}\n"...)
	_, err := r.w.Write(r.line)
	return err
}

func (r *jsonRows) Close() error { return r.w.Flush() }
