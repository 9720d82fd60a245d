package bilevel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// drawn is a value function of two samples with three draws each, whose slots
// have the given values.
func drawn(temperature float64, values []float64) *ValueFunction {
	return &ValueFunction{
		samples: 2, opt: Options{Draws: 3, DrawTemperature: temperature},
		values: make([]float64, 2), slotValues: values, share: make([]float64, 6),
	}
}

// TestCombine compares the values of samples with their formula, and the shares
// with differences, for the mean and for soft minima.
func TestCombine(t *testing.T) {
	v := uniform(rand.New(rand.NewPCG(1, 2)), 6, 0, 1)
	for _, temperature := range []float64{0, 0.03, 0.5} {
		f := drawn(temperature, v)
		f.combine()
		for i, got := range f.values {
			mean, exp := 0.0, 0.0
			for slot := i; slot < 6; slot += 2 {
				mean += v[slot] / 3
				exp += math.Exp(-v[slot]/temperature) / 3
			}
			want := mean
			if temperature > 0 {
				want = -temperature * math.Log(exp)
			}
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("T = %v, sample %d: %v, want %v", temperature, i, got, want)
			}
		}
		for slot, share := range slices.Clone(f.share) {
			d := difference(&v[slot], 1e-6, func() float64 { f.combine(); return f.values[slot%2] })
			if math.Abs(d-share) > 1e-8 {
				t.Errorf("T = %v, slot %d: share %v, differences %v", temperature, slot, share, d)
			}
		}
	}
}

// TestCombineLimits: hot it is the mean, cold the minimum, also where the
// exponentials vanish.
func TestCombineLimits(t *testing.T) {
	v := []float64{3, 1000, 1, 2000, 2, 3000}
	hot, cold := drawn(1e9, v), drawn(1e-3, v)
	hot.combine()
	cold.combine()
	if math.Abs(hot.values[0]-2) > 1e-5 || math.Abs(hot.values[1]-2000) > 1e-2 {
		t.Errorf("hot: %v, want the means 2 and 2000", hot.values)
	}
	if math.Abs(cold.values[0]-1) > 0.01 || math.Abs(cold.values[1]-1000) > 0.01 || cold.share[1] != 1 {
		t.Errorf("cold: %v with shares %v, want the minima 1 and 1000", cold.values, cold.share)
	}
}

// TestSpread: the mean over samples of the standard deviation over draws; 0 of one draw.
func TestSpread(t *testing.T) {
	f := drawn(0.1, []float64{1, 7, 2, 7, 6, 7})
	if got, want := f.Spread(), math.Sqrt((4+1+9)/3.0)/2; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	f.opt.Draws, f.samples = 1, 6
	assert.Zero(t, f.Spread())
}

// TestActive: of A(x) -> B(x) for x = 0, 1, 2 with B fixed at 1, 0 and 0 and outputs A. A draw counts
// by its share.
func TestActive(t *testing.T) {
	p := &hlmrf.Program{
		Targets: []string{"B0", "B1", "B2"}, Deep: []string{"A0", "A1", "A2"},
		Rules: []hlmrf.Rule{{Weight: 1}, {Weight: 1}},
	}
	for k := range int32(3) {
		p.AddPotential(0, []int32{k}, []float64{-1}, []int32{k}, []float64{1}, 0)
	}
	p.Potentials.Append([]int32{0}, []float64{-1}, nil, nil, 0.5) // B0 ≥ 1/2, which holds by far
	p.PotentialRule = append(p.PotentialRule, 1)
	template, err := lcqp.Compile(p)
	require.NoError(t, err)
	for _, condition := range []bool{false, true} {
		f, err := New(template, 2, Options{Draws: 2, Condition: condition})
		require.NoError(t, err)
		for slot := range 2 {
			for i, v := range []float64{1, 0, 0} {
				require.NoError(t, f.Instance(slot).Fix(i, v))
			}
		}
		// In the first draw the clause holds for 0, is broken for 1 and idle for 2; in the
		// second it is idle for 0, and holds for 1 and 2 at the kink of its hinge.
		require.NoError(t, f.Solve([]float64{1, 1}, []float64{1, 0.5, -0.5, 0.5, 0, 0}))
		f.share[0], f.share[1] = 0.75, 0.25
		counts := make([]float64, 2)
		f.active(counts)
		assert.Equal(t, []float64{0.75*2 + 0.25*2, 0}, counts)
	}
}
