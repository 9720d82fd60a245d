package integer

import (
	"cmp"
	"math"
	"slices"
)

// round looks for a point near y: it fixes the integer targets that are free, the surest
// first, to the nearer value, or to the other one where the hard rows forbid that, each
// time with what follows. Then it solves for the other targets.
func (t *tree) round(states []state, y []float64) error {
	var order []int
	for i, s := range states {
		if t.integer[i] && s == free {
			order = append(order, i)
		}
	}
	doubt := func(i int) float64 { return -math.Abs(y[i] - 0.5) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(doubt(a), doubt(b)) })
	trial, before := slices.Clone(states), slices.Clone(states)
	for _, i := range order {
		if trial[i] != free {
			continue
		}
		near, far := one, zero
		if y[i] < 0.5 {
			near, far = zero, one
		}
		copy(before, trial)
		if trial[i] = near; t.prop.run(trial, i) {
			continue
		}
		copy(trial, before)
		if trial[i] = far; !t.prop.run(trial, i) {
			return nil
		}
	}
	t.fix(trial)
	if err := t.relax(nil); err != nil {
		return err
	}
	t.accept()
	return nil
}
