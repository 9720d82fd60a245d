package psl

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParse feeds arbitrary bytes: Parse must not panic, its errors must be
// complete, and what it accepts must survive printing.
func FuzzParse(f *testing.F) {
	if golden, err := os.ReadFile("testdata/errors.txt"); err == nil {
		for _, block := range strings.Split(string(golden), "=== ") {
			source, _, _ := strings.Cut(block, "---\n")
			_, source, _ = strings.Cut(source, "\n")
			f.Add([]byte(source))
		}
	}
	f.Add([]byte("1: 0 * B(X, Y) + D(X, +Z) / |Z| <= @Max[1, |Z|] - 'a' % X ^2 {Z: !P(Z, X) & (Q(Z) | Z != 'b')}"))
	f.Add([]byte("B(X) | !C(X) <- A(X) && X != \"y\" . // end"))
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := Parse("fuzz.psl", src)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Msg == "" || e.Pos.Line < 1 || e.Pos.Col < 1 || e.Pos.File != "fuzz.psl" {
				t.Fatalf("incomplete error %#v", err)
			}
			if e.Caret < 0 || strings.Contains(e.Line, "\n") || !strings.HasPrefix(e.Detail(), e.Error()) {
				t.Fatalf("bad error %#v", e)
			}
			return
		}
		text := p.String()
		again, err := Parse("again.psl", []byte(text))
		require.NoErrorf(t, err, "%q is printed as %q", src, text)
		if again.String() != text || !reflect.DeepEqual(bare(p), bare(again)) {
			t.Fatalf("%q is printed as %q, which is another program: %q", src, text, again)
		}
	})
}
