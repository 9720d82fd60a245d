package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMutationsFit: each mutation of the list can be applied to the code of today, and its
// package has tests of the name that it asks for.
func TestMutationsFit(t *testing.T) {
	list, err := parse(data)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(list), 40)
	root := filepath.Join("..", "..")
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, m := range list {
		if _, err := m.apply(root); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(m.Package), "*_test.go"))
		require.NoError(t, err)
		found := false
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, f := range function.FindAllStringSubmatch(string(text), -1) {
				found = found || m.tests.MatchString(f[1])
			}
		}
		if !found {
			t.Errorf("%s: no test of %s matches %s", m.Name, m.Package, m.Run)
		}
	}
}

// module is a small module with a package in it that has good tests and others.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module toy\n\ngo 1.26.0\n",
		"calc/calc.go": `package calc

func Add(a, b int) int { return a + b }

func Count(n int) (sum int) {
	for i := 0; i < n; i++ {
		sum++
	}
	return sum
}
`,
		"calc/calc_test.go": `package calc

import (
	"os"
	"testing"
)

func TestAdd(t *testing.T) {
	t.Run("small", func(t *testing.T) {
		if Add(2, 3) != 5 {
			t.Error("2 + 3")
		}
	})
}

func TestZero(t *testing.T) {
	if Add(0, 0) != 0 {
		t.Error("0 + 0")
	}
}

func TestCount(t *testing.T) {
	if Count(3) != 3 {
		t.Error("3")
	}
}

func TestBroken(t *testing.T) { t.Error("always") }

func TestSkipped(t *testing.T) { t.Skip("there are no data") }

func TestEnd(t *testing.T) {
	if Add(1, 1) != 2 {
		os.Exit(1)
	}
}
`,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	return dir
}

// TestVerdicts: a fault is noticed by a test that fails, and by nothing else; the tree stays as
// it is.
func TestVerdicts(t *testing.T) {
	const minus = `old = "a + b"
new = "a - b"
`
	cases := []struct{ name, mutation, want string }{
		{"noticed", minus + `run = "TestAdd"`, " (TestAdd/small)\n"},
		{"survived", minus + `run = "TestZero"`, ": SURVIVED: no test fails"},
		{"noticed by one of two", minus + `run = "TestZero|TestAdd"`, " (TestAdd/small)\n"},
		{"panics", `old = "return a + b"
new = "panic(a)"
run = "TestZero"`, " (TestZero)\n"},
		{"does not compile", `old = "a + b"
new = "a + c"
run = "TestAdd"`, ": does not compile: "},
		{"hangs", `old = "i++"
new = "i += 0"
run = "TestCount"`, ": a test hangs: "},
		{"ends outside a test", minus + `run = "TestEnd"`, ": ended outside a test: "},
		{"the text is gone", `old = "a * b"
new = "a"
run = "TestAdd"`, ": old is in calc/calc.go 0 times, want once"},
		{"the text is there twice", `old = "return "
new = "return 1+"
run = "TestAdd"`, ": old is in calc/calc.go 2 times, want once"},
		{"no such test", `old = "a"
new = "b"
run = "TestNothing"`, ": no test of calc that is not skipped matches TestNothing"},
		{"skipped tests", minus + `run = "TestSkipped"`, ": no test of calc that is not skipped matches TestSkipped"},
		{"a test that fails anyway", minus + `run = "TestBroken"`, ": TestBroken fails without the fault"},
	}
	var text strings.Builder
	for _, c := range cases {
		fmt.Fprintf(&text, "[[mutation]]\nname = '%s'\nfile = 'calc/calc.go'\n%s\n", c.name, c.mutation)
	}
	list, err := parse([]byte(text.String()))
	require.NoError(t, err)
	root := module(t)
	r, err := newRunner(root, 2, time.Second)
	require.NoError(t, err)
	before, err := os.ReadFile(filepath.Join(root, "calc", "calc.go"))
	require.NoError(t, err)
	var out strings.Builder
	noticed, faults, err := r.run(t.Context(), &out, list)
	r.close()
	if noticed != 3 || faults != len(list) || err != nil || !strings.Contains(out.String(), "\n12 mutations, 3 noticed, in ") {
		t.Errorf("%d of %d, %v\n%s", noticed, faults, err, out.String())
	}
	for _, c := range cases {
		assert.Equalf(t, 1, strings.Count(out.String(), ": "+c.name+c.want), "%s: no %q in\n%s", c.name, c.want, out.String())
	}
	if after, err := os.ReadFile(filepath.Join(root, "calc", "calc.go")); err != nil || string(after) != string(before) {
		t.Errorf("the tree has changed, %v", err)
	}
	if _, err := os.Stat(r.work); err == nil {
		t.Errorf("changed files are left in %s", r.work)
	}
}

func TestParseRefuses(t *testing.T) {
	const good = "name = 'a'\nfile = 'b.go'\nold = 'c'\nnew = 'd'\nrun = 'TestE'\n"
	if list, err := parse([]byte("[[mutation]]\n" + good)); err != nil || list[0].Package != "." {
		t.Fatalf("%+v, %v", list, err)
	}
	for want, text := range map[string]string{
		"are needed":                   strings.Replace(good, "run = 'TestE'\n", "", 1),
		"old and new are the same":     strings.Replace(good, "'d'", "'c'", 1),
		"without a /":                  strings.Replace(good, "TestE", "TestE/f", 1),
		"missing closing )":            strings.Replace(good, "TestE", "Test(E", 1),
		"another one has the same":     good + "[[mutation]]\n" + good,
		"strict mode: fields":          good + "tests = 'x'\n",
		"mutation 1 (a): old and new ": strings.Replace(good, "'d'", "'c'", 1),
	} {
		if _, err := parse([]byte("[[mutation]]\n" + text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestInterrupted: an interruption is an error, and counts nothing as noticed or not.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	if ok, err := check(ctx, &out, filepath.Join("..", ".."), "symbolic/evaluate", false, 1, time.Minute); ok || err == nil || out.Len() > 0 {
		t.Errorf("%v, %v, %s", ok, err, out.String())
	}
	if _, err := check(t.Context(), &out, filepath.Join("..", ".."), "no such name", false, 1, time.Minute); err == nil {
		t.Error("a choice of nothing is no error")
	}
	if _, err := check(t.Context(), &out, t.TempDir(), "", false, 1, time.Minute); err == nil || !strings.Contains(err.Error(), "not the root of a module") {
		t.Errorf("%v", err)
	}
}
