package bilevel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/optim"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
)

// small is a bilevel problem of two weights and two targets a sample, the first
// labelled: small enough to try all weights and points of a grid.
type small struct {
	template *lcqp.Template
	labels   []float64
	set      Settings
}

const (
	smallReg    = 0.2  // of Σ w²
	smallTarget = 0.02 // ι whose problem is to be solved
)

func newSmall(t *testing.T, seed uint64, loss LossName) *small {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 31))
	p := &hlmrf.Program{
		Targets: []string{"A", "B"},
		Rules:   []hlmrf.Rule{{Weight: 1, Squared: true}, {Weight: 1, Squared: true}},
	}
	for k := range 6 {
		p.AddPotential(int32(k%2), []int32{0, 1}, []float64{1.5 * rng.NormFloat64(), 1.5 * rng.NormFloat64()}, nil, nil, 0.3+0.5*rng.NormFloat64())
	}
	template, err := lcqp.Compile(p)
	require.NoError(t, err)
	return &small{
		template: template, labels: []float64{float64(rng.IntN(2))},
		set: Settings{
			Loss: loss, Value: Options{Epsilon: 0.05, Solver: tight}, Lagrangian: Lagrangian{
				ProxWeight: 0.5, EnergyCoefficient: 0.1, PointStep: 0.05, ConstraintTolerance: 1e-6,
				MovementTolerance: 1e-5,
			},
			Regularizer: optim.Regularizer{L2: smallReg},
		},
	}
}

func (p *small) label(sample int, in *lcqp.Instance) error { return in.Fix(0, p.labels[sample]) }

// solvedProblem is a relaxed problem that the algorithm has solved.
type solvedProblem struct {
	w, y                   []float64
	iota, penalty, product float64 // product is the multiplier of the constraint
	epochs                 int
}

// learn runs the algorithm until a problem with an ι of smallTarget at most is solved, and returns
// the solved problems and the last ι. Its steps have one length: where the penalty is large, it may go round in
// circles before that, and where ι is 0, the constraint has no multiplier.
func (p *small) learn(t *testing.T) (solved []solvedProblem, iota float64) {
	t.Helper()
	o, err := NewObjective(Problem{Template: p.template, Samples: len(p.labels), Label: p.label}, p.set)
	require.NoError(t, err)
	l := learn(t, o, []float64{0.5, 0.5}, &optim.WeightStep{WeightOptions: optim.WeightOptions{Method: optim.Projected,
		Step: 0.02, Regularizer: p.set.Regularizer,
	}})
	for l.epoch < 30000 {
		_, r := l.pass(t)
		if r.Action != Relaxed {
			continue
		}
		solved = append(solved, solvedProblem{slices.Clone(l.weights), slices.Clone(o.lag().points), r.Relaxation, o.lag().outer.penalty, o.lag().multipliers[0], l.epoch})
		if r.Relaxation <= smallTarget {
			break
		}
	}
	return solved, o.lag().outer.iota
}

// judge evaluates the relaxed problem with value functions of its own.
type judge struct {
	p                       *small
	latent, full, augmented *ValueFunction
}

func (p *small) judge(t *testing.T) *judge {
	t.Helper()
	j := &judge{p: p}
	for _, f := range []**ValueFunction{&j.latent, &j.full, &j.augmented} {
		var err error
		*f, err = New(p.template, 1, p.set.Value)
		require.NoError(t, err)
	}
	require.NoError(t, p.label(0, j.latent.Instance(0)))
	return j
}

// at returns objective and gap M − V at (w, y).
func (j *judge) at(t *testing.T, w, y []float64) (objective, gap float64) {
	t.Helper()
	require.NoError(t, j.latent.Solve(w, nil))
	require.NoError(t, j.full.Solve(w, nil))
	require.NoError(t, j.augmented.SolveMoreau(w, nil, y, Rho(j.p.set.ProxWeight)))
	return j.upper(w, y[0]) + j.p.set.EnergyCoefficient*j.latent.Values()[0], j.augmented.Values()[0] - j.full.Values()[0]
}

// upper is the part of the objective that needs no inference.
func (j *judge) upper(w []float64, y float64) float64 {
	d := crossEntropy
	if j.p.set.Loss == LossMSE {
		d = squaredError
	}
	sum, r := d(y, j.p.labels[0], new(float64)), j.p.set.Regularizer
	for _, x := range w {
		log := math.Log(max(x, 1e-8))
		sum += r.L2*x*x - r.NegLog*log + r.Entropy*x*log
	}
	return sum
}

