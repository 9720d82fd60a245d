package citation

import (
	"slices"
	"strings"
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

func TestReadPlanetoidErrors(t *testing.T) {
	for name, c := range map[string]struct {
		part string
		data []byte
		want string
	}{
		"other words":       {"tx", newPickler().csr(2, 5, []float64{1, 1}, []float64{2, 0}, []float64{0, 1, 2}).done(), "ind.toy.tx: 5 words, allx has 4"},
		"a class too many":  {"ally", newPickler().array("i4", []int{2, 4}, make([]float64, 8)).done(), "ind.toy.ally: shape [2 4], want rows of 3 classes"},
		"a paper too many":  {"ally", newPickler().array("i4", []int{3, 3}, make([]float64, 9)).done(), "ind.toy.ally: 3 classes for 2 papers"},
		"a test too few":    {"test.index", []byte("5\n"), "ind.toy.ty: 2 classes and 1 nodes for 2 test papers"},
		"a test twice":      {"test.index", []byte("5\n1\n"), "ind.toy.test.index: line 2: node 1"},
		"a test beyond":     {"test.index", []byte("5\n6\n"), "ind.toy.test.index: line 2: node 6"},
		"no number":         {"test.index", []byte("5\nx\n"), `ind.toy.test.index: line 2: "x" is not a node`},
		"too few nodes":     {"graph", newPickler().links([][]int{{}}).done(), "ind.toy.graph: 1 nodes, allx has 2"},
		"a link to nowhere": {"graph", newPickler().links([][]int{{9}, {}, {}, {}, {}, {}}).done(), "ind.toy.graph: node 0 is linked with 9 of 6"},
		"counted words":     {"allx", newPickler().csr(2, 4, []float64{1, 2, 1}, []float64{3, 1, 0}, []float64{0, 2, 3}).done(), "word 1 occurs 2 times"},
		"a truncated file":  {"allx", []byte("\x80\x02cscipy"), "ind.toy.allx: before byte 8"},
		"no dictionary":     {"graph", newPickler().int(1).done(), "ind.toy.graph: int is not a dictionary"},
	} {
		files := toy()
		files[c.part] = c.data
		if _, err := join(t, files); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
