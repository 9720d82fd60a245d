//go:build long

package features

import (
	"bytes"
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
	out, err := cmd.CombinedOutput()
	// Before Go 1.27 a target may end so when its time is up, without a finding: go.dev/issue/75804.
	ended := bytes.Contains(out, []byte("context deadline exceeded")) && !bytes.Contains(out, []byte("Failing input"))
	if err != nil && !ended {
		t.Errorf("%v\n%s", err, out)
	}
}
