package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"hinge/train/checkpoint"
)

// TestInterrupt sends SIGINT and SIGTERM to a real run: it finishes the step,
// writes a checkpoint and exits 130 or 143, and -resume goes on from there.
func TestInterrupt(t *testing.T) {
	for sig, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		dir := filepath.Join(t.TempDir(), "run")
		cmd, lines := start(t, "-task mnist-add1 -network lenet -additions 40 -steps 100000 -valid-every 100000 -log json -out "+dir)
		var seen []string
		for lines.Scan() {
			seen = append(seen, lines.Text())
			if strings.Contains(lines.Text(), `"msg":"step"`) {
				require.NoError(t, cmd.Process.Signal(sig))
				break
			}
		}
		for lines.Scan() {
			seen = append(seen, lines.Text())
		}
		err := cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != want {
			t.Fatalf("%v: ended with %v, want exit code %d; it said:\n%s", sig, err, want, strings.Join(seen, "\n"))
		}
		if found, _ := filepath.Glob(filepath.Join(dir, "step-*", "manifest.json")); len(found) != 1 {
			t.Errorf("%v: checkpoints %v, want one", sig, found)
		}
	}
}

// TestSecondSignal: a second signal ends the run in the middle of the step that
// the first one lets it finish, and the last checkpoint stays good.
func TestSecondSignal(t *testing.T) {
	for range 5 {
		dir := filepath.Join(t.TempDir(), "run")
		cmd, lines := start(t, "-task mnist-add1 -network lenet -additions 300 -set training.batch=150 -steps 100000 -valid-every 100000 -checkpoint-every 1 -log json -out "+dir)
		written := 0
		for lines.Scan() {
			if strings.Contains(lines.Text(), "written") {
				if written++; written == 2 {
					_ = cmd.Process.Signal(os.Interrupt)
				}
			}
			if strings.Contains(lines.Text(), "once more to exit at once") {
				_ = cmd.Process.Signal(syscall.SIGTERM)
			}
		}
		err := cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 130 && exit.ExitCode() != 143 {
			t.Fatalf("ended with %v, want exit code 130 or 143", err)
		}
		store, err := checkpoint.Open(dir, checkpoint.Options{ReadOnly: true})
		require.NoError(t, err)
		c, err := store.Latest(func(name string, err error) { t.Errorf("checkpoint %s: %v", name, err) })
		if err != nil || c.Step < 2 {
			t.Fatalf("after two signals the newest checkpoint is %v, %v", c, err)
		}
		// 143 is the second signal's; the first alone ends with 130.
		if exit.ExitCode() == 143 {
			return
		}
	}
	t.Error("the second signal never came before the first had ended the run")
}

// start runs the command of TestMain with args in a process of its own and returns it with the
// lines of its standard error. After two minutes it is killed.
func start(t *testing.T, args string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command("train", strings.Fields(args)...)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop() })
	return cmd, bufio.NewScanner(stderr)
}
