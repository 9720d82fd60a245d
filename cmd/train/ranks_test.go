//go:build mpi

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/cluster/mpi/mpitest"
)

// program is this binary under the name by which it is the command.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "train")
	require.NoError(t, os.Symlink(self, path))
	return path
}

// small are the flags of a run of ResNet18 in four shards of one addition each.
func small(dir string, steps int) []string {
	return []string{
		"-task", "mnist-add1", "-loss", "mse", "-additions", "8", "-shards", "4", "-out", dir, "-steps", strconv.Itoa(steps),
		"-set", "training.batch=4", "-set", "training.no-test=true", "-set", "neural.gumbel-samples=2", "-set", "bilevel.samples=4",
		"-set", "bilevel.test-every=1", "-set", "neural.dropout=0.1", "-valid-every", "1000", "-checkpoint-every", "2",
	}
}

// weights are the tensors of the checkpoint of a step.
func weights(t *testing.T, dir string, step int) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("step-%08d", step), "tensors.safetensors"))
	require.NoError(t, err)
	return data
}

// alone runs the command as one process of one thread.
func alone(t *testing.T, train string, args []string) {
	t.Helper()
	cmd := exec.Command(train, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestRanks: two and four ranks under each MPI leave the bits of one process, and say
// what communication took; also where batch normalisation is synchronised.
func TestRanks(t *testing.T) {
	local := testRanks(t, 2)
	synced := testRanks(t, 2, "-sync-batch-norm")
	if bytes.Equal(local, synced) {
		t.Error("synchronised batch normalisation changes nothing")
	}
}

// testRanks returns the weights that all leave.
func testRanks(t *testing.T, steps int, more ...string) []byte {
	t.Helper()
	launchers, train := mpitest.Launchers(t), program(t)
	one := filepath.Join(t.TempDir(), "one")
	alone(t, train, append(small(one, steps), more...))
	for _, l := range launchers {
		for _, ranks := range []int{2, 4} {
			dir := filepath.Join(t.TempDir(), fmt.Sprint(l.Name, ranks))
			out, err := l.Command(t.Context(), ranks, train, append(small(dir, steps), more...)...).CombinedOutput()
			if err != nil || !bytes.Contains(out, []byte("ranks: communication")) {
				t.Errorf("%s, %d ranks: %v\n%s", l.Name, ranks, err, out)
				continue
			}
			if !bytes.Equal(weights(t, dir, steps), weights(t, one, steps)) {
				t.Errorf("%s: %d ranks left other bits than one process", l.Name, ranks)
			}
		}
	}
	return weights(t, one, steps)
}

// TestKilledRank: a rank that is killed ends the job within ten seconds, with a message,
// and the run goes on from its checkpoint, with another number of ranks, to the bits of a
// run that nobody disturbed.
func TestKilledRank(t *testing.T) {
	launchers, train := mpitest.Launchers(t), program(t)
	const steps = 8
	one := filepath.Join(t.TempDir(), "one")
	alone(t, train, small(one, steps))
	for _, l := range launchers {
		dir := filepath.Join(t.TempDir(), l.Name)
		endless := small(dir, steps)
		cmd := l.Command(t.Context(), 4, train, append(endless, "-resume=auto")...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		require.NoError(t, cmd.Start())
		killed := killRank(t, train, filepath.Join(dir, "step-00000002"))
		err := cmd.Wait()
		if took := time.Since(killed); err == nil || took > 10*time.Second || out.Len() == 0 {
			t.Errorf("%s: %v %v after the kill:\n%s", l.Name, err, took, out.String())
		} else {
			t.Logf("%s: ended %.1f s after the kill: %s", l.Name, took.Seconds(), lastLines(out.String()))
		}
		if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf("step-%08d", steps))); err == nil {
			t.Fatalf("%s: the run was over before the kill", l.Name)
		}
		again, err := l.Command(t.Context(), 2, train, append(endless, "-resume=auto")...).CombinedOutput()
		if err != nil || !bytes.Contains(again, []byte("resuming from step")) {
			t.Errorf("%s: resumed: %v\n%s", l.Name, err, again)
			continue
		}
		if !bytes.Equal(weights(t, dir, steps), weights(t, one, steps)) {
			t.Errorf("%s: the resumed run has other bits", l.Name)
		}
	}
}

// killRank kills a rank once a file is there, and returns when.
func killRank(t *testing.T, train, file string) time.Time {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) || time.Now().After(end) {
			t.Fatalf("no %s: %v", file, err)
		}
	}
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, name := range names {
		line, err := os.ReadFile(name)
		if err != nil || !bytes.HasPrefix(line, []byte(train+"\x00")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		return time.Now()
	}
	t.Fatal("no rank is running")
	return time.Time{}
}

// lastLines are the last words of an output.
func lastLines(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}

// TestStartErrors: mistakes end all ranks with exit code 2 and one line of the command, beside
// its warnings.
func TestStartErrors(t *testing.T) {
	launchers, train := mpitest.Launchers(t), program(t)
	for _, l := range launchers {
		for _, c := range []struct {
			ranks int
			args  []string
			want  string
		}{
			{3, nil, "4 shards do not divide among 3 ranks"},
			{2, []string{"-shards", "3"}, "batches of 4 do not divide into 3 shards"},
			{2, []string{"-mpi", "libnosuchmpi.so"}, "no MPI library: tried libnosuchmpi.so"},
			{2, []string{"-eval"}, "for one process"},
		} {
			dir := filepath.Join(t.TempDir(), "run")
			cmd := l.Command(t.Context(), c.ranks, train, append(small(dir, 2), c.args...)...)
			out, err := cmd.CombinedOutput()
			said := strings.Count("\n"+string(out), "\ntrain: ") - strings.Count("\n"+string(out), "\ntrain: warning: ")
			if err == nil || cmd.ProcessState.ExitCode() != 2 || said != 1 || !bytes.Contains(out, []byte(c.want)) {
				t.Errorf("%s, %d ranks, %v: %v, %d lines:\n%s", l.Name, c.ranks, c.args, err, said, out)
			}
		}
	}
}
