package model

import (
	"hinge/symbolic/facts"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// parseJSON reads JSON as the reference system does: with comments (#, // and
// /* */), single quotes, commas before a closing bracket, and numbers with a
// plus sign, with leading zeros or without digits on one side of the point.
func parseJSON(name string, src []byte) (root *node, err error) {
	defer caught(&err)
	p := &jsonParser{file: file{name}, rest: string(src), line: 1, col: 1}
	if len(src) > MaxJSON {
		panic(p.fail("the model has more than " + strconv.Itoa(MaxJSON>>20) + " MiB"))
	}
	p.rest = strings.TrimPrefix(p.rest, "\uFEFF")
	p.space()
	n := p.value(0)
	p.space()
	if p.rest != "" {
		panic(p.fail("there is something after the end of the model: " + p.here()))
	}
	return &n, nil
}

// jsonParser is a recursive-descent parser; rest is what is left of the source.
type jsonParser struct {
	file
	rest      string
	line, col int32
	values    int
}

// node starts a node at the current place.
func (p *jsonParser) node(k kind) node { return node{kind: k, line: p.line, col: p.col} }

// fail is an error at the current place.
func (p *jsonParser) fail(msg string) *Error {
	n := p.node(nullNode)
	return p.errorf(&n, "%s", msg)
}

// here describes what stands at the current place.
func (p *jsonParser) here() string {
	if p.rest == "" {
		return "the end of the file"
	}
	r, _ := utf8.DecodeRuneInString(p.rest)
	return strconv.QuoteRune(r)
}

// skip moves over n bytes.
func (p *jsonParser) skip(n int) {
	for _, r := range p.rest[:n] {
		if r == '\n' {
			p.line++
			p.col = 1
		} else {
			p.col++
		}
	}
	p.rest = p.rest[n:]
}

// space skips white space and comments.
func (p *jsonParser) space() {
	for p.rest != "" {
		switch c := p.rest[0]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			p.skip(1)
		case c == '#' || strings.HasPrefix(p.rest, "//"):
			end := strings.IndexByte(p.rest, '\n')
			if end < 0 {
				end = len(p.rest)
			}
			p.skip(end)
		case strings.HasPrefix(p.rest, "/*"):
			end := strings.Index(p.rest[2:], "*/")
			if end < 0 {
				panic(p.fail("the comment is not closed"))
			}
			p.skip(end + 4)
		default:
			return
		}
	}
}

func (p *jsonParser) value(depth int) node {
	if p.values++; p.values > MaxValues {
		panic(p.fail(tooMany))
	}
	if p.rest == "" {
		panic(p.fail("a value is missing at the end of the file"))
	}
	switch c := p.rest[0]; {
	case c == '{' || c == '[':
		if depth == MaxDepth {
			panic(p.fail("lists and objects are nested more than " + strconv.Itoa(MaxDepth) + " deep"))
		}
		if c == '{' {
			return p.object(depth + 1)
		}
		return p.list(depth + 1)
	case c == '"' || c == '\'':
		return p.text()
	case c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9':
		return p.number()
	}
	n := p.node(boolNode)
	for _, word := range []string{"true", "false", "null"} {
		if strings.HasPrefix(p.rest, word) && !nameByte(p.rest[len(word):]) {
			if word == "null" {
				n.kind = nullNode
			}
			n.text = word
			p.skip(len(word))
			return n
		}
	}
	panic(p.fail(p.here() + " begins no value; texts stand in quotes"))
}

