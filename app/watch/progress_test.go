package watch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// memories are the parts of lines that say how much memory is in use.
var memories = regexp.MustCompile(`, [0-9.e+]+ [KMGT]iB`)

// A display that writes to a file, without its own clock.
func testProgress(t *testing.T, terminal bool) (p *Progress, read func() string) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	p = NewProgress("infer", f, true)
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
	p.Start("grounding")
	for s := range 25 {
		p.tick(p.since.Add(time.Duration(s) * time.Second))
	}
	p.Start("reading") // short: not worth a word
	p.tick(p.since.Add(time.Second))
	p.Start("solving", func() string { return "at 3 of 7" })
	p.tick(p.since.Add(4 * time.Second))
	p.Note("note")
	p.Close()
	p.Close()
	const want = "infer: grounding, 2 s\ninfer: grounding, 12 s\ninfer: grounding, 22 s\ninfer: solving, 4 s, at 3 of 7\nnote\n"
	assert.Equal(t, want, memories.ReplaceAllString(read(), ""))
}

func TestProgressTerminal(t *testing.T) {
	p, read := testProgress(t, true)
	p.Start("grounding")
	p.tick(p.since.Add(3 * time.Second))
	p.tick(p.since.Add(4 * time.Second))
	p.Note("note")
	p.tick(p.since.Add(5 * time.Second))
	p.Close()
	const want = "\r\x1b[Kgrounding, 3 s\r\x1b[Kgrounding, 4 s\r\x1b[Knote\n\r\x1b[Kgrounding, 5 s\r\x1b[K"
	assert.Equal(t, want, memories.ReplaceAllString(read(), ""))
}

// A share of a phase is a line after ten seconds, and on a terminal a bar at once.
func TestProgressShare(t *testing.T) {
	p, read := testProgress(t, false)
	half := func() (float64, string) { return 0.5, "3 facts" }
	p.StartShare("asking", half)
	for s := range 25 {
		p.tick(p.since.Add(time.Duration(s) * time.Second))
	}
	p.Close()
	assert.Equal(t, "infer: asking, 50 %, 3 facts\ninfer: asking, 50 %, 3 facts\n", read())
	p, read = testProgress(t, true)
	p.StartShare("asking", half)
	p.tick(p.since)
	p.Close()
	assert.Equal(t, "\r\x1b[Kasking ["+strings.Repeat("█", 12)+strings.Repeat(" ", 12)+"]  50 %, 0 s, 3 facts\r\x1b[K", read())
}
