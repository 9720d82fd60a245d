package psl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// lex prints the tokens of a source: kind, text and, where asked for, place.
func lex(t *testing.T, text string, places bool) (printed string) {
	t.Helper()
	lx := &lexer{src: &source{text: text}, line: 1, col: 1}
	var out []string
	defer func() {
		if err, ok := recover().(*Error); ok {
			printed = strings.Join(append(out, "error "+err.Msg), " ")
		}
	}()
	for {
		tok := lx.next()
		if tok.kind == endOfRule {
			return strings.Join(out, " ")
		}
		s := fmt.Sprintf("%d:%s", tok.kind, tok.text)
		if tok.kind == number {
			s = fmt.Sprintf("%d:%v", tok.kind, tok.value)
		}
		if places {
			s = fmt.Sprintf("%s@%d:%d-%d", tok.text, tok.pos.Line, tok.pos.Col, tok.endCol)
			if tok.newline {
				s = "/" + s
			}
		}
		out = append(out, s)
	}
}

func TestNumbers(t *testing.T) {
	for source, want := range map[string]string{
		"0": "0", "007": "7", "1.5": "1.5", "1e3": "1000", "1E-3": "0.001", "1.5e+2": "150", "1e-400": "0",
		"0.1": "0.1", "123456789012345678901234567890": "1.2345678901234568e+29",
	} {
		if got, want := lex(t, source, false), fmt.Sprintf("%d:%s", number, want); got != want {
			t.Errorf("%q is %s, want %s", source, got, want)
		}
	}
	for source, want := range map[string]string{
		"1.":    fmt.Sprintf("%d:1 %d:.", number, period),
		"1.e3":  fmt.Sprintf("%d:1 %d:. %d:e3", number, period, ident),
		"1..5":  fmt.Sprintf("%d:1 %d:. %d:. %d:5", number, period, period, number),
		"1 e3":  fmt.Sprintf("%d:1 %d:e3", number, ident),
		"-1":    fmt.Sprintf("%d:- %d:1", minus, number),
		"1e999": "error the number 1e999 is too large",
		"1e":    `error "1e" is neither a number nor a name`,
		"1e-":   `error "1e" is neither a number nor a name`,
		"0x10":  `error "0x10" is neither a number nor a name`,
		"1_000": `error "1_000" is neither a number nor a name`,
	} {
		assert.Equalf(t, want, lex(t, source, false), "%q", source)
	}
}

func TestQuotes(t *testing.T) {
	for source, want := range map[string]string{
		`'a'`: "a", `"a"`: "a", `'a"b'`: `a"b`, `"it's"`: "it's", `'a\'b'`: "a'b", `"a\"b"`: `a"b`, `'\\'`: `\`,
		`'\n\r\t'`: "\n\r\t", `' '`: " ", `''`: "", `'# no comment // /*'`: "# no comment // /*", `'größe €'`: "größe €",
	} {
		if got, want := lex(t, source, false), fmt.Sprintf("%d:%s", quoted, want); got != want {
			t.Errorf("%s is %q, want %q", source, got, want)
		}
	}
	for source, want := range map[string]string{
		`'a`:     "error the constant is not closed",
		"'a\n'":  "error the constant is not closed",
		`'a"`:    "error the constant is not closed",
		`'a\'`:   "error the constant is not closed",
		`'\x41'`: "error unknown escape in a constant",
		`'a\`:    "error unknown escape in a constant",
	} {
		assert.Equalf(t, want, lex(t, source, false), "%s", source)
	}
	// Quoting and lexing are inverse.
	for _, s := range []string{"a", "it's", `\`, `\'`, "\n\r\t", `"`, "ü", "\x00\u0085"} {
		if got, want := lex(t, Quote(s), false), fmt.Sprintf("%d:%s", quoted, s); got != want {
			t.Errorf("%q is quoted as %s and read as %q", s, Quote(s), got)
		}
	}
}

func TestPlaces(t *testing.T) {
	for source, want := range map[string]string{
		"A B":                     "A@1:1-2 B@1:3-4",
		"A\nB":                    "A@1:1-2 /B@2:1-2",
		"A # x\n  // y\n\tBB":     "A@1:1-2 /BB@3:2-4",
		"A /* x */ B":             "A@1:1-2 B@1:11-12",
		"A /* x\n\n*/ B":          "A@1:1-2 /B@3:4-5",
		"'ä€' B":                  "ä€@1:1-5 B@1:6-7",
		"A\r\nB":                  "A@1:1-2 /B@2:1-2",
		"A // no end":             "A@1:1-2",
		"/**/A/***/B":             "A@1:5-6 B@1:11-12",
		"A /* x":                  "A@1:1-2 error the comment is not closed",
		"1.5e3 <=\n\n 'x'\t\tC":   "1.5e3@1:1-6 <=@1:7-9 /x@3:2-5 C@3:7-8",
		"#only\n#comments\n \t\n": "",
	} {
		assert.Equalf(t, want, lex(t, source, true), "%q", source)
	}
}
