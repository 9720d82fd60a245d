package record

import (
	"os"
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
	if os.Geteuid() == 0 {
		return // nothing is forbidden to the superuser
	}
	// A search of rules went on to its end before it could not be written.
	require.NoError(t, os.Mkdir(dir, 0o555))
	_, err = Hold(dir)
	require.ErrorContains(t, err, "cannot write to the folder "+dir)
}
