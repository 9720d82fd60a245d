package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hinge/reproduce/tables"
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
		"": nil, "CNN,LTN": {"CNN", "LTN"}, "NeuPSL, Energy,LTN": {"NeuPSL,Energy", "LTN"}, ",a b,": {"ab"},
	} {
		if got := rowNames(in); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Every record beside a page is shown on it: a change of a struct whose text is part of
// the settings would lose some without a word.
func TestRecordsAreShown(t *testing.T) {
	for name, list := range builders {
		page, err := build(list, tables.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := strconv.Atoi(name); err == nil {
			name = "table" + name
		}
		orphans, err := tables.Orphans(page, filepath.Join("..", "benchmarks", name+".jsonl"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		lost := map[string]int{}
		for _, r := range orphans {
			lost[r.Table+": "+r.Row+", "+r.Column]++
		}
		for cell, n := range lost {
			t.Errorf("%s.jsonl: %d records of %s have other settings than today's", name, n, cell)
		}
	}
}
