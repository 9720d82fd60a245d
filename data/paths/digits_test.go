package paths

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
)

// pool makes images of which only the labels matter.
func pool(t *testing.T, n int) *mnist.Part {
	t.Helper()
	labels := make([]uint8, n)
	for i := range labels {
		labels[i] = uint8(i * 7 % 10)
	}
	part, err := mnist.NewPart(make([]uint8, mnist.Pixels*n), labels)
	require.NoError(t, err)
	return part
}

// TestNewDigits: costs are the digits plus one, paths are of least cost, parts share no
// image, and each takes its images about as often as any other.
func TestNewDigits(t *testing.T) {
	set := &mnist.Set{Train: pool(t, 10500), Test: pool(t, 700)}
	s, err := NewDigits(set, 4, 90, 3, 1000, 3)
	require.NoError(t, err)
	all, owner, next := set.All(), make(map[int32]string), Neighbours(4)
	for name, d := range map[string]*Digits{"train": &s.Train, "valid": &s.Valid, "test": &s.Test} {
		assert.Equalf(t, map[string]int{"train": 90, "valid": 1000, "test": 1000}[name], d.Len(), "%s", name)
		times := make(map[int32]int)
		for grid := range d.Len() {
			costs := d.Costs(grid)
			for cell, image := range d.Images(grid) {
				if costs[cell] != float64(all.Label(int(image))+1) {
					t.Fatalf("%s, grid %d: cell %d costs %v", name, grid, cell, costs[cell])
				}
				if o := owner[image]; o != "" && o != name {
					t.Fatalf("image %d is in %s and %s", image, o, name)
				}
				owner[image] = name
				times[image]++
			}
			path, err := Order(next, d.On(grid))
			require.NoError(t, err)
			if _, least := Shortest(next, costs); Cost(costs, path) != least {
				t.Fatalf("%s, grid %d: a path of %v, least is %v", name, grid, Cost(costs, path), least)
			}
		}
		low, high := slices.Min(slices.Collect(values(times))), slices.Max(slices.Collect(values(times)))
		if high > low+1 {
			t.Errorf("%s: images are taken %d to %d times", name, low, high)
		}
	}
	for image, o := range owner {
		if (int(image) >= set.Train.Len()) != (o == "test") {
			t.Fatalf("image %d is in %s", image, o)
		}
	}
	same, _ := NewDigits(set, 4, 90, 3, 1000, 3)
	other, _ := NewDigits(set, 4, 90, 3, 1000, 4)
	if !slices.Equal(same.Train.images, s.Train.images) || slices.Equal(other.Train.images, s.Train.images) {
		t.Error("grids are no function of their split, or the same for all")
	}
}

// TestLayouts: grids of a run show the same pictures, each on the cell that its layout says,
// and no two layouts are alike.
func TestLayouts(t *testing.T) {
	s, err := NewDigits(&mnist.Set{Train: pool(t, 10500), Test: pool(t, 700)}, 4, 90, 3, 10, 0)
	require.NoError(t, err)
	ways := Layouts(16, 3)
	for grid := range s.Train.Len() {
		first, shown := s.Train.Images(grid-grid%3), s.Train.Images(grid)
		for cell, picture := range ways[grid%3] {
			if shown[cell] != first[picture] {
				t.Fatalf("grid %d, cell %d shows image %d, want %d", grid, cell, shown[cell], first[picture])
			}
		}
	}
	for k, way := range ways {
		sorted := slices.Sorted(slices.Values(way))
		if !slices.Equal(sorted, ways[0]) || k > 0 && (slices.Equal(way, ways[0]) || slices.Equal(way, ways[k-1])) {
			t.Errorf("layout %d: %v", k, way)
		}
	}
}

func values(m map[int32]int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// TestTies: of the paths of least cost none is preferred: with two costs there are many,
// and as much of them lies above the diagonal as below.
func TestTies(t *testing.T) {
	labels := make([]uint8, 10100)
	for i := range labels {
		labels[i] = uint8(i % 2)
	}
	part, err := mnist.NewPart(make([]uint8, mnist.Pixels*len(labels)), labels)
	require.NoError(t, err)
	s, err := NewDigits(&mnist.Set{Train: part, Test: part}, 8, 1, 1, 1000, 0)
	require.NoError(t, err)
	above, below := 0, 0
	for grid := range s.Test.Len() {
		for cell, on := range s.Test.On(grid) {
			switch row, column := cell/8, cell%8; {
			case on == 1 && column > row:
				above++
			case on == 1 && column < row:
				below++
			}
		}
	}
	if share := float64(above) / float64(above+below); !(share > 0.47 && share < 0.53) {
		t.Errorf("of the cells off the diagonal %d are above it and %d below", above, below)
	}
}

func TestNewDigitsRefuses(t *testing.T) {
	set := &mnist.Set{Train: pool(t, 10001), Test: pool(t, 10)}
	for want, args := range map[string][4]int{
		"of side 1": {1, 5, 1, 0}, "0 and 10 grids": {4, 0, 1, 0}, "split -1": {4, 5, 1, -1}, "5 grids in 2 layouts": {4, 5, 2, 0}, "in 0 layouts": {4, 5, 0, 0},
	} {
		if _, err := NewDigits(set, args[0], args[1], args[2], 10, args[3]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	if _, err := NewDigits(&mnist.Set{Train: pool(t, 10000), Test: pool(t, 10)}, 4, 5, 1, 10, 0); err == nil {
		t.Error("no image was left for training")
	}
	if _, err := NewDigits(&mnist.Set{Train: pool(t, 10001), Test: pool(t, 0)}, 4, 5, 1, 10, 0); err == nil {
		t.Error("there was no image for the test")
	}
}
