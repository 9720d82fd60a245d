package mapstate

import (
	"context"
	"slices"

	"hinge/symbolic/infer"
	"hinge/symbolic/integer"
	"hinge/symbolic/lcqp"
)

// Again infers targets by some of the rows of a program, with its weights and its neural outputs g,
// beginning with the solution of the whole. targets and rows increase, and no row has another target.
// Of the targets those in integers, by their numbers in the whole, have values 0 or 1,
// whatever bounds they have in in. The values are in the order of the targets, by the first of the settings
// under which the inference ends well, such as in time; nil if there is none, or ctx ends.
func Again(ctx context.Context, in *lcqp.Instance, whole *lcqp.Solution, g []float64, targets, rows []int32, integers []int, sets ...infer.Settings) ([]float64, error) {
	part, err := in.Cut(targets, rows)
	if err != nil {
		return nil, err
	}
	part.FreeAll()
	if err := part.SetDeep(g); err != nil {
		return nil, err
	}
	var warm infer.Warm
	for _, t := range targets {
		warm.Y = append(warm.Y, whole.Y[t])
	}
	for _, k := range rows {
		if len(whole.Dual) > 0 {
			warm.Dual = append(warm.Dual, whole.Dual[k])
		}
	}
	var held []int
	for _, t := range integers {
		if i, ok := slices.BinarySearch(targets, int32(t)); ok {
			held = append(held, i)
		}
	}
	for _, set := range sets {
		if set.Stop = ctx.Done(); ctx.Err() != nil {
			break
		}
		if len(held) > 0 {
			var r integer.Result
			if err := integer.Solve(ctx, part, held, integer.Settings{Solver: set, MaxTime: set.MaxTime}, &r); err != nil {
				return nil, err
			}
			if r.Search == integer.Optimal {
				return r.Y, nil
			}
			continue
		}
		var r infer.Result
		if err := infer.Solve(part, &warm, set, &r); err != nil {
			return nil, err
		}
		if r.Status.OK() {
			return r.Y, nil
		}
	}
	return nil, nil
}
