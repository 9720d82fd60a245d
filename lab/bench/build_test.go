package bench

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The build is the digest of the program's file.
func TestBuild(t *testing.T) {
	path, err := os.Executable()
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	got, err := Build()
	if want := fmt.Sprintf("%x", sha256.Sum256(text))[:16]; err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
