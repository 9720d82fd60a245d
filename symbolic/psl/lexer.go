package psl

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind is the kind of a token: a class for names, numbers and quoted
// constants, otherwise the operator itself.
type kind uint8

const (
	endOfRule kind = iota
	ident
	number
	quoted
	lparen
	rparen
	lbracket
	rbracket
	lbrace
	rbrace
	comma
	colon
	period
	not
	and
	or
	implies
	impliedBy
	lessEq
	greaterEq
	equals
	equalEqual
	notEqual
	percent
	caret
	plus
	minus
	star
	slash
	atMin
	atMax
)

// token is one token; text aliases the source but for quoted constants with
// escapes. newline reports whether a line break stands before it.
type token struct {
	kind    kind
	newline bool
	text    string
	value   float64
	pos     Pos
	off     int // of the first byte in the source
	endCol  int // column after the token; tokens do not span lines
}

// operators in the order in which they are tried: longer ones first.
var operators = []struct {
	text string
	kind kind
}{
	{"&&", and}, {"||", or}, {"->", implies}, {">>", implies}, {"<-", impliedBy}, {"<<", impliedBy},
	{"<=", lessEq}, {">=", greaterEq}, {"==", equalEqual}, {"!=", notEqual}, {"~=", notEqual},
	{"(", lparen}, {")", rparen}, {"[", lbracket}, {"]", rbracket}, {"{", lbrace}, {"}", rbrace},
	{",", comma}, {":", colon}, {".", period}, {"!", not}, {"~", not}, {"&", and}, {"|", or},
	{"=", equals}, {"%", percent}, {"^", caret}, {"+", plus}, {"-", minus}, {"*", star}, {"/", slash},
}

// lexer cuts a source into tokens.
type lexer struct {
	src       *source
	off       int
	line, col int
	warnings  []Warning
}

func (lx *lexer) warn(msg, hint string) {
	lx.warnings = append(lx.warnings, Warning{Pos: lx.pos(), Msg: msg, Hint: hint})
}

func (lx *lexer) pos() Pos { return Pos{File: lx.src.start.File, Line: lx.line, Col: lx.col} }

func (lx *lexer) errorAt(pos Pos, msg, hint string) *Error {
	return (&Rule{src: lx.src}).ErrorAt(pos, msg, hint)
}

// advance moves over n bytes.
func (lx *lexer) advance(n int) {
	for i := range lx.src.text[lx.off : lx.off+n] {
		if breaks(lx.src.text, lx.off+i) {
			lx.line++
			lx.col = 1
		} else {
			lx.col++
		}
	}
	lx.off += n
}

// breaks reports whether a line ends at a byte: at \n, and at a carriage return without one.
func breaks(text string, at int) bool {
	return text[at] == '\n' || text[at] == '\r' && (at+1 == len(text) || text[at+1] != '\n')
}

// lineLength is the number of bytes of a text before its first line break.
func lineLength(text string) int {
	n := 0
	for n < len(text) && !breaks(text, n) {
		n++
	}
	return n
}

// space skips white space and comments and reports whether a line break was
// among them.
func (lx *lexer) space() (newline bool) {
	first := lx.line
	for {
		rest := lx.src.text[lx.off:]
		switch {
		case rest == "":
			return lx.line > first
		case strings.IndexByte(" \t\r\n\f", rest[0]) >= 0:
			lx.advance(1)
		case rest[0] == '#' || strings.HasPrefix(rest, "//"):
			lx.advance(lineLength(rest))
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				panic(lx.errorAt(lx.pos(), "the comment is not closed", "a comment that begins with /* ends with */"))
			}
			lx.advance(n + 4)
		default:
			return lx.line > first
		}
	}
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool { return isLetter(c) || isDigit(c) }

// next returns the next token; endOfRule at the end of the source. It panics with a mistake, as
// the parser does.
func (lx *lexer) next() token {
	t := lx.scan()
	t.endCol = lx.col
	return t
}

