package kernel

import (
	"slices"
	"strings"
	"testing"
)

func TestUseSwitchesAndRestores(t *testing.T) {
	before := Path()
	restore, err := Use("portable")
	if err != nil {
		t.Fatal(err)
	}
	if Path() != "portable" {
		t.Errorf("path %q after Use", Path())
	}
	restore()
	if Path() != before {
		t.Errorf("path %q after restore, want %q", Path(), before)
	}
}

func TestUseNamesThePathsThereAre(t *testing.T) {
	_, err := Use("abacus")
	if err == nil || !strings.Contains(err.Error(), "portable") || !strings.Contains(err.Error(), "abacus") {
		t.Errorf("error %v, want one that names both", err)
	}
	if names := Paths(); names[len(names)-1] != "portable" || !slices.Contains(names, Path()) {
		t.Errorf("paths %v, in use %q", names, Path())
	}
}
