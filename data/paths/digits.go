package paths

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"hinge/data/mnist"
)

// Grids are examples: costs and paths of grids of one side.
type Grids struct {
	// Side is the number of cells in a row.
	Side int

	costs []float64
	paths []uint8
}

// Len returns the number of grids.
func (g *Grids) Len() int { return len(g.paths) / (g.Side * g.Side) }

// Costs returns the costs of a grid's cells, row by row. They must not be changed.
func (g *Grids) Costs(grid int) []float64 {
	n := g.Side * g.Side
	return g.costs[grid*n:][:n:n]
}

// On returns 1 for each cell of a grid that is on its path, else 0. It must not be changed.
func (g *Grids) On(grid int) []uint8 {
	n := g.Side * g.Side
	return g.paths[grid*n:][:n:n]
}

// Digits are grids of MNIST's images.
type Digits struct {
	Grids
	images []int32
}

// Images returns the images of a grid, row by row: indices into mnist.Set.All. They must
// not be changed.
func (d *Digits) Images(grid int) []int32 {
	n := d.Side * d.Side
	return d.images[grid*n:][:n:n]
}

// DigitSplit is one draw of training, validation and test grids.
type DigitSplit struct{ Train, Valid, Test Digits }

const (
	// validImages is the number of images of MNIST's training part for validation.
	validImages = 10000
	// digitStream is the second half of the seed of every split.
	digitStream = 0x7061746873 // "paths"
)

// layoutStream is the second half of the seed of Layouts.
const layoutStream = 0x6c61796f757473 // "layouts"

// Layouts returns n ways to lay out the pictures of one grid on its cells: way k shows picture
// Layouts(cells, n)[k][cell] on a cell. The first is the pictures' own order; the others are
// drawn from a fixed seed.
func Layouts(cells, n int) [][]int {
	rng := rand.New(rand.NewPCG(uint64(cells), layoutStream))
	ways := make([][]int, n)
	for k := range ways {
		if ways[k] = rng.Perm(cells); k == 0 {
			slices.Sort(ways[k])
		}
	}
	return ways
}

// NewDigits draws split number index, from 0: grids training grids, and held grids each for
// validation and test. Each run of layouts training grids shows the same pictures, each time
// in other places; grids must be a multiple of layouts. Validation takes 10,000 images of
// MNIST's training part, training the other 50,000, the test MNIST's test images. The path of
// a grid is drawn from its paths of least cost.
func NewDigits(set *mnist.Set, side, grids, layouts, held, index int) (*DigitSplit, error) {
	train, test := set.Train.Len(), set.Test.Len()
	if side < 2 || grids < 1 || held < 1 || index < 0 {
		return nil, fmt.Errorf("paths: %d and %d grids of side %d in split %d; want 1 or more, of side 2 or more, in split 0 or later", grids, held, side, index)
	}
	if layouts < 1 || grids%layouts != 0 {
		return nil, fmt.Errorf("paths: %d grids in %d layouts, want a multiple", grids, layouts)
	}
	if train <= validImages || test == 0 {
		return nil, fmt.Errorf("paths: %d images for training and %d for testing, want more than %d and some", train, test, validImages)
	}
	rng := rand.New(rand.NewPCG(uint64(index), digitStream))
	all := set.All()
	pool := make([]int32, all.Len())
	for i := range pool {
		pool[i] = int32(i)
	}
	rng.Shuffle(train, func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	draw := func(pool []int32, grids, layouts int) Digits {
		return newDigits(all, pool, side, grids, Layouts(side*side, layouts), rng)
	}
	s := &DigitSplit{}
	s.Test = draw(pool[train:], held, 1)
	s.Valid = draw(pool[:validImages], held, 1)
	s.Train = draw(pool[validImages:train], grids, layouts)
	return s, nil
}

// newDigits lays the images of a pool out in grids, in one random order after the other, and
// the images of each grid in each of the given ways.
func newDigits(all *mnist.Part, pool []int32, side, grids int, layouts [][]int, rng *rand.Rand) Digits {
	n := side * side
	pictures := grids / len(layouts) * n
	order := make([]int32, 0, pictures)
	for len(order) < pictures {
		rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		order = append(order, pool[:min(len(pool), pictures-len(order))]...)
	}
	d := Digits{Grids: Grids{Side: side}, images: make([]int32, 0, grids*n)}
	for sheet := range slices.Chunk(order, n) {
		for _, way := range layouts {
			for _, picture := range way {
				d.images = append(d.images, sheet[picture])
			}
		}
	}
	next, near := Neighbours(side), make([]float64, n)
	d.costs, d.paths = make([]float64, grids*n), make([]uint8, grids*n)
	for grid := range grids {
		for cell, image := range d.Images(grid) {
			cost := float64(all.Label(int(image)) + 1)
			d.costs[grid*n+cell] = cost
			near[cell] = cost + rng.Float64()/float64(2*n) // less than a half on any path: breaks ties alone
		}
		path, _ := Shortest(next, near)
		for _, cell := range path {
			d.paths[grid*n+cell] = 1
		}
	}
	return d
}
