package infer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/app/watch"
	"hinge/symbolic/model"
)

// Warnings wait for no clock, and quiet silences them.
func TestWarn(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		f, err := os.Create(filepath.Join(t.TempDir(), "out"))
		require.NoError(t, err)
		defer f.Close()
		j := newCommand(&options{quiet: quiet}, nil, watch.NewProgress("infer", f, true), nil)
		j.warn("careful: %d", 7)
		j.warn("careful: %d", 7)
		loud := model.Warning{Loud: true}
		loud.Msg = "another answer"
		j.add(loud)
		want := "infer: warning: careful: 7\ninfer: warning: another answer\n"
		if quiet {
			want = "infer: warning: another answer\n"
		}
		said, err := os.ReadFile(f.Name())
		require.NoError(t, err)
		assert.Equalf(t, want, string(said), "quiet %v", quiet)
		if err := j.strictly(); err == nil || !strings.HasPrefix(err.Error(), "-strict: 2 warnings") || exitCode(err) != 2 {
			t.Errorf("strict: %v", err)
		}
	}
}
