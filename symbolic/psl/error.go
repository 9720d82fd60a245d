package psl

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hbollon/go-edlib"
)

// Error is a mistake in a rule: its place, one sentence that describes it, and possibly a hint
// how to mend it.
type Error struct {
	Pos  Pos
	Msg  string
	Hint string
	// Line is the source line of Pos, possibly shortened; Caret is the offset
	// in characters of the place within Line.
	Line  string
	Caret int
}

// Error returns file:line:col: message on one line.
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Detail returns the message over several lines: the one-line form, the
// source line, a caret under the place, and the hint.
func (e *Error) Detail() string {
	var b strings.Builder
	b.WriteString(e.Error())
	if e.Line != "" {
		b.WriteString("\n    " + strings.Map(printable, e.Line) + "\n    ")
		n := 0
		for _, r := range e.Line {
			if n == e.Caret {
				break
			}
			if r != '\t' {
				r = ' '
			}
			b.WriteRune(r)
			n++
		}
		b.WriteByte('^')
	}
	if e.Hint != "" {
		b.WriteString("\n    hint: " + e.Hint)
	}
	return b.String()
}

// printable replaces control characters, which could garble a terminal.
func printable(r rune) rune {
	if r != '\t' && unicode.IsControl(r) {
		return unicode.ReplacementChar
	}
	return r
}

// ErrorAt returns an error at a place of this rule, with the source line. It
// is for packages that find mistakes only when they use a rule.
func (r *Rule) ErrorAt(pos Pos, msg, hint string) *Error {
	e := &Error{Pos: pos, Msg: msg, Hint: hint}
	if r.src != nil {
		e.Line, e.Caret = r.src.line(pos)
	}
	return e
}

// source is the text behind positions; its first byte is at start.
type source struct {
	text  string
	start Pos
}

// maxShown is the number of characters of a source line that an error shows.
const maxShown = 120

// line returns the line that contains pos, shortened around pos if it is long, and the offset
// of pos in the returned text.
func (s *source) line(pos Pos) (text string, caret int) {
	rest := s.text
	for n := s.start.Line; n < pos.Line; n++ {
		i := lineLength(rest)
		if i == len(rest) {
			return "", 0
		}
		rest = rest[i+1:]
	}
	rest = rest[:lineLength(rest)]
	rest = strings.TrimSuffix(rest, "\r")
	caret = pos.Col - 1
	if pos.Line == s.start.Line {
		caret = pos.Col - s.start.Col
	}
	if utf8.RuneCountInString(rest) <= maxShown {
		return rest, caret
	}
	runes := []rune(rest)
	from := max(0, min(caret-maxShown/2, len(runes)-maxShown))
	return string(runes[from : from+maxShown]), caret - from
}

// Nearest returns the candidate most like word, for "did you mean" hints, and
// "" when none is close, or word is long.
func Nearest(word string, candidates []string) string {
	const long = 64 // bytes
	best, bestDistance := "", 1+len(word)/3
	for _, c := range candidates {
		if len(word) > long || len(c) > long {
			continue
		}
		d := edlib.LevenshteinDistance(strings.ToLower(word), strings.ToLower(c))
		if d < bestDistance || best == "" && d == bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// Count is a number of things as text: 1 rule, 2 rules.
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// DidYouMean is a hint naming the nearest candidate, or "".
func DidYouMean(word string, candidates []string) string {
	if n := Nearest(word, candidates); n != "" {
		return "did you mean " + n + "?"
	}
	return ""
}
