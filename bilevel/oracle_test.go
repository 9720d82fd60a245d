package bilevel

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/optim"
	"hinge/symbolic/lcqp"
)

// oracle is the algorithm once more, without gorgonia, without warm states and
// one sample after the other: the paper's listing to the letter, or what the
// reference engine does instead, by their formulas.
type oracle struct {
	t                       *testing.T
	reference               bool
	set                     Settings
	step                    float64 // on w
	samples, batch          int
	latent, full, augmented *ValueFunction
	n                       int

	w, y                  []float64
	lambda, residual, gap []float64 // a sample; reference: a batch, at its first sample
	mu, iota              float64
	omega, sigma          float64
	done                  bool
}

func newOracle(t *testing.T, template *lcqp.Template, set Settings, samples, batch int, w []float64, step float64) *oracle {
	t.Helper()
	o := &oracle{
		t: t, reference: set.Constraint == ConstraintBatch, set: set, step: step, samples: samples, batch: batch, n: template.Targets,
		w: slices.Clone(w), y: make([]float64, samples*template.Targets),
		lambda: make([]float64, samples), residual: make([]float64, samples), gap: make([]float64, samples),
		mu: set.InitialPenalty,
	}
	for _, f := range []**ValueFunction{&o.latent, &o.full, &o.augmented} {
		var err error
		*f, err = New(template, 1, set.Value)
		require.NoError(t, err)
	}
	for lo := 0; lo < samples; lo += batch {
		sum := 0.0
		for i := lo; i < lo+batch; i++ {
			o.lambda[i] = set.InitialMultiplier
			o.solve(i)
			copy(o.point(i), o.latent.Result(0).Y)
			o.solve(i)
			gap := o.augmented.Values()[0] - o.full.Values()[0]
			sum += gap
			if !o.reference {
				o.iota = max(o.iota, gap)
			}
		}
		if o.reference {
			o.iota = max(o.iota, sum)
		}
	}
	o.reset()
	return o
}

func (o *oracle) point(i int) []float64 { return o.y[i*o.n : (i+1)*o.n] }

func (o *oracle) reset() { o.omega, o.sigma = 1/o.mu, math.Pow(o.mu, -0.1) }

