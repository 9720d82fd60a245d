package nn

import (
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"
)

// A DivergedError reports an output that is not a number. No class may be read from it.
type DivergedError struct {
	// Example is the number of the first such example, from 0.
	Example int
	// Given reports whether the example's input holds a NaN itself.
	Given bool
}

func (e *DivergedError) Error() string {
	if e.Given {
		return fmt.Sprintf("nn: the input of example %d (from 0) holds a NaN, so the network has no answer for it", e.Example)
	}
	return fmt.Sprintf("nn: the network's output for example %d (from 0) is not a number, so it has no answer: "+
		"its weights have diverged or the input is too large; take earlier weights (a run folder keeps the best) or learn with a lower learning rate", e.Example)
}

// diverged looks for a NaN in the first examples of an output, whose inputs are x.
func diverged[T Float](y, x []T, output *gorgonia.Node, examples int) *DivergedError {
	nan := func(v T) bool { return v != v }
	if !slices.ContainsFunc(y, nan) {
		return nil
	}
	outer, inner := batchAxis(output)
	batch := len(y) / (outer * inner)
	for i := range examples {
		for k := range outer {
			if slices.ContainsFunc(y[(k*batch+i)*inner:][:inner], nan) {
				width := len(x) / batch
				return &DivergedError{i, slices.ContainsFunc(x[i*width:][:width], nan)}
			}
		}
	}
	return nil
}
