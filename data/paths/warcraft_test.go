package paths

import (
	"crypto/md5"
	"encoding/hex"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/npy/npytest"
	"hinge/data/paths/pathstest"
	"hinge/symbolic/facts"
)

// sample writes maps in the published layout, so many a file.
func sample(t *testing.T, side, n int, train ...string) (dir string) {
	t.Helper()
	dir, err := pathstest.Write(filepath.Join(t.TempDir(), "warcraft_shortest_path_oneskin"), side, n, func(costs []float64) []int {
		path, _ := Shortest(Neighbours(side), costs)
		return path
	}, append(train, "val", "test")...)
	require.NoError(t, err)
	return dir
}

func write(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
}

// TestWarcraft: maps are found below the folder of the archive, in one training file or
// two, and tiles are what is on the map at their cell.
func TestWarcraft(t *testing.T) {
	two := &checksums{make([][3]string, 2), make([][3]string, 1), make([][3]string, 1)}
	for _, c := range []struct {
		sums  *checksums
		files []string
		train int
	}{{nil, []string{"train"}, 2}, {two, []string{"train_part0", "train_part1"}, 4}} {
		dir := sample(t, 4, 2, c.files...)
		s, err := load(filepath.Dir(filepath.Dir(dir)), 4, c.sums)
		require.NoError(t, err)
		if s.Train.Len() != c.train || s.Valid.Len() != 2 || s.Test.Len() != 2 {
			t.Errorf("%d, %d and %d maps", s.Train.Len(), s.Valid.Len(), s.Test.Len())
		}
		last, next := c.train-1, Neighbours(4)
		costs := s.Train.Costs(last)
		if cheap := slices.Min(costs); math.Abs(cheap-0.8) > 0.001 {
			t.Errorf("the cheapest cell costs %v", cheap)
		}
		path, err := Order(next, s.Train.On(last))
		require.NoError(t, err)
		if _, least := Shortest(next, costs); math.Abs(Cost(costs, path)-least) > 1e-9 {
			t.Errorf("a path of %v, least is %v", Cost(costs, path), least)
		}
		tile := make([]float32, 3*64)
		for grid := range c.train {
			s.Train.Tile(tile, grid, 6)
			// Cell 6 is at row 1, column 2; colour 2 of its pixel at row 3, column 5.
			pixels := s.Train.files[grid/2].bytes
			if want := float32(pixels[grid%2*32*32*3+((1*8+3)*32+2*8+5)*3+2]) / 255; tile[(2*8+3)*8+5] != want {
				t.Errorf("map %d: a pixel of %v, want %v", grid, tile[(2*8+3)*8+5], want)
			}
		}
	}
}

// TestWarcraftSums: the published checksums are checked, whole and per file.
func TestWarcraftSums(t *testing.T) {
	dir := sample(t, 4, 1, "train")
	sum := func(part string) (out [3]string) {
		for i, kind := range []string{"maps", "vertex_weights", "shortest_paths"} {
			data, err := os.ReadFile(filepath.Join(dir, part+"_"+kind+".npy"))
			require.NoError(t, err)
			s := md5.Sum(data)
			out[i] = hex.EncodeToString(s[:])
		}
		return out
	}
	good := &checksums{[][3]string{sum("train")}, [][3]string{sum("val")}, [][3]string{sum("test")}}
	_, err := load(dir, 4, good)
	require.NoError(t, err)
	good.test[0][1] = strings.Repeat("0", 32)
	if _, err := load(dir, 4, good); err == nil || !strings.Contains(err.Error(), "test_vertex_weights.npy: its MD5 sum is ") {
		t.Errorf("a file of another checksum: %v", err)
	}
	for side, sums := range published {
		seen := make(map[string]bool)
		for _, files := range [][][3]string{sums.train, sums.valid, sums.test} {
			for _, f := range files {
				for _, s := range f {
					if raw, err := hex.DecodeString(s); err != nil || len(raw) != md5.Size || seen[s] {
						t.Errorf("side %d: checksum %q", side, s)
					}
					seen[s] = true
				}
			}
		}
	}
	assert.Equal(t, Sides, slices.Sorted(maps.Keys(published)), "checksums of sides")
}

// TestWarcraftRefuses: each fault is told with its file, and what is missing with where
// to get it.
func TestWarcraftRefuses(t *testing.T) {
	empty := t.TempDir()
	var missing *facts.Error
	if _, err := LoadWarcraft(empty, 12); !errors.As(err, &missing) || !strings.Contains(err.Error(), "test_maps.npy") || !strings.Contains(err.Error(), address) {
		t.Errorf("no files: %v", err)
	}
	if _, err := LoadWarcraft(empty, 13); err == nil || !strings.Contains(err.Error(), "want one of [12 18 24 30]") {
		t.Errorf("side 13: %v", err)
	}
	path := make([]uint8, 16)
	zeros := make([]float32, 16)
	for want, f := range map[string]struct {
		name string
		data []byte
	}{
		"val_maps.npy: it does not begin as a .npy file does":                  {"val_maps.npy", []byte("no")},
		"test_maps.npy: an array of shape [1 32 32 1], want maps of [32 32 3]": {"test_maps.npy", npytest.File("|u1", false, "1, 32, 32, 1", make([]uint8, 1024))},
		"train_maps.npy: want pixels of one byte":                              {"train_maps.npy", npytest.File("<i2", false, "1, 32, 32, 3", make([]int16, 3072))},
		"train_vertex_weights.npy: 2 maps, but 1 in the file before":           {"train_vertex_weights.npy", npytest.File("<f4", false, "2, 4, 4", make([]float32, 32))},
		"train_vertex_weights.npy: number 0 is 0, want a positive cost":        {"train_vertex_weights.npy", npytest.File("<f4", false, "1, 4, 4", zeros)},
		"train_vertex_weights.npy: want costs, not bytes":                      {"train_vertex_weights.npy", npytest.File("|u1", false, "1, 4, 4", path)},
		"test_shortest_paths.npy: map 0: the path leaves out the first":        {"test_shortest_paths.npy", npytest.File("|u1", false, "1, 4, 4", path)},
		"test_shortest_paths.npy: map 0: a cell is marked 2, want 0 or 1":      {"test_shortest_paths.npy", npytest.File("<f4", false, "1, 4, 4", append([]float32{0.5}, zeros[1:]...))},
	} {
		dir := sample(t, 4, 1, "train")
		write(t, dir, f.name, f.data)
		if _, err := load(dir, 4, nil); err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, "")) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	two := &checksums{make([][3]string, 2), make([][3]string, 1), make([][3]string, 1)}
	dir := sample(t, 4, 1, "train_part0", "train_part1")
	write(t, dir, "train_shortest_paths_part1.npy", npytest.File("|u1", false, "1, 4, 4", path))
	if _, err := load(dir, 4, two); err == nil || !strings.Contains(err.Error(), "train_shortest_paths_part1.npy: map 0: ") {
		t.Errorf("the first map of the second file: %v", err)
	}
	t.Chdir(empty)
	if _, err := LoadWarcraft("", 12); err == nil || !strings.Contains(err.Error(), ".: no 12x12") {
		t.Errorf("no folder named: %v", err)
	}
	dir = sample(t, 4, 1)
	if _, err := load(dir, 4, nil); err == nil || !strings.Contains(err.Error(), "train_maps.npy") {
		t.Errorf("no training file: %v", err)
	}
}
