package qp_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/symbolic/infer"
	"hinge/symbolic/qp"
)

// The gap is that of the numbers of a solution without rounding, as rational arithmetic has
// it, also where values are 10¹² times as large.
func TestGapWithoutRounding(t *testing.T) {
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	mul := func(all ...*big.Rat) *big.Rat {
		x := rat(1)
		for _, v := range all {
			x.Mul(x, v)
		}
		return x
	}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p, sol := random(rng)
		for i := range p.Q {
			p.P[i] *= 1e6
			p.Q[i] *= 1e6
		}
		for i := range sol.X {
			sol.X[i] *= 1 + 1e-13*rng.NormFloat64()
		}
		gap := new(big.Rat)
		take := func(mu, low, high float64) {
			if at := map[bool]float64{true: high, false: low}[mu > 0]; mu != 0 {
				gap.Add(gap, mul(rat(mu), rat(at)))
			}
		}
		for i, x := range sol.X {
			gap.Add(gap, mul(rat(p.P[i]), rat(x), rat(x)))
			gap.Add(gap, mul(rat(p.Q[i]), rat(x)))
			take(sol.Bound[i], p.Lower[i], p.Upper[i])
		}
		for k, mu := range sol.Row {
			take(mu, p.Low[k], p.High[k])
		}
		want, _ := gap.Float64()
		got := qp.Residuals(p, sol)
		if d := math.Abs(got.Gap - math.Abs(want)); d > 1e-12*math.Abs(want)+1e-14 {
			t.Errorf("seed %d: gap %v, want %v of a value of %v", seed, got.Gap, want, got.Value)
		}
	}
}

// Values of 10¹⁰ need refinement: 16 digits of them leave 1e-5. Sides are multiples of 1/3, so
// that no sum is exact. Without refinement it is luck that ends the steps, the 23rd one here.
func TestLargeValues(t *testing.T) {
	const n = 300
	p := &qp.Problem{Ptr: []int32{0}}
	for i := range int32(n) {
		p.P, p.Q = append(p.P, 1+float64(i%7)), append(p.Q, 1e3*math.Sin(float64(i)))
		if i > 0 {
			p.Col, p.Val = append(p.Col, i-1, i), append(p.Val, -1, 1)
			p.Ptr = append(p.Ptr, int32(len(p.Col)))
			p.Low, p.High = append(p.Low, 100*float64(i%5)/3), append(p.High, math.Inf(1))
		}
	}
	r, err := qp.Solve(p, qp.Settings{})
	require.NoError(t, err)
	if judge := qp.Residuals(p, &r.Solution); r.Status != infer.Solved || !(judge.Max() <= 1e-6) || !(judge.Value > 1e10) || r.Steps > 8 {
		t.Errorf("%v after %d steps, %+v", r.Status, r.Steps, judge)
	}
	t.Logf("%d steps, %d iterations, %+v", r.Steps, r.Iterations, r.Residual)
}
