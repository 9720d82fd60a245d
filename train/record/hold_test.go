package record

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A folder has one writer at a time.
func TestHold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "a")
	release, err := Hold(dir)
	require.NoError(t, err)
	_, err = Hold(dir)
	require.ErrorContains(t, err, "another process writes to "+dir)
	release()
	release, err = Hold(dir)
	require.NoError(t, err)
	release()
}
