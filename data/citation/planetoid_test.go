package citation

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// toy is a data set of six nodes: 0 and 1 are in allx, 5 and 3 are the test
// papers in that order, 2 and 4 are described nowhere.
func toy() map[string][]byte {
	return map[string][]byte{
		"x": []byte("unused"), "y": []byte("unused"),
		"allx": newPickler().csr(2, 4, []float64{1, 1, 1}, []float64{3, 1, 0}, []float64{0, 2, 3}).done(),
		"ally": newPickler().array("i4", []int{2, 3}, []float64{0, 1, 0, 0, 0, 1}).done(),
		"tx":   newPickler().csr(2, 4, []float64{1, 1}, []float64{2, 0}, []float64{0, 1, 2}).done(),
		"ty":   newPickler().array("i4", []int{2, 3}, []float64{1, 0, 0, 0, 1, 0}).done(),
		"graph": newPickler().links([][]int{
			{1, 5, 5}, {0}, {4}, {3}, {2}, {0, 3},
		}).done(),
		"test.index": []byte("5\n3\n"),
	}
}

func join(t *testing.T, files map[string][]byte) (*Graph, error) {
	t.Helper()
	var contents [][]byte
	for _, p := range parts {
		contents = append(contents, files[p])
	}
	return readPlanetoid("toy", []string{"a", "b", "c"}, contents)
}

func TestReadPlanetoid(t *testing.T) {
	g, err := join(t, toy())
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2, 0, 1, 0, 0}, g.Labels, "labels")
	words := [][]int32{{1, 3}, {0}, nil, {0}, nil, {2}}
	for i, want := range words {
		if got := g.Node(i); !slices.Equal(got, want) {
			t.Errorf("node %d has words %v, want %v", i, got, want)
		}
	}
	// 0-1 twice, 0-5 three times, 2-4, the loop at 3, and 3-5.
	assert.Equal(t, [][2]int32{{0, 1}, {0, 5}, {2, 4}, {3, 5}}, g.Links(), "links")
	assert.Equal(t, 1, g.Skipped.Self)
}
