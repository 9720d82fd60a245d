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

// start runs the command with args in a process of its own and returns it with the
// lines of its standard error. After two minutes it is killed.
func start(t *testing.T, args string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$", "--")
	cmd.Env = append(os.Environ(), "TRAIN_ARGS="+args)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop() })
	return cmd, bufio.NewScanner(stderr)
}

// TestChild is the run that start starts; alone it does nothing.
func TestChild(t *testing.T) {
	args := os.Getenv("TRAIN_ARGS")
	if args == "" {
		return
	}
	os.Args = append(os.Args[:1], strings.Fields(args)...)
	main()
}
