package psl

import (
	"strings"
	"testing"
)

// TestCaret puts the mistake ? at every place of lines of all sorts and looks
// where the caret stands.
func TestCaret(t *testing.T) {
	for _, line := range []string{
		"1: A(X) & B(X) -> C(X)",
		"\t1:\tA(X)\t-> C(X)",
		"1: A(X, 'größe €') -> C(X)",
		"1: " + strings.Repeat("A(X) & ", 60) + "B(X) -> C(X)",
	} {
		runes := []rune(line)
		for i, r := range runes {
			if r == ' ' || r == '\t' {
				source := "# a line\n\n" + string(runes[:i]) + "?" + string(runes[i+1:]) + "\n2: D(X) -> E(X)\n"
				if strings.Count(string(runes[:i]), "'") == 1 {
					continue // inside a constant
				}
				_, err := Parse("f", []byte(source))
				e, ok := err.(*Error)
				if !ok || e.Pos != (Pos{"f", 3, i + 1}) {
					t.Fatalf("%q: error %v", source, err)
				}
				if got := []rune(e.Line); got[e.Caret] != '?' || len(got) > maxShown {
					t.Errorf("%q: the caret is at %d of %q", source, e.Caret, e.Line)
				}
				lines := strings.Split(e.Detail(), "\n")
				shown, caret := []rune(lines[1]), []rune(lines[2])
				if len(caret) == 0 || caret[len(caret)-1] != '^' || shown[len(caret)-1] != '?' {
					t.Errorf("the caret is not under the place:\n%s", e.Detail())
				}
				for j, c := range caret[:len(caret)-1] {
					if (c == '\t') != (shown[j] == '\t') {
						t.Errorf("a tab is lost above or below:\n%s", e.Detail())
					}
				}
			}
		}
	}
}

// TestFirstMistake checks that the first of several mistakes is reported.
func TestFirstMistake(t *testing.T) {
	_, err := Parse("f", []byte("1: A(X) -> B(X)\n1: A(X) -> B(Y)\n1: A(X ->\n?"))
	if err == nil || err.Error() != "f:2:14: the variable Y is not bound" {
		t.Errorf("error %v", err)
	}
	// A mistake does not hide what is in front of it on the same line.
	_, err = Parse("f", []byte("1: A(X) -> B(Y) ?"))
	if err == nil || !strings.HasPrefix(err.Error(), "f:1:17: unexpected character") {
		t.Errorf("error %v", err)
	}
}
