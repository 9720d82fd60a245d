package paths

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"hinge/data/paths"
	"hinge/train/learning"
)

// mostMisread is how many misread cells a description lists.
const mostMisread = 3

// Describe implements neupsl.Describer: it shows the grid with the answered path in orange and the
// least one in blue, what they truly cost, and the cells that were misread most in favour of the
// answer. The ground rules about cells on one of the paths alone explain it.
func (g *grids) Describe(part learning.Part, example int, out []float32, y []float64) (c learning.Case, targets []int, err error) {
	s, path := g.parts[part], g.follow(y)
	costs := s.Costs(example)
	least, err := paths.Order(g.next, s.On(example))
	if err != nil {
		return c, nil, err
	}
	c = learning.Case{Name: fmt.Sprintf("grid %d", example), Answer: "no path", Truth: fmt.Sprintf("cost %.4g", paths.Cost(costs, least))}
	if path != nil {
		c.Answer = fmt.Sprintf("cost %.4g", paths.Cost(costs, path))
		c.Inputs = append(c.Inputs, "answer, orange: "+g.route(path))
	}
	c.Inputs = append(c.Inputs, "least cost, blue: "+g.route(least))
	c.Inputs = append(c.Inputs, g.misread(costs, out, path, least)...)

	var tiles []image.Image
	for _, id := range s.cells(nil, example) {
		tiles = append(tiles, s.picture(id))
	}
	tints := map[int][]color.RGBA{}
	for _, cell := range path {
		tints[cell] = append(tints[cell], learning.Orange)
	}
	for _, cell := range least {
		tints[cell] = append(tints[cell], learning.Blue)
	}
	picture, err := learning.Mosaic(tiles, s.Side, tints)
	c.Pictures = [][]byte{picture}

	targets = []int{}
	for from, next := range g.next {
		for k, to := range next {
			if step := g.step[0][from][k]; step >= 0 && slices.Contains(path, to) != slices.Contains(least, to) {
				targets = append(targets, step)
			}
		}
	}
	return c, targets, err
}

// route names cells by row and column, from 1.
func (g *grids) route(path []int) string {
	names, side := make([]string, len(path)), g.parts[learning.TrainPart].Side
	for i, cell := range path {
		names[i] = fmt.Sprintf("%d,%d", cell/side+1, cell%side+1)
	}
	return strings.Join(names, " ")
}

// misread tells of the cells that speak most for the answered path against the least one: those on
// the latter alone that are read as dearer, those on the former alone that are read as cheaper, than
// the mean of the grid's other cells of the same cost, if there are any. Outputs read a cell as 0, cheap, to 1, dear.
func (g *grids) misread(costs []float64, out []float32, path, least []int) (lines []string) {
	sum, count := map[float64]float64{}, map[float64]float64{}
	read := func(cell int) float64 { return float64(out[classes*cell+1]) }
	for cell, cost := range costs {
		sum[cost] += read(cell)
		count[cost]++
	}
	others := func(cell int) float64 { return (sum[costs[cell]] - read(cell)) / (count[costs[cell]] - 1) }
	var cells []int
	for cell := range costs {
		onLeast, onPath := slices.Contains(least, cell), slices.Contains(path, cell)
		if onLeast && !onPath && read(cell) > others(cell) || onPath && !onLeast && read(cell) < others(cell) {
			cells = append(cells, cell)
		}
	}
	slices.SortStableFunc(cells, func(a, b int) int {
		return cmp.Compare(math.Abs(read(b)-others(b)), math.Abs(read(a)-others(a)))
	})
	for _, cell := range cells[:min(mostMisread, len(cells))] {
		lines = append(lines, fmt.Sprintf("cell %s costs %.4g, read as %.2g, others of that cost as %.2g on average", g.route([]int{cell}), costs[cell], read(cell), others(cell)))
	}
	return lines
}

// Value implements neupsl.Describer: the least flow along the answered path, 0 without one.
func (g *grids) Value(y []float64) float64 {
	path, value := g.follow(y), 1.0
	for i := 1; i < len(path); i++ {
		value = min(value, y[g.step[0][path[i-1]][slices.Index(g.next[path[i-1]], path[i])]])
	}
	if path == nil {
		return 0
	}
	return value
}
