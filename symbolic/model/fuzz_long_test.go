//go:build long

package model

import (
	"os"
	"os/exec"
	"testing"
)

// TestFuzzLong runs each fuzz target of the package for a minute.
func TestFuzzLong(t *testing.T) {
	for _, target := range []string{"FuzzJSON", "FuzzYAML", "FuzzModel", "FuzzData"} {
		t.Run(target, func(t *testing.T) {
			cmd := exec.Command("go", "test", "-run=^$", "-fuzz=^"+target+"$", "-fuzztime=60s", ".")
			cmd.Env = append(os.Environ(), "GOMEMLIMIT=1GiB")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
