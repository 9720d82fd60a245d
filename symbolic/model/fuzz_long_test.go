//go:build long

package model

import (
	"os"
	"os/exec"
	"testing"
)

// TestFuzzLong runs each fuzz target of the package for a minute, or for
// HINGE_FUZZTIME.
func TestFuzzLong(t *testing.T) {
	fuzz := os.Getenv("HINGE_FUZZTIME")
	if fuzz == "" {
		fuzz = "60s"
	}
	for _, target := range []string{"FuzzJSON", "FuzzYAML", "FuzzModel", "FuzzData"} {
		t.Run(target, func(t *testing.T) {
			cmd := exec.Command("go", "test", "-run=^$", "-fuzz=^"+target+"$", "-fuzztime="+fuzz, ".")
			cmd.Env = append(os.Environ(), "GOMEMLIMIT=1GiB")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
