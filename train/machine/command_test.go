package machine

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCommand: a program that go run made is called by its package, one that was built by
// its path, and of files it is not known how.
func TestCommand(t *testing.T) {
	built := filepath.Join(t.TempDir(), "built it")
	run := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v: %s", name, args, err, out)
		}
		return string(out)
	}
	run("go", "build", "-o", built, "./testdata/called")
	for _, c := range []struct{ got, want string }{
		{run("go", "run", "./testdata/called"), `["go" "run" "hinge/train/machine/testdata/called"]`},
		{run("go", "run", "hinge/train/machine/testdata/called"), `["go" "run" "hinge/train/machine/testdata/called"]`},
		{run("go", "run", "testdata/called/main.go"), "[]"},
		{run(built), `["` + built + `"]`},
	} {
		assert.Equal(t, c.want, c.got)
	}
}
