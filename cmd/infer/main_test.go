package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hinge/train/exit/exittest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"infer": main})
}

// TestScripts runs the command as a user does, and from Python if that is there.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  filepath.Join("testdata", "script"),
		Cmds: exittest.Commands("infer", exittest.Text),
		Setup: func(e *testscript.Env) error {
			folder, err := filepath.Abs(filepath.Join("..", "..", "app", "python"))
			e.Setenv("PYTHON_FOLDER", folder)
			return err
		},
	})
}
