package sudoku

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"slices"

	"hinge/nn"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// tested is the last test: outputs, energies, and the energy up to which a board is held for valid.
type tested struct {
	g    []float32
	list []judged
	most float64
}

// margin is how far the energy of a board is on its right side of the threshold, negative where the
// answer is wrong.
func (t *tested) margin(board int) float64 {
	j := t.list[board]
	if j.valid {
		return t.most - j.energy
	}
	return j.energy - t.most
}

// mostCells is how many cells a description lists.
const mostCells = 3

// Show implements learning.Reporter: the boards whose energy is furthest on the wrong side of the
// threshold.
func (m *Model) Show() (*learning.Shown, error) {
	if m.last.list == nil {
		return nil, nil
	}
	right, rank := make([]bool, len(m.last.list)), make([]float64, len(m.last.list))
	for board, j := range m.last.list {
		right[board], rank[board] = (j.energy <= m.last.most) == j.valid, m.last.margin(board)
	}
	s := new(learning.Shown)
	return s, s.Worst(right, rank, m.describe)
}

// describe shows a board of the test, with the rules that being valid breaks, and the cells that
// decide marked: those of a board held for invalid whose reading costs most, or the least sure ones of a
// board held for valid.
func (m *Model) describe(board int) (c learning.Case, err error) {
	side, j := m.split.Test.Side, m.last.list[board]
	g := nn.Widen(m.last.g[board*side*side*side:][:side*side*side])
	answer := func(valid bool) string {
		if valid {
			return "valid"
		}
		return "invalid"
	}
	c = learning.Case{Name: fmt.Sprintf("board %d", board), Answer: answer(j.energy <= m.last.most), Truth: answer(j.valid)}
	c.Inputs = []string{fmt.Sprintf("held for valid up to the energy %.4g", m.last.most)}

	valid := make([]float64, len(m.program.Targets))
	valid[m.valid] = 1
	explain := func(g []float64) *mapstate.Explanation {
		return mapstate.ExplainTargets(m.template, valid, m.Weights(), g, nil)
	}
	c.Explanation = explain(g)
	doubts := leastSure(g, side)
	if j.energy > m.last.most {
		doubts = mostCostly(g, side, func(g []float64) float64 { return explain(g).Energy })
	}
	tints := map[int][]color.RGBA{}
	for _, d := range doubts[:min(mostCells, len(doubts))] {
		tints[d.cell] = []color.RGBA{learning.Orange}
		c.Inputs = append(c.Inputs, fmt.Sprintf("row %d, column %d: %s", d.cell/side+1, d.cell%side+1, d.text))
	}
	var tiles []image.Image
	for cell, id := range m.split.Test.Row(board) {
		tiles = append(tiles, m.images.Picture(int(id)))
		if cell > 0 && cell%side == 0 {
			c.Read += " "
		}
		c.Read += fmt.Sprint(nn.Argmax(g[cell*side:][:side]))
	}
	picture, err := learning.Mosaic(tiles, side, tints)
	c.Pictures = [][]byte{picture}
	return c, err
}

// doubt is a cell whose reading may be wrong, with what speaks against it; the larger by, the more.
type doubt struct {
	cell int
	by   float64
	text string
}

// leastSure lists the cells of a board, those with the least belief in the class they are read as first.
func leastSure(g []float64, side int) (list []doubt) {
	for cell := range side * side {
		row := g[cell*side:][:side]
		class := nn.Argmax(row)
		list = append(list, doubt{cell, -row[class], fmt.Sprintf("class %d with belief %.2f", class, row[class])})
	}
	return sorted(list)
}

// mostCostly lists the cells of a board that are read as a class while another one, believed without
// doubt, would lower the energy, those that would lower it most first.
func mostCostly(g []float64, side int, energy func(g []float64) float64) (list []doubt) {
	now := energy(g)
	for cell := range side * side {
		own, row := slices.Clone(g), g[cell*side:][:side]
		class, best, least := nn.Argmax(row), -1, now
		for other := range side {
			clear(own[cell*side:][:side])
			own[cell*side+other] = 1
			if e := energy(own); other != class && e < least {
				best, least = other, e
			}
		}
		if best >= 0 {
			list = append(list, doubt{cell, now - least, fmt.Sprintf("class %d; as %d the energy would be %.4g", class, best, least)})
		}
	}
	return sorted(list)
}

func sorted(list []doubt) []doubt {
	slices.SortStableFunc(list, func(a, b doubt) int { return cmp.Compare(b.by, a.by) })
	return list
}
