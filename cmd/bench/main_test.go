package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hinge/internal/exit/exittest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"bench": main})
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
