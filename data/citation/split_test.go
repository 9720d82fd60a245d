package citation

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSplit: the parts are disjoint, cover all nodes, have the sizes asked for,
// are sorted, and are a function of the index.
func TestSplit(t *testing.T) {
	const nodes = 200
	sizes := SplitSizes{Train: 10, Valid: 12, Test: 50}
	seen := make(map[string]int)
	for index := range 2 * Splits {
		s, err := NewSplit(nodes, sizes, index)
		require.NoError(t, err)
		var all []int
		for k, part := range [][]int{s.Train, s.Valid, s.Test, s.Latent} {
			if want := []int{10, 12, 50, 128}[k]; len(part) != want || !slices.IsSorted(part) {
				t.Errorf("split %d: part %d has %d nodes, want %d, sorted: %v", index, k, len(part), want, slices.IsSorted(part))
			}
			all = append(all, part...)
		}
		slices.Sort(all)
		for i, v := range all {
			if i != v {
				t.Fatalf("split %d: the parts do not partition the nodes", index)
			}
		}
		again, err := NewSplit(nodes, sizes, index)
		if err != nil || !slices.Equal(again.Train, s.Train) || !slices.Equal(again.Test, s.Test) {
			t.Errorf("split %d differs from itself", index)
		}
		for _, i := range s.Train {
			seen[string(rune(i))]++
		}
	}
	if len(seen) < 80 {
		t.Errorf("twenty splits train on %d different nodes", len(seen))
	}
}

func TestSplitErrors(t *testing.T) {
	for want, f := range map[string]func() (*Split, error){
		"split -1, want 0 or more": func() (*Split, error) { return NewSplit(20, SplitSizes{1, 1, 1}, -1) },
		"0 training":               func() (*Split, error) { return NewSplit(20, SplitSizes{0, 1, 1}, 0) },
		"0 validation and 1 test nodes of 19: each part needs one, and PaperSizes gives a twentieth of the papers to each of the first two, so give a graph of 20 papers or more": func() (*Split, error) { return NewSplit(19, SplitSizes{1, 0, 1}, 0) },
		"19 test nodes of 20": func() (*Split, error) { return NewSplit(20, SplitSizes{1, 1, 19}, 0) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestSplitsShareTheirPapers: splits permute the same papers, so what is chosen by the
// training and validation papers of some has seen most test papers of any other with
// their labels. Prints, with -v, the shares that table5.md gives.
func TestSplitsShareTheirPapers(t *testing.T) {
	for _, c := range []struct {
		name         string
		nodes, train int
		from, to     int // splits that settings were chosen on
		judged       int // first of ten
		want         float64
	}{
		{"CiteSeer", 3327, 165, 30, 69, 70, 98.6}, {"Cora", 2708, 135, 30, 69, 70, 98.4},
		{"CiteSeer", 3327, 165, 30, 35, 70, 46.6}, {"Cora", 2708, 135, 30, 35, 70, 46.9},
	} {
		sizes, seen := SplitSizes{c.train, c.train, 1000}, make([]bool, c.nodes)
		for i := c.from; i <= c.to; i++ {
			s, err := NewSplit(c.nodes, sizes, i)
			require.NoError(t, err)
			for _, v := range slices.Concat(s.Train, s.Valid) {
				seen[v] = true
			}
		}
		n := 0
		for i := c.judged; i < c.judged+Splits; i++ {
			s, err := NewSplit(c.nodes, sizes, i)
			require.NoError(t, err)
			for _, v := range s.Test {
				if seen[v] {
					n++
				}
			}
		}
		share := 100 * float64(n) / float64(1000*Splits)
		t.Logf("%s: %.1f %% of the test papers of splits %d to %d are training or validation papers of splits %d to %d",
			c.name, share, c.judged, c.judged+Splits-1, c.from, c.to)
		if share < c.want-.05 || share > c.want+.05 {
			t.Errorf("%s, splits %d to %d: %.2f %%, want %.1f", c.name, c.from, c.to, share, c.want)
		}
	}
}
