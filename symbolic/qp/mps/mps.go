package mps

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"hinge/symbolic/qp"
)

// Infinite is the size from which sides and bounds are infinite.
const Infinite = 1e20

// Program is what a file holds.
type Program struct {
	qp.Problem
	// Name is what the section NAME says, or "".
	Name string
	// Columns are the names of the variables, Rows those of the rows.
	Columns, Rows []string
	// Maximise reports whether the file asks for the largest cost: the costs of Problem are then
	// the negated ones.
	Maximise bool
}

// Error is a mistake in a file.
type Error struct {
	File string
	// Line and Column count from 1; Column is 0 where the whole line is meant, both are
	// where the file is.
	Line, Column int
	Msg          string
}

// Error returns "file:line:column: what is wrong".
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// field is a word of a line and where it begins.
type field struct {
	text string
	at   int
}

// entry is a number of a sparse matrix and where it stands.
type entry struct {
	row, col int32
	val      float64
	line, at int32
}

// reader is a file that is being read.
type reader struct {
	file    string
	line    int
	section string
	p       Program

	objective   string
	kinds       []byte           // of each row: L, G or E
	row, column map[string]int32 // −1 for rows that are left out, −2 for the objective
	a, h        []entry
	whole       bool // h has both triangles
	rhs, ranges []float64
	ranged      []bool
	sets        map[string]string // the one of each section
	lowered     []bool            // whether a variable has a lower bound of its own
	bounded     []int             // line of the last bound of each variable
}

// rows that have no number of their own.
const leftOut, objective = -1, -2

