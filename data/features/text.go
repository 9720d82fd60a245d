package features

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxLine is the longest line of a file in bytes.
const maxLine = 1 << 24

// lines goes through the lines of a file that are not blank.
type lines struct {
	name string
	in   *bufio.Scanner
	line int
	text string
	err  error
}

func newLines(name string, in *bufio.Reader) *lines {
	s := bufio.NewScanner(in)
	s.Buffer(make([]byte, 1<<16), maxLine)
	return &lines{name: name, in: s}
}

func (l *lines) next() bool {
	for l.in.Scan() {
		l.line++
		if l.text = strings.TrimRight(l.in.Text(), "\r"); l.line == 1 {
			l.text = strings.TrimPrefix(l.text, "\uFEFF")
		}
		if strings.TrimSpace(l.text) != "" {
			return true
		}
	}
	if err := l.in.Err(); errors.Is(err, bufio.ErrTooLong) {
		l.line++
		l.err = l.errorf("the line has more than %d bytes", maxLine)
	} else if err != nil {
		l.err = &Error{File: l.name, Msg: err.Error()}
	}
	return false
}

func (l *lines) errorf(format string, args ...any) error {
	return &Error{l.name, l.line, fmt.Sprintf(format, args...)}
}

// readText reads lines of an entity and its numbers.
func readText(path string, in *bufio.Reader, o *Options) (*Table, error) {
	t := &Table{index: map[string]int32{}}
	width := -1
	l := newLines(path, in)
	for l.next() {
		fields := strings.Split(strings.TrimRight(l.text, "\t "), "\t")
		if len(fields) < o.Fields {
			return nil, l.errorf("the line has %d fields, the entity alone has %d (fields are separated by tabs)", len(fields), o.Fields)
		}
		for i := range o.Fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		name, numbers := strings.Join(fields[:o.Fields], "\t"), fields[o.Fields:]
		if o.Labelled && len(numbers) > 0 {
			numbers = numbers[:len(numbers)-1]
		}
		if width < 0 {
			width = len(numbers)
		}
		switch {
		case len(numbers) == 0:
			return nil, l.errorf("the line has no features (fields are separated by tabs)")
		case len(numbers) != width:
			return nil, l.errorf("the line has %d features, the first line has %d", len(numbers), width)
		case !t.add(name, t.rows):
			return nil, l.errorf("the entity %q occurs twice", name)
		}
		for i, field := range numbers {
			v, err := strconv.ParseFloat(strings.TrimSpace(field), 32)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, l.errorf("feature %d is %q, want a finite number", i+1, field)
			}
			t.values = append(t.values, float32(v))
		}
		t.rows++
	}
	if l.err != nil {
		return nil, l.err
	}
	if t.rows == 0 {
		return nil, &Error{File: path, Msg: "the file has no features"}
	}
	t.Shape = []int{width}
	return t, nil
}
