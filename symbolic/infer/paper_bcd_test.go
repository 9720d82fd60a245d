package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hinge/symbolic/lcqp/lcqptest"
)

func TestPaperBCDRandom(t *testing.T) {
	testFirstOrder(t, PaperBCD{}, 200, 1e-5, 5000, 0.6)
	testFirstOrder(t, PaperBCD{InOrder: true}, 60, 1e-5, 5000, 0.6)
}

// The dual value must not fall in any block update (paper: "descent is
// guaranteed at each iteration").
func TestPaperBCDNeverFalls(t *testing.T) {
	for seed := range uint64(60) {
		p := rawProblem(random(seed).Instance)
		if p == nil || p.Targets == 0 {
			continue
		}
		d := newDense(p)
		x := PaperBCD{}.NewSolver().(*paperBCD)
		x.Init(p)
		value := d.value(d.multipliers(x))
		for range 8 {
			x.order.shuffle()
			for _, k := range x.order.blocks {
				x.update(p, int(k))
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
	p := rawProblem(grid(t, 5, 0.01))
	x := PaperBCD{}.NewSolver().(*paperBCD)
	x.Init(p)
	pull := make([]float64, p.Targets)
	for sweep := range 200 {
		x.Iterate(p)
		p.pull(x.mu, pull)
		for i, v := range pull {
			v += x.beta[i] - x.alpha[i]
			if d := math.Abs(x.m[i] - v); d > 1e-12 {
				t.Fatalf("sweep %d: m[%d] is off by %v", sweep, i, d)
			}
		}
		if low := min(slices.Min(x.alpha), slices.Min(x.beta), slices.Min(x.sigma)); low < 0 {
			t.Fatalf("sweep %d: bound multiplier %v", sweep, low)
		}
	}
}

// The closed form of the bound multipliers at the start is optimal for the row
// multipliers: no bound has a direction left.
func TestPaperStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	p := &Problem{Quad: []float64{0}, Lower: []float64{0}, Upper: []float64{0}}
	for range 1000 {
		p.Quad[0] = math.Exp(rng.NormFloat64())
		p.Lower[0] = rng.NormFloat64()
		p.Upper[0] = p.Lower[0] + rng.Float64() + 1e-3
		pull := 5 * rng.NormFloat64()
		m, alpha, beta := paperStart(p, 0, pull, false)
		y := -m / (2 * p.Quad[0])
		if alpha < 0 || beta < 0 || y < p.Lower[0]-1e-12 || y > p.Upper[0]+1e-12 {
			t.Fatalf("α %v, β %v, y %v in [%v, %v]", alpha, beta, y, p.Lower[0], p.Upper[0])
		}
		if alpha*(y-p.Lower[0]) > 1e-10 || beta*(p.Upper[0]-y) > 1e-10 {
			t.Fatalf("α %v, β %v, y %v in [%v, %v]: not complementary", alpha, beta, y, p.Lower[0], p.Upper[0])
		}
	}
}

// Another seed is another path to the same optimum.
func TestPaperBCDSeed(t *testing.T) {
	in := grid(t, 5, 0.05)
	s := within(PaperBCD{}, 1e-7)
	one := mustSolve(t, in, nil, s)
	s.Method = PaperBCD{Seed: 5}
	other := mustSolve(t, in, nil, s)
	if one.Status != Solved || other.Status != Solved {
		t.Fatal(one.Status, other.Status)
	}
	if slices.Equal(one.Y, other.Y) {
		t.Error("two seeds, the same bits")
	}
	if d := math.Abs(one.PrimalValue - other.PrimalValue); d > 1e-6 {
		t.Errorf("values differ by %v", d)
	}
}

// A start with all multipliers 0 ends at the same optimum, costs more sweeps on
// additions, and changes nothing for a warm start.
func TestPaperBCDZeroStart(t *testing.T) {
	sweeps, fromZero := 0, 0
	for _, in := range additions(t, lcqptest.Add1, 3, 3, false) {
		exact := mustSolve(t, in, nil, Settings{Method: InteriorPoint{}})
		for _, m := range []Method{PaperBCD{}, PaperBCD{ZeroStart: true}, LockFreeBCD{ZeroStart: true}} {
			s := within(m, 1e-2)
			s.MaxIterations = 3000
			res := mustSolve(t, in, nil, s)
			compare(t, in, res, s, exact.PrimalValue, &exact.Solution)
			if m == (PaperBCD{}) {
				sweeps += res.Stats.Iterations
			} else if m == (PaperBCD{ZeroStart: true}) {
				fromZero += res.Stats.Iterations
			}
		}
		var warm Warm
		exact.SaveWarm(&warm)
		s := Settings{Method: PaperBCD{}, MaxIterations: 20}
		one := mustSolve(t, in, &warm, s)
		s.Method = PaperBCD{ZeroStart: true}
		if other := mustSolve(t, in, &warm, s); !slices.Equal(one.Y, other.Y) {
			t.Error("ZeroStart changes a warm start")
		}
	}
	t.Logf("%d sweeps, %d from zero", sweeps, fromZero)
	if fromZero < 5*sweeps {
		t.Errorf("%d sweeps, %d from zero: the note on ZeroStart is out of date", sweeps, fromZero)
	}
}
