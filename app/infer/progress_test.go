package infer

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/model"
)

// memories are the parts of lines that say how much memory is in use.
var memories = regexp.MustCompile(`, [0-9.e+]+ [KMGT]iB`)

// A display that writes to a file, without its own clock.
func testProgress(t *testing.T, terminal bool) (p *progress, read func() string) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	p = newProgress(f, true)
	p.terminal = terminal
	return p, func() string {
		data, err := os.ReadFile(f.Name())
		require.NoError(t, err)
		return string(data)
	}
}

func TestProgressLines(t *testing.T) {
	p, read := testProgress(t, false)
	p.tick(time.Now().Add(time.Hour)) // before the first phase
	p.start("grounding")
	for s := range 25 {
		p.tick(p.since.Add(time.Duration(s) * time.Second))
	}
	p.start("reading") // short: not worth a word
	p.tick(p.since.Add(time.Second))
	p.start("solving", func() string { return "at 3 of 7" })
	p.tick(p.since.Add(4 * time.Second))
	p.note("note")
	p.close()
	p.close()
	const want = "infer: grounding, 2 s\ninfer: grounding, 12 s\ninfer: grounding, 22 s\ninfer: solving, 4 s, at 3 of 7\nnote\n"
	assert.Equal(t, want, memories.ReplaceAllString(read(), ""))
}

func TestProgressTerminal(t *testing.T) {
	p, read := testProgress(t, true)
	p.start("grounding")
	p.tick(p.since.Add(3 * time.Second))
	p.tick(p.since.Add(4 * time.Second))
	p.note("note")
	p.tick(p.since.Add(5 * time.Second))
	p.close()
	const want = "\r\x1b[Kgrounding, 3 s\r\x1b[Kgrounding, 4 s\r\x1b[Knote\n\r\x1b[Kgrounding, 5 s\r\x1b[K"
	assert.Equal(t, want, memories.ReplaceAllString(read(), ""))
}

// Warnings wait for no clock, and quiet silences them.
func TestWarn(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		p, read := testProgress(t, false)
		j := newCommand(&options{quiet: quiet}, nil, p, nil)
		j.warn("careful: %d", 7)
		j.warn("careful: %d", 7)
		loud := model.Warning{Loud: true}
		loud.Msg = "another answer"
		j.add(loud)
		want := "infer: warning: careful: 7\ninfer: warning: another answer\n"
		if quiet {
			want = "infer: warning: another answer\n"
		}
		assert.Equalf(t, want, read(), "quiet %v", quiet)
		if err := j.strictly(); err == nil || !strings.HasPrefix(err.Error(), "-strict: 2 warnings") || exitCode(err) != 2 {
			t.Errorf("strict: %v", err)
		}
	}
}