// solve finds V_{z*}, V and M of a sample.
func (o *oracle) solve(i int) {
	o.latent.Instance(0).FreeAll()
	err := labelled(i, o.latent.Instance(0))
	if err == nil {
		err = o.latent.Solve(o.w, nil)
	}
	if err == nil {
		err = o.full.Solve(o.w, nil)
	}
	if err == nil {
		err = o.augmented.SolveMoreau(o.w, nil, o.point(i), Rho(o.set.ProxWeight))
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// epoch is one pass and the test after it.
func (o *oracle) epoch() {
	start := slices.Clone(o.w)
	total := make([]float64, len(o.w))
	deltaY, movedY := 0.0, 0.0
	for lo := 0; lo < o.samples; lo += o.batch {
		dw := make([]float64, len(o.w))
		multiplier := func(i int, c float64) (q, r float64) {
			if o.reference {
				if c <= 1e-9*(1+o.iota) { // zero up to rounding
					return 0, 0
				}
				return o.mu*c + o.lambda[i], c
			}
			q = max(0, o.mu*c+o.lambda[i])
			return q, (q - o.lambda[i]) / o.mu
		}
		sum := 0.0
		if o.reference {
			for i := lo; i < lo+o.batch; i++ {
				o.solve(i)
				sum += o.augmented.Values()[0] - o.full.Values()[0]
			}
		}
		for i := lo; i < lo+o.batch; i++ {
			o.solve(i)
			o.gap[i] = o.augmented.Values()[0] - o.full.Values()[0]
			var q float64
			if o.reference {
				q, o.residual[lo] = multiplier(lo, sum-o.iota)
			} else {
				q, o.residual[i] = multiplier(i, o.gap[i]-o.iota)
			}
			for r := range dw {
				dw[r] += o.set.EnergyCoefficient*o.latent.phi[r] + q*(o.augmented.phi[r]-o.full.phi[r])
			}
			dy, square := make([]float64, o.n), 0.0
			y := o.point(i)
			for j := range dy {
				slope := (y[j] - o.augmented.Result(0).Y[j]) / Rho(o.set.ProxWeight)
				dy[j] = q * slope
				square += slope * slope
			}
			for _, target := range []int{4, 5} {
				label := o.latent.Instance(0).Lower[target]
				if o.set.Loss == LossMSE {
					dy[target] += 2 * (y[target] - label)
				} else {
					dy[target] += (1-label)/max(1-y[target], 1e-4) - label/max(y[target], 1e-4)
				}
			}
			residual := 0.0
			step := min(o.set.PointStep, 1/(q/Rho(o.set.ProxWeight)+o.mu*square))
			for j, d := range dy {
				projected := y[j] - min(max(y[j]-d, 0), 1)
				residual += projected * projected
				next := min(max(y[j]-step*d, 0), 1)
				movedY += (next - y[j]) * (next - y[j])
				y[j] = next
			}
			deltaY += math.Sqrt(residual)
		}
		for r, d := range dw {
			total[r] += d
			o.w[r] -= o.step * d / float64(o.batch) // the loss is the mean
		}
		optim.ProjectSimplex(o.w)
	}
	delta := 0.0
	if o.reference {
		delta = movedY
		for r := range o.w {
			delta += (o.w[r] - start[r]) * (o.w[r] - start[r]) / float64(len(o.w))
		}
	} else {
		next := slices.Clone(start)
		for r := range next {
			next[r] -= total[r]
		}
		optim.ProjectSimplex(next)
		for r := range next {
			delta += (next[r] - start[r]) * (next[r] - start[r])
		}
		delta = math.Sqrt(delta) + deltaY
	}
	o.test(delta)
}

// test is the listing's lines after the minimisation.
func (o *oracle) test(delta float64) {
	violation, gap := 0.0, 0.0
	for i, r := range o.residual {
		violation += math.Abs(r)
		gap += o.gap[i]
	}
	switch {
	case delta > o.omega:
	case violation >= o.sigma:
		o.mu *= 2
		o.reset()
	case violation < o.set.ConstraintTolerance && delta <= o.set.MovementTolerance:
		if o.iota <= 0 {
			o.done = true
		} else {
			o.iota /= 2
		}
		o.reset()
	default:
		factor := 1.0
		if o.reference {
			factor = 2
		}
		for i, r := range o.residual {
			o.lambda[i] += factor * o.mu * r
		}
		o.sigma /= math.Pow(o.mu, 0.9)
		o.omega /= o.mu
	}
	if o.reference && gap < o.set.ConstraintTolerance {
		o.done = true
	}
}

// TestAgainstOracle: the objective on gorgonia, in batches, with warm states,
// and the oracle take the same way: weights, points, multipliers, penalty,
// tolerances and relaxation, epoch by epoch.
func TestAgainstOracle(t *testing.T) {
	const samples, epochs, step = 4, 200, 0.05
	for _, reference := range []bool{false, true} {
		actions := make(map[Action]int)
		for _, loss := range []LossName{LossMSE, LossBCE} {
			for _, batch := range []int{2, 4} {
				set := Settings{
					Loss: loss, Value: Options{Epsilon: 0.05, Solver: tight}, Lagrangian: Lagrangian{
						ProxWeight: 1, EnergyCoefficient: 0.2, PointStep: 0.05, InitialPenalty: 2,
						InitialMultiplier: 0.1, ConstraintTolerance: 0.02, MovementTolerance: 0.5, NoFloors: true,
					},
				}
				if reference {
					set.Constraint, set.Slack, set.MultiplierFactor = ConstraintBatch, SlackNone, 2
					set.Stationarity, set.StopOnGap = StationarityMovement, true
				}
				compareWithOracle(t, set, samples, batch, epochs, step, actions)
			}
		}
		if len(actions) < 3 || actions[Relaxed] == 0 {
			t.Errorf("reference %v: only the actions %v: the comparison shows little", reference, actions)
		}
		t.Logf("reference %v: %v", reference, actions)
	}
}

func compareWithOracle(t *testing.T, set Settings, samples, batch, epochs int, step float64, actions map[Action]int) {
	t.Helper()
	template := plainProgram(t, 1)
	o, err := NewObjective(Problem{Template: template, Samples: samples, Batch: batch, Label: labelled}, set)
	require.NoError(t, err)
	l := learn(t, o, []float64{1, 1, 1}, &optim.WeightStep{WeightOptions: optim.WeightOptions{Method: optim.Projected, Step: step}})
	want := newOracle(t, template, set, samples, batch, l.weights, step)
	near := func(a, b []float64) bool {
		return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-5*(1+math.Abs(y)) })
	}
	for epoch := range epochs {
		_, outcome := l.pass(t)
		want.epoch()
		actions[outcome.Action]++
		u := &o.lag().outer
		if !near([]float64{u.iota, u.penalty, u.omega, u.sigma}, []float64{want.iota, want.mu, want.omega, want.sigma}) ||
			!near(l.weights, want.w) || !near(o.lag().points, want.y) || !near(o.lag().multipliers, want.lambda) || o.lag().outer.done != want.done {
			t.Fatalf("%s, reference %v, batch %d, epoch %d: the ways part\n%v %v %v %v w %v λ %v y %v\n%v %v %v %v w %v λ %v y %v",
				set.Loss, want.reference, batch, epoch,
				u.iota, u.penalty, u.omega, u.sigma, l.weights, o.lag().multipliers, o.lag().points,
				want.iota, want.mu, want.omega, want.sigma, want.w, want.lambda, want.y)
		}
		if want.done {
			break
		}
	}
}
