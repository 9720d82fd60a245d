// Package mpitest starts programs under the MPI launchers of this machine, for tests.
//
//	for _, l := range mpitest.Launchers(t) {
//		out, err := l.Command(ctx, 4, program, args...).CombinedOutput()
//	}
//
// Debian's names tell the launchers of Open MPI and MPICH apart where both are
// installed. A test is skipped where there is none.
package mpitest

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// Launcher starts the ranks of a job.
type Launcher struct {
	// Name is openmpi or mpich.
	Name string
	path string
	args []string
}

// Launchers returns those there are, and skips the test where there is none.
func Launchers(t testing.TB) []Launcher {
	t.Helper()
	var found []Launcher
	for _, l := range []Launcher{
		// More ranks than processors are wanted here, and no rank bound to one.
		{Name: "openmpi", path: "mpirun.openmpi", args: []string{"--oversubscribe", "--bind-to", "none"}},
		{Name: "mpich", path: "mpirun.mpich"},
	} {
		path, err := exec.LookPath(l.path)
		if err != nil {
			t.Logf("no %s here", l.path)
			continue
		}
		l.path = path
		found = append(found, l)
	}
	if found == nil {
		t.Skip("no MPI here: install openmpi-bin and mpich")
	}
	return found
}

// Command returns the command that starts a program as the given number of ranks, one thread
// each.
func (l Launcher) Command(ctx context.Context, ranks int, program string, args ...string) *exec.Cmd {
	all := append([]string{"-n", strconv.Itoa(ranks)}, l.args...)
	cmd := exec.CommandContext(ctx, l.path, append(append(all, program), args...)...)
	// Open MPI's launcher wants to be told twice that it is meant to run as root.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	return cmd
}
