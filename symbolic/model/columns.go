package model

import (
	"io"
	"strings"
	"unicode/utf8"

	"hinge/symbolic/ground"
)

// columnChecker passes a data file on and checks the fields whose type is not a
// text. It ends the file at the first mistake and keeps that in err.
type columnChecker struct {
	r     io.Reader
	types []Type
	path  string
	err   *ground.DataError

	line, column, start, field int
	text                       []byte // of the field at hand, as far as it is needed
}

// maxField is the number of bytes of a field that are looked at: more than any
// number has.
const maxField = 64

// newColumnChecker returns nil when there is nothing to check.
func newColumnChecker(types []Type, path string, r io.Reader) *columnChecker {
	for _, t := range types {
		if t.integer() || t == Double {
			return &columnChecker{r: r, types: types, path: path, line: 1, column: 1, start: 1}
		}
	}
	return nil
}

// Read reads from the file behind and looks at what it got.
func (c *columnChecker) Read(buf []byte) (int, error) {
	if c.err != nil {
		return 0, io.EOF
	}
	n, err := c.r.Read(buf)
	for _, b := range buf[:n] {
		switch b {
		case '\t', '\n':
			c.endField()
			if b == '\n' {
				c.line++
				c.field, c.column = 0, 0
			} else {
				c.field++
			}
			c.start = c.column + 1
		default:
			if c.field < len(c.types) && len(c.text) < maxField {
				c.text = append(c.text, b)
			}
		}
		if utf8.RuneStart(b) {
			c.column++
		}
		if c.err != nil {
			return 0, io.EOF
		}
	}
	if err != nil {
		c.endField()
		if c.err != nil {
			return 0, io.EOF
		}
	}
	return n, err
}

// endField checks the field that just ended. Empty fields are left to the
// database, which knows blank lines.
func (c *columnChecker) endField() {
	text := string(c.text)
	c.text = c.text[:0]
	if c.field >= len(c.types) {
		return
	}
	if c.line == 1 && c.field == 0 {
		text = strings.TrimPrefix(text, "\uFEFF")
	}
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if problem := c.types[c.field].check(text); problem != "" {
		c.err = &ground.DataError{File: c.path, Line: c.line, Col: c.start, Msg: problem}
	}
}
