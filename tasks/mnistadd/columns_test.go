package mnistadd

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// TestColumns: the column-wise model of longer numbers has rules, potentials and
// constraints for every column, answers right for outputs that name the digits,
// and its energy tells right labels from wrong ones.
func TestColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var before *lcqp.Template
	for _, digits := range []int{3, 4} {
		s, err := NewSymbolic(digits, "")
		require.NoError(t, err)
		m := s.Template
		if m.Deep != 20*digits || m.Targets != 10*(digits+1)+2*digits || m.Rules != 14 {
			t.Errorf("%d digits: %d outputs, %d targets, %d rules", digits, m.Deep, m.Targets, m.Rules)
		}
		// 800 hinges for the four directions, 90 + 20 for the carry out, and for
		// each image one for each place and carry.
		if before != nil && m.Potentials-before.Potentials != 800+110+2*20 {
			t.Errorf("a column more has %d potentials more", m.Potentials-before.Potentials)
		}
		before = m
		in, err := m.NewInstance(1e-3)
		require.NoError(t, err)
		require.NoError(t, in.SetWeights(startWeights(s)))
		for range 6 {
			g, numbers := sharpOutputs(rng, digits)
			sum := numbers[0] + numbers[1]
			require.NoError(t, in.SetDeep(g))
			var res infer.Result
			require.NoError(t, infer.Solve(in, nil, infer.Settings{}, &res))
			if r := lcqp.Residuals(in, &res.Solution); !(r.Max() < 1e-6) {
				t.Errorf("outside check: %+v", r)
			}
			if got := s.Answer(res.Y); got.Int() != sum {
				t.Errorf("%d + %d: answer %d", numbers[0], numbers[1], got)
			}
			right := latentValue(t, s, g, sum)
			if wrong := latentValue(t, s, g, largest(digits)-sum); !(right < wrong-0.01) {
				t.Errorf("energy of the right sum %v, of a wrong one %v", right, wrong)
			}
		}
	}
}

// latentValue is the optimal energy with the labels of a sum.
func latentValue(t *testing.T, s *Symbolic, g []float64, sum int) float64 {
	t.Helper()
	return labelledValue(t, s, g, func(in *lcqp.Instance) error { return s.FixLabels(in, mnist.NewSum(sum, s.Digits)) })
}

// labelledValue is the optimal energy with the labels that fix fixes.
func labelledValue(t *testing.T, s *Symbolic, g []float64, fix func(*lcqp.Instance) error) float64 {
	t.Helper()
	in, err := s.Template.NewInstance(1e-3)
	require.NoError(t, err)
	require.NoError(t, in.SetWeights(startWeights(s)))
	require.NoError(t, fix(in))
	require.NoError(t, in.SetDeep(g))
	var res infer.Result
	require.NoError(t, infer.Solve(in, nil, infer.Settings{}, &res))
	require.NoError(t, res.Err())
	return res.DualValue
}

func TestDigitsInRange(t *testing.T) {
	for _, digits := range []int{0, MaxDigits + 1} {
		if _, err := NewSymbolic(digits, ""); err == nil {
			t.Errorf("summands of %d digits gave no error", digits)
		}
	}
}
