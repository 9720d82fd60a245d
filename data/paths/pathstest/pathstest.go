// Package pathstest makes files in the layout of the published Warcraft maps for tests.
package pathstest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"hinge/data/npy/npytest"
)

// costs holds the costs of the published terrains, with their bits in two bytes.
var costs = []struct {
	cost float64
	bits uint16
}{{0.7998046875, 0x3a66}, {1.2001953125, 0x3ccd}, {5.30078125, 0x454d}, {7.69921875, 0x47b3}, {9.203125, 0x489a}}

// tile is the side of a cell's picture.
const tile = 8

// Write writes the files of so many maps of a side to the folder KxK of dir, which it
// returns: those of names, such as test or train_part0. Terrains are colours with noise;
// shortest finds the cells of a path.
func Write(dir string, side, maps int, shortest func(costs []float64) []int, names ...string) (string, error) {
	dir = filepath.Join(dir, fmt.Sprintf("%dx%d", side, side))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	cells, width := side*side, tile*side
	for k, name := range names {
		rng := rand.New(rand.NewPCG(uint64(k), uint64(side)))
		pixels := make([]uint8, maps*width*width*3)
		weights, on := make([]uint16, maps*cells), make([]uint8, maps*cells)
		for m := range maps {
			dear := make([]float64, cells)
			terrain := make([]int, cells)
			for cell := range cells {
				terrain[cell] = rng.IntN(len(costs))
				c := costs[terrain[cell]]
				dear[cell], weights[m*cells+cell] = c.cost, c.bits
			}
			for _, cell := range shortest(dear) {
				on[m*cells+cell] = 1
			}
			for i := range width * width * 3 {
				row, column, colour := i/3/width, i/3%width, i%3
				cell := row/tile*side + column/tile
				pixels[m*width*width*3+i] = uint8(40*((terrain[cell]*(colour+2))%5) + rng.IntN(40))
			}
		}
		part, suffix := name, ""
		if len(name) > 6 && name[:6] == "train_" {
			part, suffix = "train", name[5:]
		}
		shape := fmt.Sprintf("%d, %d, %d", maps, side, side)
		for kind, data := range map[string][]byte{
			"maps":           npytest.File("|u1", false, fmt.Sprintf("%d, %d, %d, 3", maps, width, width), pixels),
			"vertex_weights": npytest.File("<f2", false, shape, weights),
			"shortest_paths": npytest.File("|u1", false, shape, on),
		} {
			if err := os.WriteFile(filepath.Join(dir, part+"_"+kind+suffix+".npy"), data, 0o666); err != nil {
				return "", err
			}
		}
	}
	return dir, nil
}
