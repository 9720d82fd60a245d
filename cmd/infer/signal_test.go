package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInterrupt sends SIGINT and SIGTERM to a run that would take hours: it ends
// at once with 130 or 143 and leaves no file.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	// A rule over the square of 600³ pairs.
	var data strings.Builder
	for i := range 600 {
		fmt.Fprintf(&data, "a%d\n", i)
	}
	model := `{"rules": ["1: P(A) & P(B) & P(C) & P(D) -> Q(A)"], "predicates": {"P/1": {"observations": ["p.txt"]}, "Q/1": {"targets": ["p.txt"]}}}`
	for name, content := range map[string]string{"p.txt": data.String(), "model.json": model} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
	}
	for sig, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		out := filepath.Join(dir, fmt.Sprint("out", want))
		cmd := exec.Command("infer", "-model", filepath.Join(dir, "model.json"), "-out", out) // of TestMain
		cmd.Env = append(os.Environ(), "GOMEMLIMIT=200MiB")
		stderr, err := cmd.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		lines := bufio.NewScanner(stderr)
		var seen []string
		for lines.Scan() {
			seen = append(seen, lines.Text())
			// The warning comes before the grounding.
			if strings.Contains(lines.Text(), "very many groundings") {
				require.NoError(t, cmd.Process.Signal(sig))
			}
		}
		err = cmd.Wait()
		timer.Stop()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != want {
			t.Fatalf("%v: ended with %v, want exit code %d; it said:\n%s", sig, err, want, strings.Join(seen, "\n"))
		}
		assert.Equalf(t, "infer: interrupted, nothing written", seen[len(seen)-1], "%v: the last word", sig)
		if files, _ := os.ReadDir(out); len(files) != 0 {
			t.Errorf("%v: files %v", sig, files)
		}
	}
}
