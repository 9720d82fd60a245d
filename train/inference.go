package train

import (
	"fmt"

	"hinge/bilevel"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// MAP is MAP inference of one program at outputs of a network, for the evaluations of a Model:
// it infers n examples with rule weights w, given the network's outputs for them one after
// the other, and hands each result to a function while it lasts. f infers as many examples at
// once as it has slots; all start cold unless it has warm states, so that a run that resumes
// ends alike. observe, which may be nil, fixes what is known of an example. Infeasible hard
// rules are an error.
func MAP[T float32 | float64](f *bilevel.ValueFunction, w []float64, g []T, n int, observe func(example int, in *lcqp.Instance) error, each func(example int, r *infer.Result)) error {
	deep, width := f.Template().Deep, f.Slots()
	if len(g) != n*deep {
		return fmt.Errorf("train: %d outputs for %d examples of %d", len(g), n, deep)
	}
	chunk := make([]float64, width*deep)
	for lo := 0; lo < n; lo += width {
		used := min(width, n-lo)
		for slot := range width {
			// Slots beyond the last example repeat the chunk's first one.
			example := lo
			if slot < used {
				example += slot
			}
			for i, v := range g[example*deep:][:deep] {
				chunk[slot*deep+i] = float64(v)
			}
			if observe != nil {
				if err := observe(example, f.Instance(slot)); err != nil {
					return err
				}
			}
		}
		if err := f.Solve(w, chunk); err != nil {
			if n == 1 {
				return err
			}
			return fmt.Errorf("example %d and following: %w", lo, err)
		}
		for slot := range used {
			each(lo+slot, f.Result(slot))
		}
	}
	return nil
}
