package patches

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// newSubdomains returns a decomposition of the largest component of a k-NN model with some
// targets fixed.
func newSubdomains(t *testing.T) *Decomposition {
	in := infertest.Family(t, "knn-regression", 30000)
	for i := 0; i < in.Targets; i += 11 {
		require.NoError(t, in.Fix(i, 1))
	}
	return &Decomposition{in: in, comp: &in.Components[infertest.Largest(in)], task: newWork(in)}
}

// overlapOf finds the overlap of a subdomain by looking at all rows.
func overlapOf(in *lcqp.Instance, inside []int32) []int32 {
	is := map[int32]bool{}
	for _, i := range inside {
		is[i] = true
	}
	overlap := map[int32]bool{}
	for row := range in.Rows() {
		cols := in.Col[in.Ptr[row]:in.Ptr[row+1]]
		if !slices.ContainsFunc(cols, func(i int32) bool { return is[i] }) {
			continue
		}
		for _, i := range cols {
			if !is[i] && in.Lower[i] < in.Upper[i] {
				overlap[i] = true
			}
		}
	}
	var list []int32
	for i := range overlap {
		list = append(list, i)
	}
	slices.Sort(list)
	return list
}

func checkCells(t *testing.T, g *Decomposition) {
	t.Helper()
	c := &g.parts
	seen := map[int32]bool{}
	for k := range int32(c.len()) {
		inside := c.inside(k)
		if len(inside) == 0 || len(inside) > subdomainTargets {
			t.Errorf("subdomain %d has %d targets", k, len(inside))
		}
		for _, i := range inside {
			if seen[i] || g.fixed(i) {
				t.Fatalf("target %d is in two subdomains or fixed", i)
			}
			seen[i] = true
		}
		got := slices.Clone(c.overlap(k))
		slices.Sort(got)
		require.Equalf(t, overlapOf(g.in, inside), got, "subdomain %d has overlap", k)
	}
	// Each subdomain is in one batch, and subdomains of a batch share nothing.
	count := 0
	for _, batch := range c.batches(g) {
		of := map[int32]int32{}
		for _, k := range batch {
			count++
			for _, i := range append(slices.Clone(c.inside(k)), c.overlap(k)...) {
				if other, ok := of[i]; ok {
					t.Fatalf("subdomains %d and %d of a batch share target %d", other, k, i)
				}
				of[i] = k
			}
		}
	}
	assert.Equal(t, c.len(), count)
}

func TestSubdomainsPartition(t *testing.T) {
	g := newSubdomains(t)
	if !g.parts.partition(g) {
		t.Fatal("not local")
	}
	free := 0
	for _, i := range g.comp.Targets {
		if !g.fixed(i) {
			free++
		}
	}
	assert.Equal(t, free, len(g.parts.list))
	checkCells(t, g)
}
