package mpitest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// launcher puts a program that prints its arguments and two variables onto the path, as
// the only one there is.
func launcher(t *testing.T, names ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		script := "#!/bin/sh\nprintf '%s\\n' \"$@\" \"$GOMAXPROCS\" \"$OMPI_ALLOW_RUN_AS_ROOT_CONFIRM\"\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	t.Setenv("PATH", dir)
}

// A program is started as so many ranks, with what each launcher asks for in front of it.
func TestCommand(t *testing.T) {
	launcher(t, "mpirun.openmpi", "mpirun.mpich")
	found := Launchers(t)
	for i, want := range []struct {
		name string
		args []string
	}{
		{"openmpi", []string{"-n", "4", "--oversubscribe", "--bind-to", "none", "prog", "a b", "-n"}},
		{"mpich", []string{"-n", "4", "prog", "a b", "-n"}},
	} {
		out, err := found[i].Command(t.Context(), 4, "prog", "a b", "-n").Output()
		require.NoError(t, err)
		got := strings.Split(strings.TrimSpace(string(out)), "\n")
		if found[i].Name != want.name || !slices.Equal(got, append(want.args, "1", "1")) {
			t.Errorf("%s runs %q, want %s with %q", found[i].Name, got, want.name, want.args)
		}
	}
}

// The launchers that are there are found; where none is, the test is skipped.
func TestLaunchers(t *testing.T) {
	launcher(t, "mpirun.mpich")
	if found := Launchers(t); len(found) != 1 || found[0].Name != "mpich" {
		t.Errorf("found %+v", found)
	}
	launcher(t)
	skipped := false
	t.Run("none", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		Launchers(t)
	})
	if !skipped {
		t.Error("a test without launchers goes on")
	}
}
