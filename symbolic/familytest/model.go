package familytest

import (
	"context"
	"fmt"
	"math/rand/v2"

	"hinge/symbolic/ground"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/psl"
)

// Model is a rule model with its data.
type Model struct {
	// Rules and Data are what grounding needs.
	Rules *psl.Program
	Data  *ground.Database
	// Epsilon is the regularisation ε the family is meant to be solved with.
	Epsilon float64
	// Outputs is g, one number in [0, 1] a deep atom; empty without any.
	Outputs []float64
	// Width is the number of consecutive outputs that sum to 1; 1 if each is on
	// its own.
	Width int
	// Terms is the number of ground terms, potentials and constraints, that the
	// rules give with these data; 0 if the generator does not know.
	Terms int
}

// Ground returns the ground program. It is an error when the number of its
// terms is not that of the model: then grounder or generator is wrong.
func (m *Model) Ground(ctx context.Context) (*hlmrf.Program, error) {
	p, err := ground.Ground(ctx, m.Rules, m.Data, ground.Options{})
	if err != nil {
		return nil, err
	}
	if n := p.Potentials.Len() + p.Constraints.Len(); m.Terms != 0 && n != m.Terms {
		return nil, fmt.Errorf("familytest: %d ground terms, the generator expects %d", n, m.Terms)
	}
	return p, nil
}

// Moved returns outputs that differ from Outputs by at most by ≥ 0, and by just
// that somewhere in each group of Width > 1: groups move towards random
// distributions and stay distributions, single numbers move by a uniform
// amount and stay in [0, 1]. It returns nil without outputs.
func (m *Model) Moved(rng *rand.Rand, by float64) []float64 {
	if len(m.Outputs) == 0 {
		return nil
	}
	moved := append([]float64(nil), m.Outputs...)
	if m.Width == 1 {
		for i, v := range moved {
			moved[i] = min(max(v+by*(2*rng.Float64()-1), 0), 1)
		}
		return moved
	}
	other := make([]float64, m.Width)
	for from := 0; from < len(moved); from += m.Width {
		group := moved[from : from+m.Width]
		Softmax(rng, other, rng.IntN(m.Width), 0)
		most := 0.0
		for x, v := range group {
			most = max(most, v-other[x], other[x]-v)
		}
		if most == 0 {
			continue
		}
		for x, v := range group {
			group[x] = v + min(by/most, 1)*(other[x]-v)
		}
	}
	return moved
}
