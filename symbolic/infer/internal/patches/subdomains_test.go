package patches

import (
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/lcqp"
)

// newCells returns a giant over the largest component of a k-NN model with some
// targets fixed.
func newCells(t *testing.T) *Decomposition {
	in := infertest.Family(t, "knn-regression", 30000)
	for i := 0; i < in.Targets; i += 11 {
		if err := in.Fix(i, 1); err != nil {
			t.Fatal(err)
		}
	}
	return &Decomposition{in: in, comp: &in.Components[infertest.Largest(in)], task: newWork(in)}
}

// borderOf finds the border of a cell by looking at all rows.
func borderOf(in *lcqp.Instance, inside []int32) []int32 {
	is := map[int32]bool{}
	for _, i := range inside {
		is[i] = true
	}
	border := map[int32]bool{}
	for row := range in.Rows() {
		cols := in.Col[in.Ptr[row]:in.Ptr[row+1]]
		if !slices.ContainsFunc(cols, func(i int32) bool { return is[i] }) {
			continue
		}
		for _, i := range cols {
			if !is[i] && in.Lower[i] < in.Upper[i] {
				border[i] = true
			}
		}
	}
	var list []int32
	for i := range border {
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
			t.Errorf("cell %d has %d targets", k, len(inside))
		}
		for _, i := range inside {
			if seen[i] || g.fixed(i) {
				t.Fatalf("target %d is in two cells or fixed", i)
			}
			seen[i] = true
		}
		got := slices.Clone(c.overlap(k))
		slices.Sort(got)
		if want := borderOf(g.in, inside); !slices.Equal(got, want) {
			t.Fatalf("cell %d has border %v, want %v", k, got, want)
		}
	}
	// Each cell is in one batch, and cells of a batch share nothing.
	count := 0
	for _, batch := range c.batches(g) {
		of := map[int32]int32{}
		for _, k := range batch {
			count++
			for _, i := range append(slices.Clone(c.inside(k)), c.overlap(k)...) {
				if other, ok := of[i]; ok {
					t.Fatalf("cells %d and %d of a batch share target %d", other, k, i)
				}
				of[i] = k
			}
		}
	}
	if count != c.len() {
		t.Errorf("%d cells in batches, there are %d", count, c.len())
	}
}

func TestCellsPartition(t *testing.T) {
	g := newCells(t)
	if !g.parts.partition(g) {
		t.Fatal("not local")
	}
	free := 0
	for _, i := range g.comp.Targets {
		if !g.fixed(i) {
			free++
		}
	}
	if n := len(g.parts.list); n != free {
		t.Errorf("%d targets in cells, %d are free", n, free)
	}
	checkCells(t, g)
}

// Cells grown later hold all targets that are to be worked on, also when they
// are grown over and over.
func TestCellsGrow(t *testing.T) {
	g := newCells(t)
	g.parts.partition(g)
	for round := range 3 {
		g.dirty = g.dirty[:0]
		for n, i := range g.comp.Targets {
			if n%(97+round) < 2 && !g.fixed(i) {
				g.dirty = append(g.dirty, i)
			}
		}
		g.parts.grow(g)
		checkCells(t, g)
		for _, i := range g.dirty {
			if g.parts.of[i] < 0 {
				t.Fatalf("round %d: target %d is in no cell", round, i)
			}
		}
	}
}
