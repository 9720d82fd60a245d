package linqs

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/citation"
)

// ring is a graph of n papers that cite the next.
func ring(n int) *citation.Graph {
	g := &citation.Graph{Name: "ring", Classes: []string{"even", "odd"}}
	for i := range n {
		g.IDs = append(g.IDs, string(rune('a'+i%26)))
		g.Labels = append(g.Labels, i%2)
		g.Cites = append(g.Cites, citation.Cite{Citing: int32(i), Cited: int32((i + 1) % n)})
	}
	return g
}

// The halves split the papers, keep exactly the inner citations, and give about
// half of the topics; the fold and the seed decide.
func TestHalves(t *testing.T) {
	g := ring(1001)
	seen := map[int32]int{}
	for fold := range 20 {
		learn, test, err := Halves(g, fold, 7)
		require.NoError(t, err)
		if len(learn.Papers) != 500 || len(test.Papers) != 501 {
			t.Fatalf("fold %d: halves of %d and %d", fold, len(learn.Papers), len(test.Papers))
		}
		side := make([]int, 1001)
		for i, h := range []*Half{&learn, &test} {
			if !slices.IsSorted(h.Papers) || len(h.Given) != len(h.Papers) {
				t.Errorf("fold %d: papers %v, %d given", fold, h.Papers, len(h.Given))
			}
			given := 0
			for k, p := range h.Papers {
				side[p] += i + 1
				if h.Given[k] {
					given++
				}
			}
			if given < 190 || given > 310 { // 250 ± 5 standard deviations
				t.Errorf("fold %d: %d of %d topics given", fold, given, len(h.Papers))
			}
		}
		for p, s := range side {
			if s != 1 && s != 2 {
				t.Fatalf("fold %d: paper %d is in both halves or in none", fold, p)
			}
		}
		var want [2][]citation.Cite
		for _, c := range g.Cites {
			if side[c.Citing] == side[c.Cited] {
				want[side[c.Citing]-1] = append(want[side[c.Citing]-1], c)
			}
		}
		if !slices.Equal(learn.Cites, want[0]) || !slices.Equal(test.Cites, want[1]) {
			t.Errorf("fold %d: %d and %d citations, want %d and %d", fold, len(learn.Cites), len(test.Cites), len(want[0]), len(want[1]))
		}
		for _, p := range learn.Papers {
			seen[p]++
		}
		again, _, _ := Halves(g, fold, 7)
		other, _, _ := Halves(g, fold, 8)
		if !slices.Equal(again.Papers, learn.Papers) || !slices.Equal(again.Given, learn.Given) {
			t.Errorf("fold %d is another one the second time", fold)
		}
		if slices.Equal(other.Papers, learn.Papers) {
			t.Errorf("fold %d does not depend on the seed", fold)
		}
	}
	for p := range int32(1001) {
		if n := seen[p]; n < 1 || n > 19 {
			t.Errorf("paper %d is in the first half in %d of 20 folds", p, n)
		}
	}
}

func TestHalvesErrors(t *testing.T) {
	for _, test := range []struct {
		n, fold int
		want    string
	}{{1, 0, "1 papers"}, {10, -1, "fold -1"}, {10, 1 << 16, "fold 65536"}} {
		_, _, err := Halves(ring(test.n), test.fold, 0)
		wantError(t, err, test.want)
	}
}
