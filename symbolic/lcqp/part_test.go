package lcqp_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// TestIrreducible: of rows 0 to 9, those contradict each other that hold 2, 3, 5 and 7, or 0 and 6, whether
// the answer is all that was asked about or only a part, and are asked about in their order.
func TestIrreducible(t *testing.T) {
	sets := [][]int32{{2, 3, 5, 7}, {0, 6}}
	for from := range 2 {
		for _, all := range []bool{true, false} {
			var rows []int32
			for k := int32(from); k < 10; k++ {
				rows = append(rows, k)
			}
			got := lcqp.Irreducible(rows, func(rest []int32) []int32 {
				require.IsIncreasing(t, rest)
				for _, set := range sets {
					if !slices.ContainsFunc(set, func(k int32) bool { return !slices.Contains(rest, k) }) {
						if all {
							return rest
						}
						return set
					}
				}
				return nil
			})
			if !slices.Equal(got, sets[0]) && (from > 0 || !slices.Equal(got, sets[1])) {
				t.Errorf("from %d: %v", from, got)
			}
		}
	}
}

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

// A row with a target outside the part is an error: its coefficient was taken for that of the next target.
func TestCutRowOfOtherTargets(t *testing.T) {
	p := &hlmrf.Program{Targets: []string{"a", "b", "c"}, Rules: []hlmrf.Rule{{Weight: 1}}}
	p.AddPotential(0, []int32{1}, []float64{1}, nil, nil, -0.5)
	in, err := lcqp.NewInstance(p, 0.01)
	require.NoError(t, err)
	_, err = in.Cut([]int32{0, 2}, []int32{0})
	require.ErrorContains(t, err, "potential 0: target column -1")
}
