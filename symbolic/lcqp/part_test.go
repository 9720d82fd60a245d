package lcqp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// The energies and violations of the parts are those of the whole, neural outputs
// included.
func TestPart(t *testing.T) {
	check := func(in *lcqp.Instance, g []float64) {
		t.Helper()
		rng := rand.New(rand.NewPCG(1, 2))
		p := in.Program()
		y := make([]float64, in.Targets)
		for i := range y {
			y[i] = rng.Float64()
		}
		energy, violation := 0.0, 0.0
		for _, c := range in.Components {
			q := in.Part(c.Targets, c.Rows)
			part := make([]float64, len(c.Targets))
			for i, at := range c.Targets {
				if part[i] = y[at]; q.Targets[i] != p.Targets[at] {
					t.Errorf("target %s, want %s", q.Targets[i], p.Targets[at])
				}
			}
			energy += q.Energy(part, g, in.Weights)
			violation = max(violation, q.Violation(part, g))
		}
		if want := p.Energy(y, g, in.Weights); math.Abs(energy-want) > 1e-9*(1+want) {
			t.Errorf("the parts have the energy %v, the whole %v", energy, want)
		}
		if want := p.Violation(y, g); math.Abs(violation-want) > 1e-12 {
			t.Errorf("the parts break hard rules by %v, the whole by %v", violation, want)
		}
	}
	for seed := range uint64(20) {
		in := lcqptest.Random(rand.New(rand.NewPCG(seed, 7)), lcqptest.Shape{Targets: 15, Rows: 25, Separate: true}).Instance
		check(in, make([]float64, in.Deep))
	}
	a := lcqptest.Add1(1e-3)
	in, err := a.Template.NewInstance(1e-3)
	require.NoError(t, err)
	g, _ := lcqptest.Softmax(rand.New(rand.NewPCG(3, 3)), a.Deep/10, 10, 3)
	check(in, g)
}
