package kernel

import (
	"slices"
	"testing"
)

func TestPaths(t *testing.T) {
	if names := Paths(); names[len(names)-1] != "portable" || !slices.Contains(names, Path()) {
		t.Errorf("paths %v, in use %q", names, Path())
	}
}