// nameByte reports whether a word goes on.
func nameByte(s string) bool {
	if s == "" {
		return false
	}
	c := s[0]
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

func (p *jsonParser) object(depth int) node {
	n := p.node(objectNode)
	p.elements('}', "the object", func() {
		if !strings.HasPrefix(p.rest, `"`) && !strings.HasPrefix(p.rest, "'") {
			panic(p.fail("want a key in quotes, found " + p.here()))
		}
		key := p.text()
		p.space()
		if !strings.HasPrefix(p.rest, ":") {
			panic(p.fail("want a colon after the key " + facts.Show(key.text) + ", found " + p.here()))
		}
		p.skip(1)
		p.space()
		n.keys, n.items = append(n.keys, key), append(n.items, p.value(depth))
	})
	p.distinct(&n)
	return n
}

func (p *jsonParser) list(depth int) node {
	n := p.node(listNode)
	p.elements(']', "the list", func() { n.items = append(n.items, p.value(depth)) })
	return n
}

// elements reads what stands between the brackets of an object or a list.
func (p *jsonParser) elements(closing byte, what string, element func()) {
	open := p.node(nullNode)
	p.skip(1)
	for first := true; ; first = false {
		p.space()
		if !first && p.rest != "" && p.rest[0] == ',' {
			p.skip(1)
			p.space()
		} else if !first && p.rest != "" && p.rest[0] != closing {
			panic(p.fail("want a comma or " + strconv.QuoteRune(rune(closing)) + ", found " + p.here()))
		}
		if p.rest == "" {
			panic(p.errorf(&open, "%s is not closed", what))
		}
		if p.rest[0] == closing {
			p.skip(1)
			return
		}
		element()
	}
}

// number reads a number in the lenient form and keeps it in the form of JSON.
func (p *jsonParser) number() node {
	n := p.node(numberNode)
	end := 0
	for end < len(p.rest) && (strings.IndexByte("+-.", p.rest[end]) >= 0 || nameByte(p.rest[end:])) {
		end++
	}
	written := p.rest[:end]
	sign, digits := "", strings.TrimPrefix(written, "+")
	if len(digits) == len(written) && strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if strings.Trim(digits, "0123456789.eE+-") != "" || digits == "" || strings.IndexByte("+-eE", digits[0]) >= 0 {
		panic(p.fail(facts.Show(written) + " is not a number"))
	}
	if _, err := strconv.ParseFloat(digits, 64); err != nil {
		panic(p.fail(facts.Show(written) + " is not a number, or too large"))
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" || digits[0] < '0' || digits[0] > '9' {
		digits = "0" + digits
	}
	n.text = sign + digits
	p.skip(end)
	return n
}

// text reads a quoted text.
func (p *jsonParser) text() node {
	n := p.node(textNode)
	n.quoted = true
	quote := p.rest[0]
	p.skip(1)
	var b strings.Builder
	for {
		plain := strings.IndexFunc(p.rest, func(r rune) bool {
			return r == rune(quote) || r == '\\' || r < ' ' || r == utf8.RuneError
		})
		if plain < 0 {
			panic(p.errorf(&n, "the text is not closed"))
		}
		b.WriteString(p.rest[:plain])
		p.skip(plain)
		switch c := p.rest[0]; {
		case c == quote:
			p.skip(1)
			n.text = b.String()
			return n
		case c == '\\':
			r, size := p.escape()
			if size == 0 {
				panic(p.fail("there is no such escape"))
			}
			b.WriteRune(r)
			p.skip(size)
		case c == '\n' || c == '\r':
			panic(p.errorf(&n, "the text is not closed on its line"))
		case c < ' ':
			panic(p.fail("a text may not hold the control character " + strconv.QuoteRune(rune(c))))
		default:
			r, size := utf8.DecodeRuneInString(p.rest)
			if size == 1 {
				panic(p.fail("the model is not UTF-8 text"))
			}
			b.WriteRune(r) // U+FFFD itself
			p.skip(size)
		}
	}
}

// escape decodes the escape at the current place; size is 0 if it is none.
func (p *jsonParser) escape() (r rune, size int) {
	if len(p.rest) < 2 {
		return 0, 0
	}
	switch c := p.rest[1]; c {
	case '"', '\'', '\\', '/':
		return rune(c), 2
	case 'b', 'f', 'n', 'r', 't':
		return rune("\b\f\n\r\t"[strings.IndexByte("bfnrt", c)]), 2
	case 'u':
		first, ok := hex4(p.rest[2:])
		if !ok {
			return 0, 0
		}
		if !utf16.IsSurrogate(first) {
			return first, 6
		}
		if len(p.rest) > 8 && p.rest[6:8] == `\u` {
			if second, ok := hex4(p.rest[8:]); ok {
				if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
					return r, 12
				}
			}
		}
	}
	return 0, 0
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	v, err := strconv.ParseUint(s[:4], 16, 16)
	return rune(v), err == nil
}
