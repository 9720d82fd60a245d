package mnistadd

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
	"hinge/train/half"
)

// TestSizes: the ground model of one addition has the published counts.
func TestSizes(t *testing.T) {
	for _, c := range []struct{ digits, rules, potentials, constraints, targets, deep int }{
		// 547 and 3,605 ground terms an addition.
		{1, 6, 438, 109, 41, 20},
		{2, 13, 2196, 1409, 233, 40},
	} {
		s, err := NewSymbolic(c.digits, "")
		require.NoError(t, err)
		m := s.Template
		if m.Rules != c.rules || m.Potentials != c.potentials || m.Constraints != c.constraints ||
			m.Targets != c.targets || m.Deep != c.deep {
			t.Errorf("Add%d: %d rules, %d potentials, %d constraints, %d targets, %d outputs; want %+v",
				c.digits, m.Rules, m.Potentials, m.Constraints, m.Targets, m.Deep, c)
		}
		assert.Lenf(t, m.Components, 1, "Add%d: one addition falls into", c.digits)
	}
}

// randomOutputs are softmax outputs of random logits.
func randomOutputs(rng *rand.Rand, images int, sharp float64) []float64 {
	g := make([]float64, 10*images)
	for i := range images {
		row, total := g[10*i:10*i+10], 0.0
		for x := range row {
			row[x] = math.Exp(sharp * rng.NormFloat64())
			total += row[x]
		}
		for x := range row {
			row[x] /= total
		}
	}
	return g
}

// TestLatentClosedForm compares the latent value of an Add1 addition, where
// every target is fixed by the labels, with the formula written out by hand.
func TestLatentClosedForm(t *testing.T) {
	const eps = 1e-3
	s, err := NewSymbolic(1, "")
	require.NoError(t, err)
	in, err := s.Template.NewInstance(eps)
	require.NoError(t, err)
	require.NoError(t, in.SetWeights(startWeights(s)))
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		z := rng.IntN(19)
		g := randomOutputs(rng, 2, 3)
		p, q := g[:10], g[10:]
		const w = 1.0 / 6
		want := 4 * eps // ImageSum, two SumPlace and one Carry atom are 1
		hinge := func(v float64, squared bool) {
			if v <= 0 {
				return
			}
			if squared {
				want += (w + eps) * v * v
			} else {
				want += w*v + eps*v*v
			}
		}
		bad := [2]float64{}
		for x := range 10 {
			for y := range 10 {
				ones, tens := 0.0, 0.0
				if (x+y)%10 == z%10 {
					ones = 1
				}
				if (x+y)/10 == z/10 {
					tens = 1
				}
				hinge(p[x]+q[y]-ones-1, true)
				hinge(p[x]+ones-q[y]-1, true)
				hinge(q[y]+ones-p[x]-1, true)
				hinge(p[x]+q[y]-tens-1, true)
			}
			if z-x < 0 || z-x > 9 {
				bad[0] += p[x]
				bad[1] += q[x]
			}
		}
		hinge(bad[0], false) // + I(z) − 1 = 0 for the true sum
		hinge(bad[1], false)
		for other := range 19 {
			if other == z {
				continue
			}
			sum := [2]float64{}
			for x := range 10 {
				if other-x < 0 || other-x > 9 {
					sum[0] += p[x]
					sum[1] += q[x]
				}
			}
			hinge(sum[0]-1, false)
			hinge(sum[1]-1, false)
		}
		require.NoError(t, s.FixLabels(in, mnist.NewSum(z, 1)))
		require.NoError(t, in.SetDeep(g))
		var res infer.Result
		require.NoError(t, infer.Solve(in, nil, infer.Settings{}, &res))
		require.InDeltaf(t, want, res.DualValue, 1e-9, "sum %d", z)
	}
}

// TestConfidentAnswers: with outputs that name the right digits, MAP inference
// answers the right sum, and the solution stands up to the outside check.
func TestConfidentAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for digits := 1; digits <= 2; digits++ {
		s, err := NewSymbolic(digits, "")
		require.NoError(t, err)
		in, err := s.Template.NewInstance(1e-3)
		require.NoError(t, err)
		require.NoError(t, in.SetWeights(startWeights(s)))
		for range 20 {
			g, numbers := sharpOutputs(rng, digits)
			require.NoError(t, in.SetDeep(g))
			var res infer.Result
			require.NoError(t, infer.Solve(in, nil, infer.Settings{}, &res))
			require.NoError(t, res.Err())
			if r := lcqp.Residuals(in, &res.Solution); !(r.Max() < 1e-6) {
				t.Errorf("outside check: %+v", r)
			}
			if got, want := s.Answer(res.Y).Int(), numbers[0]+numbers[1]; got != want {
				t.Errorf("Add%d: answer %d, want %d", digits, got, want)
			}
		}
	}
}

// TestRuleFileErrors: a mistake in a user's rule file is a usage error with its
// place.
func TestRuleFileErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.psl")
	require.NoError(t, os.WriteFile(file, []byte("1: Neural(A, X) & -> SumPlace(A, B, '1', X)\n"), 0o644))
	_, err := NewSymbolic(1, file)
	var usage *config.UsageError
	if !errors.As(err, &usage) || usage.Key != "rules" || !strings.Contains(usage.Problem, "mine.psl:1:19") {
		t.Errorf("got %v, want a usage error at mine.psl:1:19", err)
	}
	_, err = NewSymbolic(1, filepath.Join(t.TempDir(), "missing.psl"))
	assert.ErrorAs(t, err, &usage)
}

// largest is the largest sum of two numbers of so many digits.
func largest(digits int) int { return 2 * (int(math.Pow10(digits)) - 1) }

// sharpOutputs are those of a network that is sure of the digits of two random numbers.
func sharpOutputs(rng *rand.Rand, digits int) (g []float64, numbers [2]int) {
	g = slices.Repeat([]float64{0.01}, 20*digits)
	for i := range 2 * digits {
		x := rng.IntN(10)
		g[10*i+x] = 0.91
		numbers[i/digits] = 10*numbers[i/digits] + x
	}
	return g, numbers
}

// startWeights are the rule weights where learning starts.
func startWeights(s *Symbolic) []float64 {
	w, err := half.StartWeights(s.Template)
	if err != nil {
		panic(err)
	}
	return w
}
