package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hinge/symbolic/psl"
)

// Source describes the place of rows and the parts of them to read.
type Source struct {
	// Format is one of Formats: tsv, csv, jsonl, parquet, sql or similar.
	Format string
	// Path is the file, or the address of the database, and Query what to ask it.
	Path, Query string
	// Columns are the columns of the arguments, Value is the column of the value. The package
	// comment explains nil.
	Columns []Column
	Value   *Column
	// Scale turns a number of the column Value into one in [0, 1]; the zero value leaves it.
	Scale Scale
	// Separator is between the fields of a CSV file, 0 is a comma; NoHeader reports whether the
	// first row of a CSV or TSV file is a row.
	Separator rune
	NoHeader  bool
	// Null lists texts that stand for a missing value; SkipNull leaves out rows with a
	// missing value in a column that is used.
	Null     []string
	SkipNull bool
	// Where keeps the rows that have these texts in these columns.
	Where []Condition
	// Similar describes the pairs of the format similar, which has no other fields.
	Similar *Similar
}

// Column is one of a source, by its name or by its number from 1.
type Column struct {
	Name   string
	Number int
}

// String returns the name, or column N.
func (c Column) String() string {
	if c.Number > 0 {
		return fmt.Sprintf("column %d", c.Number)
	}
	return c.Name
}

// Named are columns by their names.
func Named(names ...string) []Column {
	list := make([]Column, len(names))
	for i, name := range names {
		list[i].Name = name
	}
	return list
}

// Condition asks for a text in a column.
type Condition struct {
	Column Column
	Text   string
}

// Scale is (value − Low)·Factor + Shift. The zero value changes nothing.
type Scale struct{ Low, Factor, Shift float64 }

// Between is the scale that takes low to 0 and high to 1.
func Between(low, high float64) Scale {
	return Scale{Low: low, Factor: 1 / (high - low)}
}

// apply scales a number. What rounding takes out of [0, 1] by less than 1e-12 goes back.
func (s Scale) apply(v float64) float64 {
	if s == (Scale{}) {
		return v
	}
	v = (v-s.Low)*s.Factor + s.Shift
	if nearest := math.Round(v); math.Abs(v-nearest) < 1e-12 {
		return nearest
	}
	return v
}

// Row is the arguments of an atom and its value in [0, 1], which is 1 if the source has none.
// Args is reused for the next row; its texts are not.
type Row struct {
	Args   []string
	Value  float64
	Valued bool // the source has a column of values
	place  func(column int, msg string) error
}

// Fail returns an error at the place of the row.
func (r *Row) Fail(msg string) error { return r.place(-1, msg) }

// FailAt returns an error at an argument of the row.
func (r *Row) FailAt(argument int, msg string) error { return r.place(argument, msg) }

// Cell is one field of a row. Why, if it is not nil, explains why it is null.
type Cell struct {
	Text string
	Null bool
	Why  func() string
}

// Table is the view of a source that a format or a driver provides.
type Table interface {
	// Columns are the names, in order; nil if there are only numbers, or each row has its own
	// names. Width is their number, 0 if it is not known.
	Columns() []string
	Width() int
	// Select chooses the columns that Next returns. It is called once, before Next.
	Select(columns []Column) error
	// Next reads a row into cells, one a column selected; io.EOF is the end.
	Next(cells []Cell) error
	// Place returns an error at a selected column of the last row, or at the row for −1.
	Place(column int, msg string) error
	Close() error
}

// columns is the part of a table that its methods about columns need.
type columns struct {
	what   string   // the table, in messages
	names  []string // nil without a header
	width  int      // 0 for an empty file
	chosen []int
}

func (c *columns) Columns() []string { return c.names }
func (c *columns) Width() int        { return c.width }

func (c *columns) Select(list []Column) (err error) {
	if c.width > 0 {
		c.chosen, err = Choose(c.what, c.names, c.width, list)
	}
	return err
}

