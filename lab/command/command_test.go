package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/lab/tables"
	"hinge/train/exit/exittest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"bench": func() { os.Exit(Run(os.Args[1:])) }})
}

// TestScripts runs the command as a user does.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  filepath.Join("testdata", "script"),
		Cmds: exittest.Commands("bench", exittest.OneLine),
	})
}

// Rows have commas in their names.
func TestRowNames(t *testing.T) {
	for in, want := range map[string][]string{
		"": {}, "CNN,LTN": {"CNN", "LTN"}, "NeuPSL, Energy,LTN": {"NeuPSL,Energy", "LTN"}, ",a b,": {"ab"},
	} {
		assert.Equal(t, want, nameList(in), in)
	}
}

// eachPage calls f with the tables of every page, and with the command that makes it.
func eachPage(t *testing.T, f func(page []*tables.Table, o *tableOptions)) {
	t.Helper()
	for name, list := range builders {
		page, err := build(list, tables.Options{})
		require.NoError(t, err)
		f(page, &tableOptions{name: name, out: filepath.Join("..", "benchmarks")})
	}
}

// The code of every commit that made a record is listed: what is not counts as another.
func TestCodesAreListed(t *testing.T) {
	eachPage(t, func(page []*tables.Table, o *tableOptions) {
		for _, part := range page {
			if part.Code == "" {
				t.Errorf("%s does not say which code its runs go through", part.Label())
			}
		}
		if err := tables.ListCodes(page, o.path(".jsonl"), func(string, string) (string, error) {
			return "", errors.New("go run ./lab/cmd/bench -print in a clone lists it")
		}); err != nil {
			t.Errorf("-table %s: %v", o.name, err)
		}
	})
}

// Every page is what the command prints from the records beside it.
func TestPagesArePrinted(t *testing.T) {
	eachPage(t, func(page []*tables.Table, o *tableOptions) {
		var want strings.Builder
		require.NoError(t, tables.Report(&want, page, o.path(".jsonl"), o.command()))
		got, err := os.ReadFile(o.path(".md"))
		require.NoError(t, err)
		assert.Equalf(t, want.String(), string(got), "%s is not what go run %s -print makes", o.path(".md"), strings.TrimPrefix(o.command(), "go run "))
	})
}

// Every record beside a page is shown on it: a change of a struct whose text is part of
// the settings would lose some without a word.
func TestRecordsAreShown(t *testing.T) {
	eachPage(t, func(page []*tables.Table, o *tableOptions) {
		orphans, err := tables.Orphans(page, o.path(".jsonl"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		lost := map[string]int{}
		for _, r := range orphans {
			lost[r.Table+": "+r.Row+", "+r.Column]++
		}
		for cell, n := range lost {
			t.Errorf("-table %s: %d records of %s have other settings than today's", o.name, n, cell)
		}
	})
}
