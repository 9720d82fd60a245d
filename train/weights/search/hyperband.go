package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Hyperband tries many draws with a small budget and goes on with the best of them
// with a larger one (Li et al., Hyperband: A Novel Bandit-Based Approach to
// Hyperparameter Optimization, 2018), in the reference's form: bracket b has
// ⌈Size·Survival^b/(b + 1)⌉ draws and b + 1 rounds, of which round r has the budget
// Survival^(r − b); one in Survival goes on.
type Hyperband struct {
	Draws
	// Size is the number of draws of the first bracket, 0: 10; Brackets their number,
	// 0: 4; one in Survival ≥ 2 draws survives a round, 0: 4.
	Size, Brackets, Survival int
}

// Name returns "Hyperband".
func (Hyperband) Name() string { return "Hyperband" }

func (h Hyperband) search(s *session) error {
	size, brackets, survival := cmp.Or(h.Size, 10), cmp.Or(h.Brackets, 4), float64(cmp.Or(h.Survival, 4))
	if survival < 2 || size < 1 || brackets < 1 || math.Pow(survival, float64(brackets))*float64(size) > maxGrid {
		return fmt.Errorf("search: Hyperband with %d brackets from %d draws of which one in %v survives", brackets, size, survival)
	}
	type draw struct {
		w     []float64
		score float64
	}
	d := h.drawer(len(s.Start), s.Seed)
	for b := range brackets {
		draws := make([]draw, int(math.Ceil(float64(size)*math.Pow(survival, float64(b))/float64(b+1))))
		for i := range draws {
			draws[i].w = d.draw()
		}
		for r := 0; r <= b && len(draws) > 0; r++ {
			// The last round has the whole budget, exactly.
			budget := math.Pow(survival, float64(r-b))
			for i := range draws {
				var err error
				if draws[i].score, err = s.try(draws[i].w, budget); err != nil {
					return err
				}
			}
			slices.SortStableFunc(draws, func(x, y draw) int { return cmp.Compare(y.score, x.score) })
			draws = draws[:int(float64(len(draws))/survival)]
		}
	}
	return nil
}
