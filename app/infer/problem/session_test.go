package problem

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/app/cli"
	"hinge/app/watch"
	"hinge/symbolic/model"
)

// Warnings wait for no clock, and quiet silences them.
func TestWarn(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		f, err := os.Create(filepath.Join(t.TempDir(), "out"))
		require.NoError(t, err)
		defer f.Close()
		j := NewSession(&Options{Quiet: quiet}, nil, watch.NewProgress("infer", f, true), nil)
		j.Warn("careful: %d", 7)
		j.Warn("careful: %d", 7)
		loud := model.Warning{Loud: true}
		loud.Msg = "another answer"
		j.Add(loud)
		want := "infer: warning: careful: 7\ninfer: warning: another answer\n"
		if quiet {
			want = "infer: warning: another answer\n"
		}
		said, err := os.ReadFile(f.Name())
		require.NoError(t, err)
		assert.Equalf(t, want, string(said), "quiet %v", quiet)
		if err := j.Strictly(); err == nil || !strings.HasPrefix(err.Error(), "-strict: 2 warnings") || cli.ExitCode(err) != 2 {
			t.Errorf("strict: %v", err)
		}
	}
}
