package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hinge/internal/exit/exittest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"infer": main})
}

// TestScripts runs the command as a user does.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  filepath.Join("testdata", "script"),
		Cmds: exittest.Commands("infer", exittest.Text),
	})
}
