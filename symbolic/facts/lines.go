package facts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxLine is the largest number of bytes of a line.
const maxLine = 16 << 20

// Lines reads a text one line at a time and finds the fields between tabs.
type Lines struct {
	name string
	in   *bufio.Scanner
	line int
	text string
}

// NewLines reads the lines of r; name is the file in messages.
func NewLines(name string, r io.Reader) *Lines {
	in := bufio.NewScanner(&lineEnds{in: bufio.NewReader(r)})
	in.Buffer(make([]byte, 1<<16), maxLine)
	return &Lines{name: name, in: in}
}

// keptCR stands for a carriage return before a line feed between quotes, which encoding/csv would drop. No
// UTF-8 has this byte.
const keptCR = 0xff

// lineEnds reads a text in which a carriage return alone, which ends a line too, is \n. Where quotes is true,
// one between double quotes stays, before a line feed as keptCR.
type lineEnds struct {
	in             *bufio.Reader
	quotes, quoted bool
	err            error // of looking ahead
}

// Read implements io.Reader.
func (l *lineEnds) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.in.Read(p)
	for rest := p[:n]; l.quotes; {
		i := bytes.IndexByte(rest, keptCR)
		if i < 0 {
			break
		}
		rest[i]-- // as little UTF-8
		rest = rest[i:]
	}
	for rest := p[:n]; ; {
		i := bytes.IndexByte(rest, '\r')
		if i < 0 {
			l.count(rest)
			return n, err
		}
		l.count(rest[:i])
		next := rest[i+1:]
		if len(next) == 0 {
			next, l.err = l.in.Peek(1)
		}
		switch pair := len(next) > 0 && next[0] == '\n'; {
		case !l.quoted && !pair:
			rest[i] = '\n'
		case l.quoted && pair:
			rest[i] = keptCR
		}
		rest = rest[i+1:]
	}
}

// count notes whether the text ends between quotes.
func (l *lineEnds) count(text []byte) {
	if l.quotes && bytes.Count(text, []byte{'"'})%2 == 1 {
		l.quoted = !l.quoted
	}
}

// Next goes to the next line that is not blank; io.EOF is the end. A line that is too long or not
// UTF-8 is an *Error. Next drops a byte order mark at the beginning of the text.
func (l *Lines) Next() error {
	for l.in.Scan() {
		l.line++
		l.text = l.in.Text()
		if l.line == 1 {
			l.text = strings.TrimPrefix(l.text, mark)
		}
		switch {
		case strings.TrimSpace(l.text) == "":
		case !utf8.ValidString(l.text):
			return l.Fail(-1, "the line is not UTF-8 text")
		default:
			return nil
		}
	}
	switch err := l.in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &Error{Source: l.name, Line: l.line + 1, Msg: fmt.Sprintf("the line has more than %d bytes", maxLine)}
	case err != nil:
		if l.line > 0 {
			err = fmt.Errorf("after line %d: %w", l.line, err)
		}
		return &Error{Source: l.name, Err: err}
	}
	return io.EOF
}

// Text returns the line.
func (l *Lines) Text() string { return l.text }

// Fields appends the fields of the line to dst, without the spaces around them, and returns it.
// Empty fields at the end of the line count only up to most fields.
func (l *Lines) Fields(dst []string, most int) []string {
	first := len(dst)
	for field := range strings.SplitSeq(l.text, "\t") {
		dst = append(dst, strings.TrimSpace(field))
	}
	for len(dst)-first > most && dst[len(dst)-1] == "" {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// Fail returns an *Error at a field of the line, counted from 0, or at the line for −1.
func (l *Lines) Fail(field int, msg string) *Error {
	at := 0
	for range field {
		at += strings.IndexByte(l.text[at:], '\t') + 1
	}
	return &Error{Source: l.name, Line: l.line, Col: utf8.RuneCountInString(l.text[:at]) + 1, Msg: msg}
}
