package pathstest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/npy"
)

// TestWrite: the files have the published names, shapes and types, and say the same: the
// cells of the path that was found for the costs written, and one colour a terrain.
func TestWrite(t *testing.T) {
	const side, maps = 3, 2
	var found [][]float64
	dir, err := Write(t.TempDir(), side, maps, func(costs []float64) []int {
		found = append(found, slices.Clone(costs))
		return []int{0, 4, 8}
	}, "test", "train_part1")
	require.NoError(t, err)
	assert.Equalf(t, "3x3", filepath.Base(dir), "the folder is %s", dir)
	read := func(name string, shape ...int) *npy.Array {
		t.Helper()
		f, err := os.Open(filepath.Join(dir, name))
		require.NoError(t, err)
		defer f.Close()
		a, err := npy.Read(f)
		if err != nil || !slices.Equal(a.Shape, shape) {
			t.Fatalf("%s: shape %v, want %v; %v", name, a.Shape, shape, err)
		}
		return a
	}
	read("train_maps_part1.npy", maps, tile*side, tile*side, 3)
	pixels := read("test_maps.npy", maps, tile*side, tile*side, 3).Bytes
	costs := read("test_vertex_weights.npy", maps, side, side).Values
	on := read("test_shortest_paths.npy", maps, side, side).Bytes
	colours := map[float32]uint8{}
	for m := range maps {
		for cell := range side * side {
			i := m*side*side + cell
			if float64(costs[i]) != found[m][cell] {
				t.Errorf("cell %d of map %d costs %v, the path was found for %v", cell, m, costs[i], found[m][cell])
			}
			if want := cell%4 == 0; (on[i] == 1) != want {
				t.Errorf("cell %d of map %d: on the path %d", cell, m, on[i])
			}
			// Noise is less than 40 above the terrain's own red.
			row, column := cell/side*tile, cell%side*tile
			red := pixels[(m*tile*side*tile*side+row*tile*side+column)*3] / 40
			if c, ok := colours[costs[i]]; ok && c != red {
				t.Errorf("terrain of cost %v has reds %d and %d", costs[i], c, red)
			}
			colours[costs[i]] = red
		}
	}
}
