package infer

import (
	"math"

	"hinge/symbolic/lcqp"
)

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

// mirrored reports, without what presolve takes, whether a component looks quadratic: it has no
// inequality and no linear potential, and to each square of several targets there is one of the
// opposite sign. Hashes of left-hand side and weight decide, which are added up with the signs.
func mirrored(in *lcqp.Instance, comp *lcqp.Component) bool {
	sum := uint64(0)
	for _, row := range comp.Rows {
		if in.Kinds[row] == lcqp.HardEQ {
			continue
		}
		if in.Kinds[row] != lcqp.Square {
			return false
		}
		from, to := in.Ptr[row], in.Ptr[row+1]
		if to-from < 2 {
			continue
		}
		_, curv := in.RowCost(int(row))
		first := in.Val[from]
		hash := math.Float64bits(curv*first*first) ^ math.Float64bits(in.B[row]/first+0)
		for j := from; j < to; j++ {
			hash = (hash ^ uint64(in.Col[j])<<32 ^ math.Float64bits(in.Val[j]/first)) * 0x9e3779b97f4a7c15
			hash ^= hash >> 29
		}
		if first < 0 {
			hash = -hash
		}
		sum += hash
	}
	return sum == 0
}
