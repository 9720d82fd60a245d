package infer

import "hinge/symbolic/lcqp"

const (
	// neighbourSample is the number of targets whose neighbours are counted.
	neighbourSample = 1000
	// The mean number of neighbours of a component that counts as planar is above
	// treeNeighbours and below planarNeighbours. Trees have two at most, images four, and planar graphs
	// and bodies in space just below six.
	treeNeighbours, planarNeighbours = 2.5, 5
)

// planar estimates from a sample whether a component is like a graph in the plane, as images
// are, and not like a tree: rows tie a target to few others. The entries of a factor then grow about as the
// component does, the work as its power 1.5, so that one fits that cannot be tried before
// memory is taken for it.
func planar(in *lcqp.Instance, comp *lcqp.Component) bool {
	step := max(1, len(comp.Targets)/neighbourSample)
	sampled := make([]bool, in.Targets)
	near := map[[2]int32]bool{}
	targets := 0
	for k := 0; k < len(comp.Targets); k += step {
		sampled[comp.Targets[k]] = true
		targets++
	}
	for _, row := range comp.Rows {
		cols := in.Col[in.Ptr[row]:in.Ptr[row+1]]
		for _, i := range cols {
			if !sampled[i] {
				continue
			}
			for _, j := range cols {
				if i != j {
					near[[2]int32{i, j}] = true
				}
			}
			if len(near) >= planarNeighbours*targets {
				return false
			}
		}
	}
	return float64(len(near)) > treeNeighbours*float64(targets)
}
