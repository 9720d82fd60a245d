package lcqp

import (
	"slices"

	"hinge/symbolic/hlmrf"
)

// Part returns the program of a part of the template: some targets, and rows without other
// targets, such as the rows of one or several components. Both are in increasing order. The
// part has all rules and neural outputs of the whole.
func (t *Template) Part(targets, rows []int32) *hlmrf.Program {
	p := t.program
	q := &hlmrf.Program{Deep: p.Deep, Rules: p.Rules, HardRules: p.HardRules}
	for _, i := range targets {
		q.Targets = append(q.Targets, p.Targets[i])
	}
	var col []int32
	var val []float64
	for _, k := range rows {
		col, val = col[:0], val[:0]
		for j := t.Ptr[k]; j < t.Ptr[k+1]; j++ {
			if t.Val[j] != 0 {
				at, ok := slices.BinarySearch(targets, t.Col[j])
				if !ok {
					at = -1 // which Check reports
				}
				col, val = append(col, int32(at)), append(val, t.Val[j])
			}
		}
		from, end := t.DeepPtr[k], t.DeepPtr[k+1]
		if at := int(k) - t.Constraints; at >= 0 {
			q.AddPotential(p.PotentialRule[at], col, val, t.DeepCol[from:end], t.DeepVal[from:end], t.B0[k])
		} else {
			q.AddConstraint(p.Relations[k], p.ConstraintRule[k], col, val, t.DeepCol[from:end], t.DeepVal[from:end], t.B0[k])
		}
	}
	return q
}

// Cut returns a part as an instance of its own, with the weights, b, the bounds and the proximal term that
// the instance has for its rows and targets. The errors are those of Compile.
func (in *Instance) Cut(targets, rows []int32) (*Instance, error) {
	part, err := NewInstance(in.Part(targets, rows), in.Epsilon)
	if err != nil {
		return nil, err
	}
	copy(part.Weights, in.Weights)
	for k, row := range rows {
		part.B[k] = in.B[row]
	}
	for i, t := range targets {
		part.Lower[i], part.Upper[i] = in.Lower[t], in.Upper[t]
		part.Prox[i], part.Center[i] = in.Prox[t], in.Center[t]
	}
	return part, nil
}

// Irreducible returns some of the rows, which contradict each other: a set that contradicts itself no more
// if any one row is left out. It tries to leave out half of the rows, then fewer, at last each. contrary
// returns those of some rows that contradict each other, in their order, or nil if all can hold.
func Irreducible(rows []int32, contrary func(rest []int32) []int32) []int32 {
	for size := len(rows) / 2; size > 0; size /= 2 {
		for from := 0; from < len(rows); {
			if less := contrary(slices.Concat(rows[:from], rows[min(from+size, len(rows)):])); less != nil {
				rows = less
			} else {
				from += size
			}
		}
	}
	return rows
}