func (lx *lexer) scan() token {
	newline := lx.space()
	t := token{pos: lx.pos(), off: lx.off, newline: newline}
	rest := lx.src.text[lx.off:]
	if rest == "" {
		return t
	}
	switch c := rest[0]; {
	case isLetter(c):
		t.kind, t.text = ident, rest[:span(rest, isWord)]
		lx.advance(len(t.text))
		return t
	case isDigit(c):
		return lx.number(t, rest)
	case c == '\'' || c == '"':
		return lx.quote(t, rest)
	case c == '@':
		return lx.function(t, rest)
	}
	if n := span(rest[1:], isDigit); n > 0 && rest[0] == '.' && (newline || strings.TrimSpace(lx.src.text[:lx.off]) == "") {
		// Taken as the full stop of the line before, it would make another rule.
		panic(lx.errorAt(t.pos, "the number "+rest[:1+n]+" has no digit before its point", "write 0"+rest[:1+n]))
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op.text) {
			t.kind, t.text = op.kind, op.text
			lx.advance(len(op.text))
			return t
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	panic(lx.errorAt(t.pos, "unexpected character "+strconv.QuoteRune(r), strangers[r]))
}

// strangers are characters people carry over from other notations.
var strangers = map[rune]string{
	'≤': "write <=", '≥': "write >=", '<': "comparisons are <= and >=", '>': "comparisons are <= and >=",
	'≠': "write !=", '→': "write ->", '⇒': "write ->", '¬': "write !", '∧': "write &", '∨': "write |",
	'’': "constants stand in straight quotes: 'x'", '‘': "constants stand in straight quotes: 'x'",
	'“': "constants stand in straight quotes: \"x\"", '”': "constants stand in straight quotes: \"x\"",
	';': "a rule ends with its line; there is no semicolon", '−': "write the minus sign -",
}

// span returns the length of the prefix of s whose bytes satisfy ok.
func span(s string, ok func(byte) bool) int {
	n := 0
	for n < len(s) && ok(s[n]) {
		n++
	}
	return n
}

// number lexes digits [. digits] [e [sign] digits]. A full stop belongs to
// the number only when a digit follows, so that "= 1." ends a hard rule.
func (lx *lexer) number(t token, rest string) token {
	n := span(rest, isDigit)
	if n+1 < len(rest) && rest[n] == '.' && isDigit(rest[n+1]) {
		n += 1 + span(rest[n+1:], isDigit)
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		m := n + 1
		if m < len(rest) && (rest[m] == '-' || rest[m] == '+') {
			m++
		}
		if digits := span(rest[m:], isDigit); digits > 0 {
			n = m + digits
		}
	}
	t.kind, t.text = number, rest[:n]
	if n < len(rest) && isLetter(rest[n]) && !coefficient(rest[n:]) {
		end := n + span(rest[n:], isWord)
		panic(lx.errorAt(t.pos, strconv.Quote(rest[:end])+" is neither a number nor a name",
			"names begin with a letter; put constants in quotes; write a product with *"))
	}
	v, err := strconv.ParseFloat(t.text, 64)
	if err != nil {
		panic(lx.errorAt(t.pos, "the number "+t.text+" is too large", ""))
	}
	t.value = v
	lx.advance(n)
	return t
}

// coefficient reports whether an atom begins a text, so that the number before it
// is its coefficient: 0.5Friends(A, B).
func coefficient(rest string) bool {
	n := span(rest, isWord)
	return n < len(rest) && rest[n] == '('
}

// quote lexes a constant in single or double quotes, with the escapes \\ \'
// \" \n \r \t.
//
// A line break in it is read only where the text after the closing quote goes on
// as it must after a constant: else a quote is missing.
func (lx *lexer) quote(t token, rest string) token {
	var b strings.Builder
	broken := false
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == rest[0]:
			t.kind, t.text = quoted, b.String()
			after := strings.TrimLeft(rest[i+1:], " \t")
			switch {
			case broken && (after == "" || strings.IndexByte(",)=!~%^", after[0]) < 0):
				panic(lx.notClosed(t))
			case broken:
				lx.warn("a constant with a line break", `write \n, or close the quote before the break`)
			case t.text == "":
				lx.warn("the constant is empty", "no atom of the data has one")
			}
			lx.advance(i + 1)
			return t
		case c == '\n':
			broken = true
			b.WriteByte(c)
		case c == '\\':
			i++
			k := -1
			if i < len(rest) {
				k = strings.IndexByte(`\'"nrt`, rest[i])
			}
			if k < 0 {
				if broken {
					panic(lx.notClosed(t))
				}
				lx.advance(i - 1)
				panic(lx.errorAt(lx.pos(), "unknown escape in a constant", `escapes are \\ \' \" \n \r \t`))
			}
			b.WriteByte("\\'\"\n\r\t"[k])
		default:
			b.WriteByte(c)
		}
	}
	panic(lx.notClosed(t))
}

func (lx *lexer) notClosed(t token) *Error {
	return lx.errorAt(t.pos, "the constant is not closed", "a constant ends with the quote it began with, on the same line")
}

// function lexes @Min and @Max.
func (lx *lexer) function(t token, rest string) token {
	name := rest[:1+span(rest[1:], isLetter)]
	switch name {
	case "@Min":
		t.kind = atMin
	case "@Max":
		t.kind = atMax
	default:
		panic(lx.errorAt(t.pos, "unknown function "+name, DidYouMean(name, []string{"@Min", "@Max"})))
	}
	t.text = name
	lx.advance(len(name))
	return t
}
