package paths

import (
	"fmt"
	"slices"

	"hinge/data/paths"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/train/half"
)

// flow is the program of the grids that show the same pictures, with the places of its
// targets.
type flow struct {
	*lcqp.Template
	next [][]int   // neighbours of each cell
	step [][][]int // by grid and cell: target Flow to each neighbour, −1 where there is none
}

// newFlow grounds and compiles the rules of as many grids as there are layouts
// (paths.Layouts) of their pictures. Rules are given by name and text or, unless it is
// empty, by a file of the user's.
func newFlow(side int, layouts [][]int, file, name string, text []byte) (*flow, error) {
	b, f := ground.NewBuilder(), &flow{next: paths.Neighbours(side)}
	cells := len(f.next)
	for picture := range cells {
		for class := range classes {
			b.Deep("Neural", fmt.Sprint(picture), fmt.Sprint(class))
		}
	}
	for grid, layout := range layouts {
		named := func(cell int) string { return fmt.Sprint(grid*cells + cell) }
		step := make([][]int, cells)
		for cell, next := range f.next {
			where := "Inner"
			switch cell {
			case 0:
				where = "First"
			case cells - 1:
				where = "Last"
			}
			b.Observe(where, named(cell))
			b.Observe("Shows", named(cell), fmt.Sprint(layout[cell]))
			step[cell] = make([]int, len(next))
			for k, other := range next {
				if step[cell][k] = -1; cell != cells-1 && other != 0 {
					step[cell][k] = b.Target("Flow", named(cell), named(other))
				}
			}
		}
		f.step = append(f.step, step)
	}
	var err error
	f.Template, err = half.CompileRules(file, name, text, b)
	return f, err
}

// classes is the number of classes of a cell: cheap and dear.
const classes = 2

// fix fixes all targets, at a path of each grid.
func (f *flow) fix(in *lcqp.Instance, paths ...[]int) error {
	y := make([]float64, f.Targets)
	for grid, path := range paths {
		for i, cell := range path[1:] {
			from := path[i]
			y[f.step[grid][from][slices.Index(f.next[from], cell)]] = 1
		}
	}
	for target, v := range y {
		if err := in.Fix(target, v); err != nil {
			return err
		}
	}
	return nil
}

// follow returns the path of the first grid that takes the largest flow out of each cell, to a cell that it
// has not been in. Where the MAP state is a path it is that one; where it is a mixture of
// paths, one of them. A flow that ends on the way has no path: nil.
func (f *flow) follow(y []float64) []int {
	last := len(f.next) - 1
	been, path := make([]bool, last+1), []int{0}
	for at := 0; at != last; {
		been[at] = true
		best, most := -1, 0.0
		for k, other := range f.next[at] {
			if step := f.step[0][at][k]; step >= 0 && !been[other] && y[step] > most {
				best, most = other, y[step]
			}
		}
		if best < 0 {
			return nil
		}
		path, at = append(path, best), best
	}
	return path
}
