package consensus

import (
	"slices"
	"sync"
	"testing"

	"hinge/optim/collective"
)

// TestPieces: of ranks in a row, each with a border to the next, each but the first gets one
// piece to solve; where one has more than twice the rows of the others it is its own.
func TestPieces(t *testing.T) {
	for _, c := range []struct {
		name    string
		targets [][]int32 // by rank, one in each part
		rows    [][]float64
		home    [][]int
		size    [][]float64
	}{
		{"a row", [][]int32{{0, 5}, {0, 1}, {1}}, [][]float64{{10, 3}, {9, 9}, {8}}, [][]int{{1, -1}, {1, 2}, {2}}, [][]float64{{19, 0}, {19, 17}, {17}}},
		{"a large one", [][]int32{{0}, {0}, {0}}, [][]float64{{10}, {4}, {4}}, [][]int{{0}, {0}, {0}}, [][]float64{{18}, {18}, {18}}},
	} {
		var wg sync.WaitGroup
		for r, comm := range collective.Local(len(c.targets)) {
			wg.Go(func() {
				l, err := newLinks(comm, c.targets[r], make([]bool, len(c.targets[r])))
				if err != nil {
					t.Error(err)
					return
				}
				st := &state{c: comm, links: l}
				of := slices.Clone(l.shared) // a part for each target
				size, home, n, err := st.pieces(of, c.rows[r])
				want := len(c.targets) - 1
				if c.name != "a row" {
					want = 1
				}
				if err != nil || n != want || !slices.Equal(home, c.home[r]) || !slices.Equal(size, c.size[r]) {
					t.Errorf("%s, rank %d: %d pieces, homes %v, sizes %v, %v", c.name, r, n, home, size, err)
				}
			})
		}
		wg.Wait()
	}
}
