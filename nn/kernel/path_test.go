package kernel

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUseSwitchesAndRestores(t *testing.T) {
	before := Path()
	restore, err := Use("portable")
	require.NoError(t, err)
	assert.Equal(t, "portable", Path(), "path")
	restore()
	assert.Equal(t, before, Path(), "path")
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
