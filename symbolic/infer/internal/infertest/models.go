package infertest

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/familytest"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// Known returns the random problem of a seed.
func Known(seed uint64) *lcqptest.Known {
	return lcqptest.Random(rand.New(rand.NewPCG(seed, 7)),
		lcqptest.Shape{Targets: 15, Rows: 25, Separate: seed%3 == 0})
}

// Grid returns side × side targets: linear hinges on the differences of the
// four neighbours, squared hinges to observations, and each row of the grid
// must add up to half its length. It is one component.
func Grid(t testing.TB, side int, epsilon float64) *lcqp.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(side), 22))
	s := New(side * side)
	smooth, anchor := s.Rule(0.2, false), s.Rule(1, true)
	at := func(r, c int) int32 { return int32(r*side + c) }
	for r := range side {
		row, ones := make([]int32, side), make([]float64, side)
		for c := range side {
			i := at(r, c)
			row[c], ones[c] = i, 1
			o := rng.Float64()
			s.Soft(anchor, -o, []int32{i}, 1)
			s.Soft(anchor, o, []int32{i}, -1)
			for _, j := range [...]int32{at(r, min(c+1, side-1)), at(min(r+1, side-1), c)} {
				if j != i {
					s.Soft(smooth, 0, []int32{i, j}, 1, -1)
					s.Soft(smooth, 0, []int32{i, j}, -1, 1)
				}
			}
		}
		s.Hard(hlmrf.Equal, -float64(side)/2, row, ones...)
	}
	return s.Instance(t, epsilon)
}

// Additions returns n instances of one template with random soft outputs.
func Additions(t testing.TB, make func(float64) *lcqptest.Addition, n int, margin float64, label bool) []*lcqp.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	a := make(1e-3)
	ins := []*lcqp.Instance{}
	for range n {
		in, err := a.Template.NewInstance(1e-3)
		require.NoError(t, err)
		images := a.Deep / 10
		g, digits := lcqptest.Softmax(rng, images, 10, margin)
		require.NoError(t, in.SetDeep(g))
		if label {
			z := digits[0] + digits[1]
			if images == 4 {
				z = 10*(digits[0]+digits[2]) + digits[1] + digits[3]
			}
			a.Instance = in
			a.Label(z)
		}
		ins = append(ins, in)
	}
	return ins
}

// Family returns a generated model of about the given number of terms.
func Family(t testing.TB, name string, terms int) *lcqp.Instance {
	t.Helper()
	in, _ := FamilyModel(t, name, terms)
	return in
}

// FamilyModel returns the model it is made of as well.
func FamilyModel(t testing.TB, name string, terms int) (*lcqp.Instance, *familytest.Model) {
	t.Helper()
	f, err := familytest.Find(name)
	require.NoError(t, err)
	m, err := f.Model(terms, 1)
	require.NoError(t, err)
	p, err := m.Ground(context.Background())
	require.NoError(t, err)
	in, err := lcqp.NewInstance(p, m.Epsilon)
	require.NoError(t, err)
	require.NoError(t, in.SetDeep(m.Outputs))
	return in, m
}

// Largest returns the component with most targets.
func Largest(in *lcqp.Instance) int {
	at := 0
	for c := range in.Components {
		if len(in.Components[c].Targets) > len(in.Components[at].Targets) {
			at = c
		}
	}
	return at
}

// Local are models whose components are larger than a subdomain of package patches.
var Local = []struct {
	Name  string
	Terms int
}{{"chain", 8000}, {"knn-regression", 25000}, {"knn-labels", 15000}}
