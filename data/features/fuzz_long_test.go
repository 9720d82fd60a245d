//go:build long

package features

import (
	"os"
	"os/exec"
	"testing"
)

// TestFuzzReadLong runs the fuzz target for a minute, or for HINGE_FUZZTIME.
func TestFuzzReadLong(t *testing.T) {
	fuzz := os.Getenv("HINGE_FUZZTIME")
	if fuzz == "" {
		fuzz = "60s"
	}
	cmd := exec.Command("go", "test", "-run=^$", "-fuzz=^FuzzRead$", "-fuzztime="+fuzz, ".")
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=1GiB")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
