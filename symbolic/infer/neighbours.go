package infer

import "hinge/symbolic/lcqp"

const (
	// neighbourSample is the number of targets whose neighbours are counted.
	neighbourSample = 1000
	// Trees have two neighbours a target at most.
	treeNeighbours = 2.5
)

// lattice estimates from a sample, without what presolve takes, whether a component is a Lattice.
func lattice(in *lcqp.Instance, comp *lcqp.Component) bool {
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
			if float64(len(near)) >= 2*latticePairs*float64(targets) {
				return false
			}
		}
	}
	return float64(len(near)) > treeNeighbours*float64(targets)
}
