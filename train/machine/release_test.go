package machine

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRelease: the list of changes begins with the release, which is a semantic version.
func TestRelease(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	newest := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)\b`).FindSubmatch(text)
	if newest == nil || string(newest[1]) != Release {
		t.Errorf("CHANGELOG.md begins with %s, the program is %s", newest, Release)
	}
	if got := Describe("train", "kernels x"); !strings.HasPrefix(got, "train "+Release+", commit ") || !strings.HasSuffix(got, ", kernels x") {
		t.Error(got)
	}
}
