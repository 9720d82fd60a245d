package search

import (
	"cmp"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Draws says how weights are drawn.
type Draws struct {
	// Alpha > 0 is the parameter of the symmetric Dirichlet distribution; 0: 0.05,
	// with which few rules have most of the weight.
	Alpha float64
	// Uniform draws from the unit cube instead.
	Uniform bool
}

// least is the smallest weight of a draw: logarithms are taken of it, and draws with a
// small Alpha underflow.
const least = 1e-8

// drawer draws weights of Euclidean length 1.
type drawer struct {
	n   int
	one func() float64
}

func (d Draws) drawer(n int, seed uint64) *drawer {
	rng := rand.NewPCG(seed, 2)
	if d.Uniform {
		return &drawer{n: n, one: rand.New(rng).Float64}
	}
	gamma := distuv.Gamma{Alpha: cmp.Or(d.Alpha, 0.05), Beta: 1, Src: rng}
	return &drawer{n: n, one: gamma.Rand}
}

func (d *drawer) draw() []float64 {
	w := make([]float64, d.n)
	for i := range w {
		w[i] = d.one()
	}
	if length := floats.Norm(w, 2); length > 0 && !math.IsInf(length, 0) {
		floats.Scale(1/length, w)
	} else {
		w[0] = 1
	}
	for i := range w {
		w[i] = max(w[i], least)
	}
	return w
}

// ContinuousRandom is "ContinuousRandomGridSearch": it tries draws.
type ContinuousRandom struct {
	Draws
	// Locations is their number; 0: 250.
	Locations int
}

// Name returns "ContinuousRandomGridSearch".
func (ContinuousRandom) Name() string { return "ContinuousRandomGridSearch" }

func (c ContinuousRandom) search(s *session) error {
	d := c.drawer(len(s.Start), s.Seed)
	for range cmp.Or(c.Locations, 250) {
		if _, err := s.try(d.draw(), 1); err != nil {
			return err
		}
	}
	return nil
}
