package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train/checkpoint"
)

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