// residual is the largest violation of the Karush–Kuhn–Tucker conditions of the
// relaxed problem at (w, y) with multiplier lambda ≥ 0.
func (j *judge) residual(t *testing.T, w, y []float64, lambda, iota float64) float64 {
	t.Helper()
	_, gap := j.at(t, w, y)
	c := gap - iota
	gw, gy := make([]float64, 2), make([]float64, 2)
	j.p.set.Regularizer.AddGrad(gw, w)
	for r := range gw {
		gw[r] += j.p.set.EnergyCoefficient*j.latent.phi[r] + lambda*(j.augmented.phi[r]-j.full.phi[r])
	}
	d := crossEntropy
	if j.p.set.Loss == LossMSE {
		d = squaredError
	}
	d(y[0], j.p.labels[0], &gy[0])
	for i := range gy {
		gy[i] += lambda * j.augmented.dy[i]
	}
	next := []float64{w[0] - gw[0], w[1] - gw[1]}
	optim.ProjectSimplex(next)
	return max(math.Hypot(next[0]-w[0], next[1]-w[1]), math.Sqrt(optim.BoxResidual(y, gy)), c, math.Abs(lambda*c), -lambda)
}

// TestLimitSatisfiesKKT runs the algorithm on random problems until ι is small and its
// problem solved: all solved problems satisfy the Karush–Kuhn–Tucker conditions of
// the relaxed problem, judged from outside, and no feasible point of a fine grid
// near the last one is better. Over the whole grid it may be beaten, as the problem is not
// convex, but must not be often.
func TestLimitSatisfiesKKT(t *testing.T) { limitsSatisfyKKT(t, []uint64{0, 4, 5}) }

func limitsSatisfyKKT(t *testing.T, seeds []uint64) {
	worst, problems, active, beaten, runs := 0.0, 0, 0, 0, 0
	for _, loss := range []LossName{LossMSE, LossBCE} {
		for _, seed := range seeds {
			p := newSmall(t, seed, loss)
			j := p.judge(t)
			solved, iota := p.learn(t)
			// Where the constraint is M − V ≤ 0, its gradient vanishes wherever it holds: there is
			// no multiplier, and the penalty grows without end.
			if len(solved) == 0 && iota != 0 {
				t.Errorf("%s %d: no problem is solved, and ι is %v", loss, seed, iota)
			}
			for n, s := range solved {
				value, gap := j.at(t, s.w, s.y)
				lambda := max(0, s.product+s.penalty*(gap-s.iota))
				res := j.residual(t, s.w, s.y, lambda, s.iota)
				if !(res <= 1e-4) {
					t.Errorf("%s %d: KKT residual %v after %d epochs (ι %v, w %v, y %v, λ %v, μ %v)", loss, seed, res, s.epochs, s.iota, s.w, s.y, lambda, s.penalty)
				}
				problems++
				worst = max(worst, res)
				if n < len(solved)-1 {
					continue
				}
				near, anywhere := j.search(t, s.w, s.y, s.iota)
				if near < value-1e-4 {
					t.Errorf("%s %d: a feasible point nearby has %v, the limit %v", loss, seed, near, value)
				}
				runs++
				if lambda > 0.01 {
					active++
				}
				if anywhere < value-1e-3 {
					beaten++
				}
			}
		}
	}
	if all := 2 * len(seeds); runs < all*9/10 {
		t.Errorf("%d of %d runs have solved no problem", all-runs, all)
	}
	if active < runs/2 {
		t.Errorf("only %d of %d limits have an active constraint: the test shows too little", active, runs)
	}
	if beaten > runs/4 {
		t.Errorf("%d of %d limits are far from the best of the grid", beaten, runs)
	}
	t.Logf("worst residual %.1e of %d problems; of %d limits %d have an active constraint, %d are beaten on the grid", worst, problems, runs, active, beaten)
}

// search returns the least objective of the feasible points of a grid within
// 0.02 of (w, y), and of a grid over everything.
func (j *judge) search(t *testing.T, w, y []float64, iota float64) (near, anywhere float64) {
	t.Helper()
	scan := func(lo, hi [3]float64, n int) float64 {
		best := math.Inf(1)
		step := func(k, i int) float64 { return lo[k] + (hi[k]-lo[k])*float64(i)/float64(n) }
		for a := range n + 1 {
			w0 := step(0, a)
			ww := []float64{w0, 1 - w0}
			for b := range n + 1 {
				for c := range n + 1 {
					if v, gap := j.at(t, ww, []float64{step(1, b), step(2, c)}); gap <= iota {
						best = min(best, v)
					}
				}
			}
		}
		return best
	}
	clip := func(v float64) float64 { return min(max(v, 0), 1) }
	near = scan([3]float64{clip(w[0] - 0.02), clip(y[0] - 0.02), clip(y[1] - 0.02)},
		[3]float64{clip(w[0] + 0.02), clip(y[0] + 0.02), clip(y[1] + 0.02)}, 6)
	return near, scan([3]float64{0, 0, 0}, [3]float64{1, 1, 1}, 10)
}