// Read reads a program; errors call it file.
func Read(in io.Reader, file string) (*Program, error) {
	r := &reader{file: file, row: map[string]int32{}, column: map[string]int32{}, sets: map[string]string{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for r.section != "ENDATA" && lines.Scan() {
		r.line++
		text := lines.Text()
		fields := split(text)
		if len(fields) == 0 || text[0] == '*' {
			continue
		}
		var err error
		if fields[0].at == 1 {
			err = r.begin(fields)
		} else {
			err = r.data(fields)
		}
		if err != nil {
			return nil, err
		}
	}
	switch err := lines.Err(); {
	case err != nil:
		return nil, &Error{file, r.line + 1, 0, fmt.Sprintf("cannot be read: %v", err)}
	case r.section != "ENDATA":
		return nil, &Error{file, r.line, 0, "the file ends without ENDATA"}
	}
	return r.finish()
}

// split returns the words of a line; columns count bytes from 1.
func split(text string) (fields []field) {
	for at := 0; at < len(text); {
		if strings.ContainsRune(" \t\r", rune(text[at])) {
			at++
			continue
		}
		end := at
		for end < len(text) && !strings.ContainsRune(" \t\r", rune(text[end])) {
			end++
		}
		fields = append(fields, field{text[at:end], at + 1})
		at = end
	}
	return fields
}

// fault is an error at a field.
func (r *reader) fault(f field, format string, args ...any) error {
	return &Error{r.file, r.line, f.at, fmt.Sprintf(format, args...)}
}

var sections = []string{"NAME", "OBJSENSE", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "QUADOBJ", "QSECTION", "QMATRIX", "ENDATA"}

// begin begins a section.
func (r *reader) begin(fields []field) error {
	name := strings.ToUpper(fields[0].text)
	if !slices.Contains(sections, name) {
		return r.fault(fields[0], "section %s is none of %s", fields[0].text, strings.Join(sections, ", "))
	}
	if r.section = name; len(fields) > 1 {
		switch name {
		case "NAME":
			r.p.Name = fields[1].text
		case "OBJSENSE":
			return r.data(fields[1:])
		}
	}
	return nil
}

// data reads a line of a section.
func (r *reader) data(f []field) error {
	switch r.section {
	case "OBJSENSE":
		sense := strings.ToUpper(f[0].text)
		r.p.Maximise = strings.HasPrefix(sense, "MAX")
		if !r.p.Maximise && !strings.HasPrefix(sense, "MIN") {
			return r.fault(f[0], "%s is neither MAX nor MIN", f[0].text)
		}
		return nil
	case "ROWS":
		return r.addRow(f)
	case "COLUMNS":
		return r.addColumn(f)
	case "RHS", "RANGES":
		return r.addSides(f)
	case "BOUNDS":
		return r.addBound(f)
	case "QUADOBJ", "QSECTION", "QMATRIX":
		return r.addCurvature(f)
	}
	return r.fault(f[0], "%s is in no section; names of sections begin in column 1", f[0].text)
}

func (r *reader) addRow(f []field) error {
	if len(f) != 2 {
		return r.fault(f[0], "a line of ROWS has a kind and a name, this one %d fields; names must not have spaces", len(f))
	}
	if _, there := r.row[f[1].text]; there {
		return r.fault(f[1], "row %s is there already", f[1].text)
	}
	switch kind := strings.ToUpper(f[0].text); {
	case kind == "N" && r.objective == "":
		r.objective, r.row[f[1].text] = f[1].text, objective
	case kind == "N":
		r.row[f[1].text] = leftOut
	case kind == "L" || kind == "G" || kind == "E":
		r.row[f[1].text] = int32(len(r.kinds))
		r.kinds, r.p.Rows = append(r.kinds, kind[0]), append(r.p.Rows, f[1].text)
		r.rhs, r.ranges, r.ranged = append(r.rhs, 0), append(r.ranges, 0), append(r.ranged, false)
	default:
		return r.fault(f[0], "kind %s is none of N, L, G, E", f[0].text)
	}
	return nil
}

func (r *reader) addColumn(f []field) error {
	if len(f) >= 3 && strings.Trim(f[1].text, "'") == "MARKER" {
		return r.fault(f[1], "integer variables are not solved here; take the markers out to solve the relaxation")
	}
	if len(f) != 3 && len(f) != 5 {
		return r.fault(f[0], "a line of COLUMNS has a name and one or two rows with their numbers, this one %d fields; names must not have spaces", len(f))
	}
	c, there := r.column[f[0].text]
	if !there {
		c = int32(len(r.p.Columns))
		r.column[f[0].text] = c
		r.p.Columns = append(r.p.Columns, f[0].text)
		r.p.P, r.p.Q = append(r.p.P, 0), append(r.p.Q, 0)
		r.p.Lower, r.p.Upper = append(r.p.Lower, 0), append(r.p.Upper, math.Inf(1))
		r.lowered, r.bounded = append(r.lowered, false), append(r.bounded, 0)
	}
	return r.pairs(f[1:], func(row int32, name field, v float64) error {
		if row == objective {
			r.p.Q[c] += v
		} else {
			r.a = append(r.a, entry{row, c, v, int32(r.line), int32(name.at)})
		}
		return nil
	})
}

// pairs reads names of rows with numbers; rows that are left out are passed over.
func (r *reader) pairs(f []field, add func(row int32, name field, v float64) error) error {
	for ; len(f) >= 2; f = f[2:] {
		row, there := r.row[f[0].text]
		if !there {
			return r.fault(f[0], "there is no row %s", f[0].text)
		}
		v, err := r.number(f[1])
		if err != nil {
			return err
		}
		if row != leftOut {
			if err := add(row, f[0], v); err != nil {
				return err
			}
		}
	}
	return nil
}

// number reads a number; exponents may be written with D, as Fortran does.
func (r *reader) number(f field) (float64, error) {
	v, err := strconv.ParseFloat(f.text, 64)
	if err != nil {
		v, err = strconv.ParseFloat(strings.NewReplacer("D", "E", "d", "e").Replace(f.text), 64)
	}
	if err != nil || math.IsNaN(v) {
		return 0, r.fault(f, "%s is not a number", f.text)
	}
	return v, nil
}

// set checks that a section has one set only, and returns the fields without its name.
func (r *reader) set(f []field, named bool) ([]field, error) {
	if !named {
		return f, nil
	}
	first, there := r.sets[r.section]
	if there && first != f[0].text {
		return nil, r.fault(f[0], "set %s of %s is the second one, after %s; leave one", f[0].text, r.section, first)
	}
	r.sets[r.section] = f[0].text
	return f[1:], nil
}

func (r *reader) addSides(f []field) error {
	if len(f) < 2 || len(f) > 5 {
		return r.fault(f[0], "a line of %s has one or two rows with their numbers, this one %d fields; names must not have spaces", r.section, len(f))
	}
	f, err := r.set(f, len(f)%2 == 1)
	if err != nil {
		return err
	}
	return r.pairs(f, func(row int32, name field, v float64) error {
		switch {
		case r.section == "RHS" && row == objective:
			r.p.R = -v
		case r.section == "RHS":
			r.rhs[row] = v
		case row == objective:
			return r.fault(name, "the objective has no range")
		default:
			r.ranges[row], r.ranged[row] = v, true
		}
		return nil
	})
}

func (r *reader) addBound(f []field) error {
	kind, f := f[0], f[1:]
	numbers := 1
	switch strings.ToUpper(kind.text) {
	case "UP", "LO", "FX":
	case "FR", "MI", "PL":
		numbers = 0
	case "BV", "LI", "UI":
		return r.fault(kind, "integer variables are not solved here")
	default:
		return r.fault(kind, "bound %s is none of UP, LO, FX, FR, MI, PL", kind.text)
	}
	if numbers == 0 && len(f) == 3 {
		f = f[:2] // a number that says nothing
	}
	if len(f) != 1+numbers && len(f) != 2+numbers {
		return r.fault(kind, "a bound %s does not have %d fields behind it; names must not have spaces", kind.text, len(f))
	}
	f, err := r.set(f, len(f) == 2+numbers)
	if err != nil {
		return err
	}
	c, there := r.column[f[0].text]
	if !there {
		return r.fault(f[0], "there is no variable %s", f[0].text)
	}
	v := 0.0
	if numbers == 1 {
		if v, err = r.number(f[1]); err != nil {
			return err
		}
	}
	lower, upper := &r.p.Lower[c], &r.p.Upper[c]
	switch strings.ToUpper(kind.text) {
	case "UP":
		if *upper = v; v < 0 && !r.lowered[c] {
			*lower = math.Inf(-1)
		}
	case "LO":
		*lower, r.lowered[c] = v, true
	case "FX":
		*lower, *upper, r.lowered[c] = v, v, true
	case "FR":
		*lower, *upper, r.lowered[c] = math.Inf(-1), math.Inf(1), true
	case "MI":
		*lower, r.lowered[c] = math.Inf(-1), true
	case "PL":
		*upper = math.Inf(1)
	}
	r.bounded[c] = r.line
	return nil
}

func (r *reader) addCurvature(f []field) error {
	if len(f) != 3 {
		return r.fault(f[0], "a line of %s has two variables and a number, this one %d fields; names must not have spaces", r.section, len(f))
	}
	var at [2]int32
	for k := range at {
		c, there := r.column[f[k].text]
		if !there {
			return r.fault(f[k], "there is no variable %s", f[k].text)
		}
		at[k] = c
	}
	v, err := r.number(f[2])
	if err != nil {
		return err
	}
	i, j := at[0], at[1]
	if whole := r.section == "QMATRIX"; len(r.h) > 0 && whole != r.whole {
		return r.fault(f[0], "QMATRIX stands beside QUADOBJ or QSECTION; leave one")
	} else if r.whole = whole; i < j && !whole {
		i, j = j, i // one triangle, whichever it is
	}
	r.h = append(r.h, entry{i, j, v, int32(r.line), int32(f[0].at)})
	return nil
}
