package problem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// With y_t = scale·x + shift for any x, every row that is left is coef times its
// left-hand side in x plus its constant, every equality that fixed or merged a target
// holds, and no row is lost or there twice.
func TestLayoutIsSubstitution(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 1))
	fixed, merged := 0, 0
	for round := range 60 {
		in := Equalities(t, rng, 10)
		if round%3 == 0 { // and a label
			require.NoError(t, in.Fix(rng.IntN(in.Targets), 0.5))
		}
		for c := range in.Components {
			for _, level := range []Reduction{ReduceFixed, ReduceChains, ReduceMerged} {
				comp := &in.Components[c]
				s := &Presolve{in: in, comp: comp, Tol: 10} // labels need not fit
				s.fixed = make([]bool, len(comp.Targets))
				for i, target := range comp.Targets {
					s.fixed[i] = in.Lower[target] >= in.Upper[target]
				}
				l := newLayout(in.Template, c, s.fixed, level)
				s.lay = l
				s.constants()
				fixed, merged = fixed+len(l.chain), merged+len(l.tree)
				if level < ReduceMerged && len(l.tree) > 0 || level < ReduceChains && len(l.chain) > 0 {
					t.Fatalf("level %d fixes %d and merges %d", level, len(l.chain), len(l.tree))
				}
				x, y := make([]float64, l.Free), make([]float64, in.Targets)
				for k := range x {
					x[k] = rng.NormFloat64()
				}
				for i, target := range comp.Targets {
					y[target] = s.shift[i]
					if k := l.place[i]; k >= 0 {
						y[target] += l.scale[i] * x[k]
					}
				}
				activity := func(r int32) float64 {
					row := comp.Rows[r]
					v := in.B[row]
					for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
						v += in.Val[j] * y[in.Col[j]]
					}
					return v
				}
				count := make([]int, len(comp.Rows))
				for f := range len(l.MemberPtr) - 1 {
					z := 0.0
					if f < l.Free {
						z = x[f]
					} else {
						z = l.Forms.Apply(f-l.Free, x)
					}
					for n := l.MemberPtr[f]; n < l.MemberPtr[f+1]; n++ {
						r := l.memberRow[n]
						count[r]++
						if got, want := l.memberCoef[n]*z+s.constant(r), activity(r); math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
							t.Fatalf("round %d, level %d: row %d is %v in what is left, %v", round, level, r, got, want)
						}
						if l.MemberKind[n] != in.Kinds[comp.Rows[r]] {
							t.Fatalf("round %d: row %d is of kind %v", round, r, l.MemberKind[n])
						}
					}
				}
				for _, r := range l.closed {
					count[r]++
					if got, want := s.constant(r), activity(r); math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
						t.Fatalf("round %d: closed row %d is %v, want %v", round, r, got, want)
					}
				}
				for _, list := range [][]link{l.chain, l.tree} {
					for _, e := range list {
						count[e.row]++
						// A chain's value may be clipped to the box where a label
						// contradicts it.
						if v := activity(e.row); round%3 != 0 && math.Abs(v) > 1e-8 {
							t.Fatalf("round %d: the equality of row %d is off by %v", round, e.row, v)
						}
					}
				}
				for r, n := range count {
					if n != 1 {
						t.Fatalf("round %d, level %d: row %d is there %d times", round, level, r, n)
					}
				}
			}
		}
	}
	if fixed < 50 || merged < 100 {
		t.Errorf("only %d targets were fixed and %d merged", fixed, merged)
	}
}
