package psl

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the error messages in testdata/errors.txt anew")

// goldenCase is a block of testdata/errors.txt: "=== name", the source, "---",
// the error in its long form.
type goldenCase struct{ name, source, want string }

func readGolden(t *testing.T) []goldenCase {
	raw, err := os.ReadFile("testdata/errors.txt")
	require.NoError(t, err)
	var cases []goldenCase
	for _, block := range strings.Split(string(raw), "=== ")[1:] {
		name, rest, _ := strings.Cut(block, "\n")
		source, want, ok := strings.Cut(rest, "---\n")
		if !ok {
			t.Fatalf("case %s has no --- line", name)
		}
		cases = append(cases, goldenCase{name, strings.TrimSuffix(source, "\n"), strings.TrimSpace(want)})
	}
	return cases
}

func TestGoldenErrors(t *testing.T) {
	cases := readGolden(t)
	var b strings.Builder
	seen := map[string]string{}
	for _, c := range cases {
		source := strings.NewReplacer(`\x00`, "\x00", `\xff`, "\xff").Replace(c.source)
		prog, err := Parse("model.psl", []byte(source))
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: %q gave no error but %v", c.name, c.source, prog)
		}
		got := e.Detail()
		b.WriteString("=== " + c.name + "\n" + c.source + "\n---\n" + got + "\n\n")
		if got != c.want && !*update {
			t.Errorf("%s: %q gave\n%s\nwant\n%s", c.name, c.source, got, c.want)
		}
		if first, _, _ := strings.Cut(got, "\n"); first != e.Error() || strings.Contains(e.Error(), "\n") {
			t.Errorf("%s: the first line of %q is not the one-line form %q", c.name, got, e.Error())
		}
		if other, ok := seen[c.name]; ok {
			t.Errorf("two cases are called %s: %q", c.name, other)
		}
		seen[c.name] = c.source
	}
	if len(cases) < 30 {
		t.Errorf("only %d cases", len(cases))
	}
	if *update {
		require.NoError(t, os.WriteFile("testdata/errors.txt", []byte(b.String()), 0o666))
	}
}