// Error is a fault of data: they are missing, damaged or inconsistent. It is in a line of a file,
// with the place of the line at which the field begins (in characters, of CSV in bytes), or in a
// row of a table, or in the source as a whole; all count from 1. What is 0 or "" is not known.
type Error struct {
	Source    string
	Line, Col int
	Row       int64
	Column    string
	Msg       string
	Err       error // the cause; its text follows Msg, or stands for it
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Error returns source:line:col: column: message, or source: row N, column: message.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Source)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, max(e.Col, 1))
	}
	if e.Source != "" {
		b.WriteString(": ")
	}
	if e.Row > 0 {
		fmt.Fprintf(&b, "row %d: ", e.Row)
	}
	if e.Column != "" {
		b.WriteString(oneLine(e.Column) + ": ")
	}
	b.WriteString(e.Msg)
	if e.Msg != "" && e.Err != nil {
		b.WriteString(": ")
	}
	if e.Err != nil {
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Formats are the possible values of Source.Format.
var Formats = []string{"tsv", "csv", "jsonl", "parquet", "sql", "similar"}

// open opens the source, for atoms of arity arguments.
func (s *Source) open(ctx context.Context, arity int) (Table, error) {
	switch s.Format {
	case "tsv":
		return openTSV(s, arity)
	case "csv":
		return openCSV(s)
	case "jsonl":
		return openJSONL(s)
	case "parquet":
		if err := lookAt(s.Path, "parquet"); err != nil {
			return nil, err
		}
		if openParquet == nil {
			return nil, missing("Parquet files")
		}
		return openParquet(s.Path)
	case "sql":
		a, err := ParseAddress(s.Path)
		if err != nil {
			return nil, err
		}
		return queryTable(ctx, a, s.Query)
	case "similar":
		return openSimilar(ctx, s)
	}
	return nil, fmt.Errorf("facts: there is no format %q, possible are %s", s.Format, strings.Join(Formats, ", "))
}

// Read calls visit with each row of the source. arity is the number of arguments. Errors of
// visit, and of ctx, end the reading and are returned.
func (s *Source) Read(ctx context.Context, arity int, visit func(*Row) error) (err error) {
	t, err := s.open(ctx, arity)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	args, value := s.Columns, s.Value
	if args == nil {
		if args, value, err = s.byDefault(t, arity); err != nil {
			return err
		}
	}
	switch {
	case len(args) != arity:
		return fmt.Errorf("%s: %s for %s", s.Name(), psl.Count(len(args), "column"), psl.Count(arity, "argument"))
	case value == nil && s.Scale != (Scale{}) && (s.Columns != nil || t.Width() > 0):
		return fmt.Errorf(`%s has a scale, but no value: all its atoms would be 1 (name the column in "value")`, s.Name())
	}
	columns := slices.Clone(args)
	if value != nil {
		columns = append(columns, *value)
	}
	for _, w := range s.Where {
		columns = append(columns, w.Column)
	}
	if err := t.Select(columns); err != nil {
		return err
	}
	cells := make([]Cell, len(columns))
	row := Row{Args: make([]string, arity), Valued: value != nil, place: t.Place}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.Next(cells); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if keep, err := s.row(&row, cells, value != nil, t); err != nil {
			return err
		} else if !keep {
			continue
		}
		if err := visit(&row); err != nil {
			return err
		}
	}
}

// byDefault takes the first columns for the arguments and one more for the value.
func (s *Source) byDefault(t Table, arity int) ([]Column, *Column, error) {
	width := t.Width()
	list := make([]Column, arity)
	for i := range list {
		list[i].Number = i + 1
	}
	switch {
	case width == 0 && s.Format == "jsonl":
		return nil, nil, fmt.Errorf(`%s: the rows are objects: name the %d "columns" of the arguments, and "value"`, s.Path, arity)
	case width == 0: // no rows
	case s.Value != nil && width >= arity:
		if at, err := Choose(s.Name(), t.Columns(), width, []Column{*s.Value}); err == nil && at[0] < arity {
			return nil, nil, fmt.Errorf(`%s: the value is column %d, but the first %d are the arguments (name theirs in "columns")`, s.Name(), at[0]+1, arity)
		}
		return list, s.Value, nil
	case width == arity+1:
		return list, &Column{Number: width}, nil
	case width != arity:
		text := fmt.Sprintf("%s has %s for %s", s.Name(), psl.Count(width, "column"), psl.Count(arity, "argument"))
		if names := t.Columns(); names != nil {
			text += ": " + oneLine(names...)
		}
		return nil, nil, errors.New(text + ` (name those of the arguments in "columns", that of the value in "value")`)
	}
	return list, s.Value, nil
}

// Name returns the name of the source in messages.
func (s *Source) Name() string {
	switch s.Format {
	case "sql":
		return "the query"
	case "similar":
		return "the similar pairs of " + strings.Join(s.Paths(), " and ")
	}
	return s.Path
}

// Paths are the files and addresses that are read.
func (s *Source) Paths() []string {
	switch {
	case s.Similar == nil:
		return []string{s.Path}
	case s.Similar.Right == nil:
		return s.Similar.Left.Paths()
	}
	return append(s.Similar.Left.Paths(), s.Similar.Right.Paths()...)
}

