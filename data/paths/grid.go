package paths

import (
	"container/heap"
	"fmt"
	"math"
	"slices"
)

// Neighbours returns the cells next to each of a grid of side², diagonals included, in
// increasing order. Cells count row by row.
func Neighbours(side int) [][]int {
	next := make([][]int, side*side)
	for cell := range next {
		row, column := cell/side, cell%side
		for r := max(row-1, 0); r <= min(row+1, side-1); r++ {
			for c := max(column-1, 0); c <= min(column+1, side-1); c++ {
				if other := r*side + c; other != cell {
					next[cell] = append(next[cell], other)
				}
			}
		}
	}
	return next
}

// Shortest returns a path of least cost from the first cell of a grid to the last, both
// included, by Dijkstra's algorithm. There is one cost per cell of next, none negative; the
// cost of a path is the sum over its cells. Nothing goes through a cell of cost +Inf; where no path is
// left, it is nil and its cost +Inf.
func Shortest(next [][]int, costs []float64) (path []int, cost float64) {
	n := len(next)
	distance, from := slices.Repeat([]float64{math.Inf(1)}, n), make([]int, n)
	distance[0] = costs[0]
	open := &queue{{0, costs[0]}}
	for len(*open) > 0 {
		at := heap.Pop(open).(reached)
		if at.cell == n-1 {
			break
		}
		if at.cost > distance[at.cell] {
			continue
		}
		for _, other := range next[at.cell] {
			if d := at.cost + costs[other]; d < distance[other] {
				distance[other], from[other] = d, at.cell
				heap.Push(open, reached{other, d})
			}
		}
	}
	if math.IsInf(distance[n-1], 1) {
		return nil, distance[n-1]
	}
	for cell := n - 1; cell != 0; cell = from[cell] {
		path = append(path, cell)
	}
	path = append(path, 0)
	slices.Reverse(path)
	return path, distance[n-1]
}

// reached is a cell with the cost of a path to it.
type reached struct {
	cell int
	cost float64
}

// queue is a heap, cheapest first.
type queue []reached

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].cost < q[j].cost }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(reached)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// Order returns the cells of a path from the first cell to the last in their order, given
// which cells it has. There must be one order alone, as there is on every path of least
// cost where costs are positive: no cell has a third one of the path next to it.
func Order(next [][]int, on []uint8) ([]int, error) {
	n, cells := len(next), 0
	for _, v := range on {
		if v > 1 {
			return nil, fmt.Errorf("a cell is marked %d, want 0 or 1", v)
		}
		cells += int(v)
	}
	if on[0] == 0 || on[n-1] == 0 {
		return nil, fmt.Errorf("the path leaves out the first or the last cell")
	}
	path, before := []int{0}, -1
	for at := 0; at != n-1; {
		to := -1
		for _, other := range next[at] {
			switch {
			case on[other] == 0 || other == before:
			case to >= 0:
				return nil, fmt.Errorf("the path forks at cell %d", at)
			default:
				to = other
			}
		}
		if to < 0 || len(path) == cells {
			return nil, fmt.Errorf("the path ends at cell %d", at)
		}
		path, before, at = append(path, to), at, to
	}
	if len(path) < cells {
		return nil, fmt.Errorf("%d cells are marked that are not on the path of %d", cells-len(path), len(path))
	}
	return path, nil
}

// Cost is the sum of the costs of cells.
func Cost(costs []float64, path []int) float64 {
	sum := 0.0
	for _, cell := range path {
		sum += costs[cell]
	}
	return sum
}
