package citation

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	smallContent = "p1\t1\t0\t1\tB\nq\t0\t0\t1\tA\np3\t0\t0\t0\tB\n"
	smallCites   = "p1\tq\nq\tp1\np3\tp3\np1\tnobody\np3\tq\n"
)

func TestReadLINQS(t *testing.T) {
	g := readLINQS("toy", []byte(smallContent), []byte(smallCites))
	require.NoError(t, g.Check())
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
