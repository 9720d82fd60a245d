package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hinge/internal/exit/exittest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"train": main})
}

// TestScripts runs the command as a user does. The build caches stay visible:
// the images lie in the module cache.
func TestScripts(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", home)
			for _, key := range []string{"GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS"} {
				if v, ok := os.LookupEnv(key); ok {
					e.Setenv(key, v)
				}
			}
			return nil
		},
		Cmds: exittest.Commands("train", exittest.OneLine),
	})
}
