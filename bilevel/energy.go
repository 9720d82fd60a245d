package bilevel

import (
	"fmt"
	"slices"

	"gorgonia.org/gorgonia"
)

// Energy is the energy loss (paper, section 3): the mean over the samples of the
// latent value function, the optimal value with the labels fixed,
//
//	L = (1/P) Σ_i V_{z*_i}(w, g_i),
//
// or, as Sum, their sum. latent must be the value node of a ValueFunction whose
// instances have their labels fixed. The result is a float64 scalar.
func Energy(latent *gorgonia.Node, as ...Reduction) (*gorgonia.Node, error) {
	reduce := gorgonia.Mean
	if slices.Contains(as, Sum) {
		reduce = gorgonia.Sum
	}
	l, err := reduce(latent)
	if err != nil {
		return nil, fmt.Errorf("bilevel: loss: %w", err)
	}
	return l, nil
}

// energyKind: labels are fixed in all that is solved.
var energyKind = Kind{
	Name: LossEnergy, Everywhere: true, Solves: true, Draws: true, Sums: true,
	New: func(o *Objective) (Loss, error) { return newEnergy(o), nil },
}

// energy is the energy loss of an Objective.
type energy struct {
	Stateless
	latent *ValueFunction
	as     Reduction
}

func newEnergy(o *Objective) *energy {
	return &energy{latent: o.Latent(), as: o.set.Reduction}
}

func (l *energy) Express(w, g *gorgonia.Node) (*gorgonia.Node, error) {
	latent, err := l.latent.Value(w, g)
	if err != nil {
		return nil, err
	}
	return Energy(latent, l.as)
}

func (l *energy) Step([]float64, []float64, gorgonia.Nodes) (Terms, error) {
	t := Terms{Samples: l.latent.Samples()}
	for _, v := range l.latent.Values() {
		t.Energy += v
	}
	t.Lagrangian = t.Energy
	return t, nil
}
