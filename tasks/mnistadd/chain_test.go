package mnistadd

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/tasks/mnistadd/chain"
	"hinge/tasks/mnistadd/deepproblog"
	"hinge/train/config"
)

// The energies of the columns sum up to that of the whole addition, for any digits,
// labels and carries, right or wrong: one path of carries at a time. Rules of a person may be about labels alone.
func TestLinksSumUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for digits, more := range map[int]string{
		1: "0.5: !ImageSum(A, B, Z)", 2: "0.5: !ImageSum(A, B, C, D, Z)", 3: "",
		5: "0.5: !SumPlace(P, Z) ^2\n1: Column(A, B, P, L) & Carry(L, W) -> SumPlace(P, W)",
	} {
		rules := ""
		if more != "" {
			rules = filepath.Join(t.TempDir(), "more.psl")
			own := [][]byte{1: add1Rules, 2: add2Rules, 5: addNRules}[digits]
			require.NoError(t, os.WriteFile(rules, []byte(string(own)+"\n"+more+"\n"), 0o644))
		}
		s, err := NewSymbolic(digits, rules)
		require.NoError(t, err)
		p := s.Template.Program()
		var sum mnist.Sum // the links are those of all sums, whose tables they keep
		shape, err := chain.Columns(s.addition(), func(int) []int { return sum })
		require.NoError(t, err)
		for range 20 {
			sum = mnist.NewSum(rng.IntN(largest(digits)+1), digits)
			y, g := make([]float64, len(p.Targets)), make([]float64, len(p.Deep))
			label, err := s.labels(sum)
			require.NoError(t, err)
			copy(y, label)
			values := make([]int, 2*digits)
			for i := range values {
				values[i] = rng.IntN(10)
				g[10*i+values[i]] = 1
			}
			carries := make([]int, digits)
			for k := range carries {
				carries[k] = rng.IntN(2)
				if k == digits-1 {
					carries[k] = sum[digits]
				}
				y[s.carries[k][carries[k]]] = 1
			}
			if v := p.Violation(y, g); v != 0 {
				t.Fatalf("the point breaks a constraint by %v: carries are not where they were", v)
			}
			want := make([]float64, len(p.Rules))
			p.Incompatibility(y, g, want)
			got := make([]float64, len(p.Rules))
			for k, link := range shape.Links {
				table, err := link.Table(0)
				require.NoError(t, err)
				in, out := 0, carries[k]
				if k > 0 {
					in = carries[k-1]
				}
				if k == digits-1 {
					out = 0
				}
				x := 10*values[digits-1-k] + values[2*digits-1-k]
				for r, v := range table.Phi[((in*shape.States[k+1]+out)*100+x)*len(got):][:len(got)] {
					got[r] += v
				}
			}
			for r := range want {
				require.InDeltaf(t, want[r], got[r], 1e-12, "%d digits, sum %d, carries %v: Φ = %v in columns, %v as a whole", digits, sum, carries, got, want)
			}
		}
	}
}

// The documented relation to the likelihood of the sum, DeepProbLog's loss: on soft
// outputs the gradients of both for the logits point the same way for one-digit and
// two-digit numbers.
func TestChainAndLikelihood(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for digits, least := range map[int]float64{1: 0.999, 2: 0.999} {
		s, err := NewSymbolic(digits, "")
		require.NoError(t, err)
		likelihood, err := deepproblog.New(digits)
		require.NoError(t, err)
		const additions = 40
		sums, batch := make([][]int, additions), make([]int, additions)
		for i := range sums {
			sums[i], batch[i] = mnist.NewSum(rng.IntN(largest(digits)+1), digits), i
		}
		whole, err := chain.Columns(s.addition(), func(i int) []int { return sums[i] })
		require.NoError(t, err)
		n := s.Template.Deep
		c, err := windows{digits, digits}.chain(whole, s.Template.Rules, additions, 0.01)
		require.NoError(t, err)
		logits, g := make([]float64, additions*n), make([]float64, additions*n)
		for i := 0; i < len(logits); i += 10 {
			total := 0.0
			for x := i; x < i+10; x++ {
				logits[x] = 0.3 * rng.NormFloat64()
				g[x] = math.Exp(logits[x])
				total += g[x]
			}
			for x := i; x < i+10; x++ {
				g[x] /= total
			}
		}
		require.NoError(t, c.Load(batch))
		require.NoError(t, c.Evaluate(startWeights(s), g))
		ones, dg, dz := make([]float64, additions), make([]float64, len(g)), make([]float64, len(g))
		for i := range ones {
			ones[i] = 1
		}
		c.DeepGradient(ones, dg)
		_, err = likelihood.Value(logits, dz, sums)
		require.NoError(t, err)
		ab, aa, bb := 0.0, 0.0, 0.0
		for i := 0; i < len(g); i += 10 {
			mean := 0.0
			for x := i; x < i+10; x++ {
				mean += g[x] * dg[x]
			}
			for x := i; x < i+10; x++ {
				a := g[x] * (dg[x] - mean)
				ab, aa, bb = ab+a*dz[x], aa+a*a, bb+dz[x]*dz[x]
			}
		}
		if cosine := ab / math.Sqrt(aa*bb); cosine < least {
			t.Errorf("%d digits: cosine %.4f", digits, cosine)
		} else {
			t.Logf("%d digits: cosine %.6f", digits, cosine)
		}
	}
}

// What a table of energies of one column cannot say is refused.
func TestLinksRefuse(t *testing.T) {
	for name, more := range map[string]string{
		"carries of two columns":       "1: Column(A, B, P, L) & Column(C, D, L, M) & Carry(P, W) -> Carry(M, W)",
		"labels of two columns":        "1: Column(A, B, P, L) & SumPlace(P, Z) -> SumPlace(L, Z)",
		"a digit and another's label":  "1: Column(A, B, P, L) & Neural(A, X) -> SumPlace(L, X)",
		"a constraint on outputs":      "Column(A, B, P, L) & Neural(A, X) & Neural(B, X) -> SumPlace(P, X) .",
		"a constraint on a carry":      "0 * Units(A, B, P) + Carry(P, '1') <= 0.5 .",
		"a constraint on two carries":  "0 * Column(A, B, P, L) + Carry(P, '1') <= Carry(L, '1') .",
		"a constraint on carry, label": "0 * Units(A, B, P) + Carry(P, '1') <= SumPlace(P, '1') .",
	} {
		rules := filepath.Join(t.TempDir(), "more.psl")
		require.NoError(t, os.WriteFile(rules, []byte(string(addNRules)+"\n"+more+"\n"), 0o644))
		s, err := NewSymbolic(4, rules)
		require.NoErrorf(t, err, "%s", name)
		var u *config.UsageError
		c := Defaults(4, "chain", "best", 12)
		if _, err := newChainLoss(&c, s, nil, nil, nil); !errors.As(err, &u) || u.Key != "loss" || !strings.Contains(u.Problem, "single columns") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