// row makes a Row of the cells of the arguments, the value and the conditions. It returns
// false if a condition or SkipNull leaves the row out.
func (s *Source) row(r *Row, cells []Cell, valued bool, t Table) (bool, error) {
	arity := len(r.Args)
	first := arity
	if valued {
		first++
	}
	for i, w := range s.Where {
		if c := cells[first+i]; c.Null || strings.TrimSpace(c.Text) != strings.TrimSpace(w.Text) {
			return false, nil
		}
	}
	for i := range cells[:first] {
		c := &cells[i]
		c.Text = strings.TrimSpace(c.Text)
		if c.Null || (s.Format == "csv" || s.Format == "tsv") && c.Text == "" || slices.Contains(s.Null, c.Text) {
			if s.SkipNull {
				return false, nil
			}
			if c.Why != nil {
				return false, t.Place(i, c.Why())
			}
			if c.Null || c.Text == "" {
				return false, t.Place(i, `nothing is here ("null": true in the model leaves such rows out)`)
			}
			return false, t.Place(i, fmt.Sprintf("%s stands for nothing", strconv.Quote(c.Text)))
		}
		if c.Text == "" {
			return false, t.Place(i, `the text is empty ("null": "" in the model leaves such rows out)`)
		}
	}
	for i := range r.Args {
		r.Args[i] = cells[i].Text
	}
	r.Value = 1
	if valued {
		v, err := s.number(cells[arity].Text)
		if err != nil {
			return false, t.Place(arity, err.Error())
		}
		r.Value = v
	}
	return true, nil
}

// number reads a value and scales it. In tab-separated files it may end, as in those of the
// reference, with the letter of a precision: 0.7f.
func (s *Source) number(text string) (float64, error) {
	v, err := psl.Float(text, 64)
	if err != nil && s.Format == "tsv" && len(text) > 1 && strings.IndexByte("fFdD", text[len(text)-1]) >= 0 {
		v, err = psl.Float(text[:len(text)-1], 64)
	}
	switch {
	case strings.EqualFold(text, "true"):
		v, err = 1, nil
	case strings.EqualFold(text, "false"):
		v, err = 0, nil
	}
	if err != nil || math.IsNaN(v) {
		hint := ""
		point := strings.Replace(text, ",", ".", 1)
		if _, err := psl.Float(point, 64); err == nil && point != text {
			hint = fmt.Sprintf(" (write decimals with a point, %s, and thousands without commas)", point)
		}
		return 0, fmt.Errorf("the value %s is not a number%s", Show(text), hint)
	}
	scaled := s.Scale.apply(v)
	switch {
	case scaled >= 0 && scaled <= 1:
		return scaled, nil
	case s.Scale == (Scale{}):
		return 0, fmt.Errorf(`the value %s is not in [0, 1] ("scale": [LOW, HIGH] in the model takes LOW to 0 and HIGH to 1)`, text)
	}
	return 0, fmt.Errorf("the value %s becomes %v by its scale, which is not in [0, 1]", text, scaled)
}

// Choose finds columns in a list of names and returns their places from 0. what names the
// source in errors.
func Choose(what string, names []string, width int, columns []Column) ([]int, error) {
	list := make([]int, len(columns))
	for i, c := range columns {
		if c.Number > 0 {
			if c.Number > width {
				return nil, fmt.Errorf("%s has no column %d, it has %d", what, c.Number, width)
			}
			list[i] = c.Number - 1
			continue
		}
		at := slices.Index(names, c.Name)
		if at >= 0 && slices.Contains(names[at+1:], c.Name) {
			return nil, fmt.Errorf("%s has two columns %s: choose one by its number", what, Show(c.Name))
		}
		if at < 0 {
			alike := func(n string) bool { return strings.EqualFold(n, c.Name) }
			at = slices.IndexFunc(names, alike)
			if second := at + 1 + slices.IndexFunc(names[at+1:], alike); second > at {
				return nil, fmt.Errorf("%s has two columns like %s, %s and %s: choose one by its letters or its number", what, Show(c.Name), Show(names[at]), Show(names[second]))
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("%s has no column %s (%s)", what, Show(c.Name), suggest(c.Name, names, width))
		}
		list[i] = at
	}
	return list, nil
}

// suggest names the column nearest to a word, or all.
func suggest(word string, names []string, width int) string {
	if len(names) == 0 && width == 0 {
		return "it has none"
	}
	if len(names) == 0 {
		return fmt.Sprintf("its columns have no names: choose by number, 1 to %d", width)
	}
	return cmp.Or(psl.DidYouMean(word, names), "it has "+oneLine(names...))
}

// oneLine lists names, quoted where one is of several lines or no text: an error is one line.
func oneLine(names ...string) string {
	list := slices.Clone(names)
	for i, name := range list {
		if strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name) {
			list[i] = Show(name)
		}
	}
	return strings.Join(list, ", ")
}

// Show quotes a text for a message, shortened.
func Show(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strconv.Quote(s)
}
