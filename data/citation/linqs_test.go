package citation

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	smallContent = "p1\t1\t0\t1\tB\nq\t0\t0\t1\tA\np3\t0\t0\t0\tB\n"
	smallCites   = "p1\tq\nq\tp1\np3\tp3\np1\tnobody\np3\tq\n"
)

func TestReadLINQS(t *testing.T) {
	g, err := ReadLINQS("toy", strings.NewReader(smallContent), strings.NewReader(smallCites))
	require.NoError(t, err)
	if !slices.Equal(g.IDs, []string{"p1", "q", "p3"}) || !slices.Equal(g.Classes, []string{"A", "B"}) || !slices.Equal(g.Labels, []int{1, 0, 1}) {
		t.Errorf("papers %v, classes %v, labels %v", g.IDs, g.Classes, g.Labels)
	}
	if g.Words != 3 || !slices.Equal(g.WordPtr, []int{0, 2, 3, 3}) || !slices.Equal(g.WordCol, []int32{0, 2, 2}) {
		t.Errorf("%d words, %v, %v", g.Words, g.WordPtr, g.WordCol)
	}
	// The first column is the cited paper.
	assert.Equal(t, []Cite{{Citing: 1, Cited: 0}, {Citing: 0, Cited: 1}, {Citing: 1, Cited: 2}}, g.Cites, "citations")
	if g.Skipped != (Skipped{Self: 1, Unknown: 1}) {
		t.Errorf("skipped %+v", g.Skipped)
	}
}

// TestReadLINQSWindows: files that passed through Windows, and may begin with a byte order mark,
// read the same.
func TestReadLINQSWindows(t *testing.T) {
	crlf := strings.NewReplacer("\n", "\r\n")
	for _, mark := range []string{"", "\ufeff"} {
		g, err := ReadLINQS("toy", strings.NewReader(mark+crlf.Replace(smallContent)), strings.NewReader(mark+crlf.Replace(smallCites)))
		require.NoErrorf(t, err, "mark %q", mark)
		if !slices.Equal(g.IDs, []string{"p1", "q", "p3"}) || !slices.Equal(g.Classes, []string{"A", "B"}) || len(g.Cites) != 3 {
			t.Errorf("mark %q: %+v", mark, g)
		}
	}
}

func TestReadLINQSErrors(t *testing.T) {
	for _, c := range []struct{ content, cites, want string }{
		{"", "", "toy.content: no papers"},
		{"p\tA\n", "", "toy.content: line 1: want paper"},
		{"p\t1\t\n", "", "toy.content: line 1: want paper"},
		{"p\t1\t0\tA\nq\t1\tB\n", "", "toy.content: line 2: 1 words, the first paper has 2"},
		{"p\t1\t2\tA\n", "", "toy.content: line 1: word 2 is not 0 or 1"},
		{"p\t1x0\tA\n", "", "toy.content: line 1: word 1 is not 0 or 1"},
		{"p\t1\tA\np\t0\tB\n", "", `toy.content: line 2: paper "p" is there twice`},
		{"p\t1\tA\n", "p\n", "toy.cites: line 1: want two papers"},
		{"p\t1\tA\n", "p\tp\np\tq\tr\n", "toy.cites: line 2: want two papers"},
		{"p\t" + strings.Repeat("0\t", maxLine/2) + "A\n", "", "toy.content: after line 0: "},
	} {
		_, err := ReadLINQS("toy", strings.NewReader(c.content), strings.NewReader(c.cites))
		assert.ErrorContainsf(t, err, c.want, "%.20q, %q", c.content, c.cites)
	}
}

// FuzzReadLINQS: whatever the bytes, the reader returns a sound graph or an error.
func FuzzReadLINQS(f *testing.F) {
	f.Add([]byte(smallContent), []byte(smallCites))
	f.Add([]byte("a\t1\tx"), []byte("a\ta\n\n"))
	f.Fuzz(func(t *testing.T, content, cites []byte) {
		g, err := ReadLINQS("fuzz", bytes.NewReader(content), bytes.NewReader(cites))
		if err == nil && (g.Nodes() == 0 || g.Check() != nil) {
			t.Errorf("accepted a graph of %d papers: %v", g.Nodes(), g.Check())
		}
	})
}

// TestOpenLINQS reads any files of the form, plain or compressed, and nothing else.
func TestOpenLINQS(t *testing.T) {
	zipped := func(text string) string { return string(zipped(t, []byte(text))) }
	for _, c := range []struct{ content, cites, contentName, citesName, err string }{
		{smallContent, smallCites, "toy.content", "toy.cites", ""},
		{zipped(smallContent), smallCites, "toy.content.gz", "toy.cites", ""},
		{zipped(smallContent), zipped(smallCites), "toy.content.gz", "toy.cites.gz", ""},
		{smallContent, smallCites, "toy.content", "other.cites", "toy.cites"},
		{smallContent, "p1 q\n", "toy.content", "toy.cites", "toy.cites: line 1: "},
		{smallContent, smallCites, "toy.content.gz", "toy.cites", "toy.content.gz: gzip"},
		{zipped(smallContent)[:30], smallCites, "toy.content.gz", "toy.cites", "toy.content: "}, // cut off
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{c.contentName: c.content, c.citesName: c.cites} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		}
		g, err := OpenLINQS("toy", dir)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%s and %s: %v, want %s", c.contentName, c.citesName, err, c.err)
			}
			continue
		}
		if err != nil || g.Nodes() != 3 || len(g.Cites) != 3 || g.Source != dir {
			t.Errorf("%s and %s: %+v, %v", c.contentName, c.citesName, g, err)
		}
	}
}
