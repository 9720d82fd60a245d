package integer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// Outputs lists the values of the neural outputs of p, one class of each row, for which some
// values 0 or 1 of the free targets break no rule: no hard rule and no rule with a weight
// above zero, so that the optimal value of the program comes from ε alone. label has the
// values of the targets, NaN for free ones. The outputs are distributions, one after the
// other; rows has the number of classes of each. states[n][r] is the class of row r.
//
// s bounds the search as it does for List, except that MaxPoints bounds the states. search is
// Listed if states is complete, Infeasible if there is none, and otherwise the limit that
// ended the search; then no state is returned. An error is about the arguments.
func Outputs(ctx context.Context, p *hlmrf.Program, label []float64, rows []int, s ListSettings) (states [][]int, search Status, err error) {
	deep := 0
	for _, classes := range rows {
		deep += classes
	}
	if deep != len(p.Deep) {
		return nil, NotRun, fmt.Errorf("integer: rows of %d classes for %d neural outputs", deep, len(p.Deep))
	}
	given, err := p.Condition(label)
	switch {
	case errors.Is(err, hlmrf.ErrContrary):
		return nil, Infeasible, nil
	case err != nil:
		return nil, NotRun, err
	}
	in, err := outputTargets(given.Program, rows)
	if err != nil {
		return nil, NotRun, err
	}
	free := len(given.Free)
	outputs := make([]int, deep)
	for j := range outputs {
		outputs[j] = free + j
	}
	s.Whole = s.Whole[:0:0]
	for i := range free {
		s.Whole = append(s.Whole, i)
	}
	list, err := List(ctx, in, outputs, s)
	switch {
	case err != nil:
		return nil, NotRun, err
	case !list.Complete():
		return nil, list.Search, nil
	case s.MaxPoints > 0 && (!list.Number().IsInt64() || list.Number().Int64() > int64(s.MaxPoints)):
		return nil, PointLimit, nil
	}
	var row, class []int // of each output
	for r, classes := range rows {
		for c := range classes {
			row, class = append(row, r), append(class, c)
		}
	}
	for at := range list.All() {
		state := make([]int, len(rows))
		for k, part := range list.Parts {
			for i, on := range part.Points[at[k]] {
				if j := part.Targets[i] - free; on {
					state[row[j]] = class[j]
				}
			}
		}
		states = append(states, state)
	}
	slices.SortFunc(states, slices.Compare)
	return states, list.Search, nil
}

// outputTargets makes the neural outputs of a program targets behind its own, and hard rows of
// all its rows.
func outputTargets(p *hlmrf.Program, rows []int) (*lcqp.Instance, error) {
	n := int32(len(p.Targets))
	s := &lcqp.Sparse{Targets: int(n) + len(p.Deep)}
	add := func(from *hlmrf.Rows, k int, kind lcqp.Kind) {
		col, val := from.Row(k)
		deep, deepVal := from.DeepRow(k)
		col = slices.Clone(col)
		for _, j := range deep {
			col = append(col, n+j)
		}
		s.Append(kind, col, slices.Concat(val, deepVal), from.Const[k])
	}
	for k, relation := range p.Relations {
		kind := lcqp.HardLE
		if relation == hlmrf.Equal {
			kind = lcqp.HardEQ
		}
		add(&p.Constraints, k, kind)
	}
	for k, rule := range p.PotentialRule {
		if p.Rules[rule].Weight > 0 {
			add(&p.Potentials, k, lcqp.HardLE)
		}
	}
	at := n
	for _, classes := range rows {
		var col []int32
		for range classes {
			col = append(col, at)
			at++
		}
		s.Append(lcqp.HardEQ, col, slices.Repeat([]float64{1}, classes), -1)
	}
	return s.NewInstance(1) // no potential is left for ε
}
