package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlace: lines and columns count from 1.
func TestPlace(t *testing.T) {
	source := []byte("a\n\tb + c\n")
	at, line := place(source, 2, 4)
	assert.Equal(t, 5, at)
	assert.Equal(t, "\tb + c", line)
	old, replaced := operator(source[at:], "ARITHMETIC_BASE")
	assert.Equal(t, "+ -", old+" "+replaced)
	old, _ = operator(source[at:], "INCREMENT_DECREMENT")
	assert.Empty(t, old)
	_, replaced = operator([]byte("<= 3"), "CONDITIONALS_NEGATION")
	assert.Equal(t, ">", replaced, "the longer operator is read")
}

// TestDrawnVerdicts: a drawn mutation is at its offset, tests that hang notice it, and one that does
// not compile counts for nothing.
func TestDrawnVerdicts(t *testing.T) {
	const source = "package calc\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Count(n int) (sum int) {\n\tfor i := 0; i < n; i++ {\n"
	draw := func(old, replaced string) *mutation {
		return &mutation{
			Name: old + " " + replaced, File: "calc/calc.go", Package: "calc", Run: "TestAdd|TestCount", tests: everyTest,
			Old: old, New: replaced, drawn: true, at: strings.Index(source, old),
		}
	}
	r, err := newRunner(module(t), 2, time.Second)
	require.NoError(t, err)
	defer r.close()
	var out strings.Builder
	noticed, faults, err := r.run(t.Context(), &out, []*mutation{
		draw("+", "-"), draw("++", "--"), draw("+ b", "+ nil"), draw("0", "0 * 1"),
	})
	require.NoError(t, err)
	assert.Equal(t, 2, noticed, out.String())
	assert.Equal(t, 3, faults, out.String())
	assert.Contains(t, out.String(), "0 0 * 1: SURVIVED")

	moved := draw("+", "-")
	moved.at++
	_, err = moved.apply(r.root)
	assert.ErrorContains(t, err, "is not at offset")
}

// TestChanged: packages with tests that changed since a commit, of this module alone.
func TestChanged(t *testing.T) {
	root := module(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "one")
	r, err := newRunner(root, 1, time.Second)
	require.NoError(t, err)
	defer r.close()
	first, err := r.git(t.Context(), "rev-parse", "HEAD")
	require.NoError(t, err)
	found, err := r.changed(t.Context(), first)
	require.NoError(t, err)
	assert.Empty(t, found)

	write("calc/more.go", "package calc\n")
	write("bare/bare.go", "package bare\n")
	write("other/go.mod", "module other\n")
	write("other/x/x.go", "package x\n")
	write("other/x/x_test.go", "package x\n")
	git("add", ".")
	git("commit", "-qm", "two")
	found, err = r.changed(t.Context(), first)
	require.NoError(t, err)
	assert.Equal(t, []string{"calc"}, found, "bare has no tests, other is another module")
	found, err = r.changed(t.Context(), strings.Repeat("0", 40))
	require.NoError(t, err)
	assert.Equal(t, []string{"calc"}, found, "all packages where the commit is not in the clone")
}

func TestReadRecord(t *testing.T) {
	const good = "commit = 'a'\npackages = 1\nsample = 2\nfloor = 0.5\n"
	rec, err := readRecord([]byte(good + "[[equivalent]]\nfile = 'b.go'\nline = 'x < y'\ntype = 'CONDITIONALS_BOUNDARY'\nwhy = 'c'\n"))
	require.NoError(t, err)
	assert.True(t, rec.equivalent("b.go", "\tx < y", "CONDITIONALS_BOUNDARY"))
	assert.False(t, rec.equivalent("b.go", "\tx < y", "CONDITIONALS_NEGATION"))
	for want, text := range map[string]string{
		"a floor in (0, 1]":         strings.Replace(good, "0.5", "1.5", 1),
		"needs file, line, type":    good + "[[equivalent]]\nfile = 'b.go'\n",
		"strict mode":               good + "more = 1\n",
		"commit, packages, sample ": strings.Replace(good, "'a'", "''", 1),
	} {
		_, err := readRecord([]byte(text))
		assert.ErrorContains(t, err, want)
	}
	_, err = readRecord(recorded)
	assert.NoError(t, err)
}
