package paper

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problem"
	"hinge/symbolic/infer/internal/problemtest"
)

// The dual value must not fall in any block update (paper: "descent is
// guaranteed at each iteration").
func TestPaperBCDNeverFalls(t *testing.T) {
	for seed := range uint64(60) {
		p := problemtest.Raw(infertest.Known(seed).Instance)
		if p == nil || p.Targets == 0 {
			continue
		}
		d := newDense(p)
		x := PaperBCD{}.NewSolver().(*descent)
		x.Init(p)
		value := d.value(d.multipliers(x))
		for range 8 {
			x.shuffle()
			for _, k := range x.order {
				x.update(p, &x.blocks[0], int(k))
				next := d.value(d.multipliers(x))
				if next < value-1e-12*(1+math.Abs(value)) {
					t.Fatalf("seed %d, block %d: dual fell from %v to %v", seed, k, value, next)
				}
				value = next
			}
		}
	}
}

// m must stay Aᵀμ + c, and all multipliers in their domain.
func TestPaperBCDKeepsM(t *testing.T) {
	p := problemtest.Raw(infertest.Grid(t, 5, 0.01))
	x := PaperBCD{}.NewSolver().(*descent)
	x.Init(p)
	pull := make([]float64, p.Targets)
	for sweep := range 200 {
		x.Iterate(p)
		p.Pull(x.mu, pull)
		for i, v := range pull {
			v += x.beta[i].value() - x.alpha[i].value()
			if d := math.Abs(x.m[i].value() - v); d > 1e-12 {
				t.Fatalf("sweep %d: m[%d] is off by %v", sweep, i, d)
			}
		}
		if low := min(slices.Min(values(x.alpha)), slices.Min(values(x.beta)), slices.Min(x.sigma)); low < 0 {
			t.Fatalf("sweep %d: bound multiplier %v", sweep, low)
		}
	}
}

// The closed form of the bound multipliers at the start is optimal for the row
// multipliers: no bound has a direction left.
func TestPaperStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	p := &problem.Problem{Quad: []float64{0}, Lower: []float64{0}, Upper: []float64{0}}
	for range 1000 {
		p.Quad[0] = math.Exp(rng.NormFloat64())
		p.Lower[0] = rng.NormFloat64()
		p.Upper[0] = p.Lower[0] + rng.Float64() + 1e-3
		pull := 5 * rng.NormFloat64()
		m, alpha, beta := paperStart(p, 0, pull)
		y := -m / (2 * p.Quad[0])
		if alpha < 0 || beta < 0 || y < p.Lower[0]-1e-12 || y > p.Upper[0]+1e-12 {
			t.Fatalf("α %v, β %v, y %v in [%v, %v]", alpha, beta, y, p.Lower[0], p.Upper[0])
		}
		if alpha*(y-p.Lower[0]) > 1e-10 || beta*(p.Upper[0]-y) > 1e-10 {
			t.Fatalf("α %v, β %v, y %v in [%v, %v]: not complementary", alpha, beta, y, p.Lower[0], p.Upper[0])
		}
	}
}
