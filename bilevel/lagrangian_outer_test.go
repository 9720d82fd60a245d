package bilevel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/optim"
	"hinge/symbolic/lcqp"
)

// started returns an objective whose outer loops stand at their start.
func started(t *testing.T, set Settings) *Objective {
	t.Helper()
	template, err := lcqp.Compile(randomProgram(rand.New(rand.NewPCG(1, 1)), 6, 4, 4, 12))
	require.NoError(t, err)
	set.Loss = LossBCE
	o, err := NewObjective(Problem{Template: template, Samples: 2, Label: labelled}, set)
	require.NoError(t, err)
	o.lag().outer.start(0.8, &o.set)
	return o
}

// epoch makes the objective see one epoch with the given stationarity and
// residuals.
func epoch(t *testing.T, o *Objective, delta float64, residuals ...float64) Outcome {
	t.Helper()
	w := make([]float64, 4)
	w[0] = 1
	o.lag().outer.meet(w, make([]float64, 4), 1)
	copy(o.lag().residuals, residuals)
	for i := range o.lag().fresh {
		o.lag().fresh[i] = 1 // as after a visit
	}
	out, err := o.EndEpoch(w, delta*o.lag().value.scale())
	require.NoError(t, err)
	if out.Tested && math.Abs(out.Delta-delta) > 1e-12 {
		t.Errorf("δ is %v, want %v", out.Delta, delta)
	}
	return out
}

// TestOuterLoops walks through the paper's listing: every branch, with the
// values that multipliers, penalty, tolerances and relaxation take.
func TestOuterLoops(t *testing.T) {
	o := started(t, Settings{Lagrangian: Lagrangian{
		InitialPenalty: 4, ConstraintTolerance: 0.05, MovementTolerance: 0.1,
		InitialMultiplier: 0.25,
	}})
	u := &o.lag().outer
	sigma := math.Pow(4, -0.1)
	for n, step := range []struct {
		delta, r0, r1 float64
		want          Action
		iota, penalty float64
		omega, sigma  float64
		lambda        float64 // of sample 0
	}{
		// Not yet a minimiser within ω = 1/μ.
		{0.3, 0.5, 0, Continue, 0.8, 4, 0.25, sigma, 0},
		// The constraints do not hold within σ: the penalty grows.
		{0.2, 0.5, -0.5, Penalised, 0.8, 8, 0.125, math.Pow(8, -0.1), 0},
		// They do, but not within σ*: λ += μ(c + s), tolerances tightened, not
		// beyond ω* = 0.1.
		{0.11, 0.25, 0.125, Multipliers, 0.8, 8, 0.1, math.Pow(8, -0.1) / math.Pow(8, 0.9), 2},
		// Solved: ι halved, ω and σ those of the penalty, λ and μ kept.
		{0.09, 0.02, 0.02, Relaxed, 0.4, 8, 0.125, math.Pow(8, -0.1), 2},
		// δ is within ω but not within ω*: another update of λ.
		{0.12, 0.02, 0.02, Multipliers, 0.4, 8, 0.1, math.Pow(8, -0.1) / math.Pow(8, 0.9), 2.16},
		// Solved with ι = 0, which cannot be halved.
		{0.05, 0.01, 0.01, Finished, 0, 8, 0.125, math.Pow(8, -0.1), 2.16},
	} {
		if step.want == Finished {
			u.iota = 0
		}
		out := epoch(t, o, step.delta, step.r0, step.r1)
		if out.Action != step.want || out.Done != (step.want == Finished) {
			t.Fatalf("epoch %d: %+v, want %s", n, out, step.want)
		}
		for name, pair := range map[string][2]float64{
			"ι": {u.iota, step.iota}, "μ": {u.penalty, step.penalty}, "ω": {u.omega, step.omega},
			"σ": {u.sigma, step.sigma}, "λ": {o.lag().multipliers[0], step.lambda},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Errorf("epoch %d: %s = %v, want %v", n, name, pair[0], pair[1])
			}
		}
	}
	if u.rounds != 1 || !u.done {
		t.Errorf("%d rounds, done %v", u.rounds, u.done)
	}
}

// TestReferenceSwitches: the doubled multiplier step, tolerances without
// floors, tests every few epochs, and the stop on the gap; and those that its own models have: a test
// after the first epoch, and no end at ι = 0.
func TestReferenceSwitches(t *testing.T) {
	o := started(t, Settings{
		Lagrangian: Lagrangian{
			InitialPenalty: 4, ConstraintTolerance: 0.05, MovementTolerance: 0.1, MultiplierFactor: 2,
			NoFloors: true, TestEvery: 3, StopOnGap: true,
		},
	})
	copy(o.lag().gaps, []float64{0.3, 0.2})
	for range 2 {
		if out := epoch(t, o, 0.01, 0.1, 0); out.Tested || out.Action != Continue {
			t.Fatalf("tested too early: %+v", out)
		}
	}
	out := epoch(t, o, 0.01, 0.1, 0)
	if out.Action != Multipliers || out.Done || o.lag().multipliers[0] != 0.8 {
		t.Errorf("%+v with λ = %v, want 0.8", out, o.lag().multipliers[0])
	}
	assert.Equal(t, 0.0625, o.lag().outer.omega, "ω")
	copy(o.lag().gaps, []float64{0.03, 0.01})
	epoch(t, o, 1, 0, 0)
	epoch(t, o, 1, 0, 0)
	if out := epoch(t, o, 1, 0, 0); !out.Done || out.Action != Continue {
		t.Errorf("%+v, want the stop on a gap of 0.04", out)
	}
	o = started(t, Settings{Lagrangian: Lagrangian{ConstraintTolerance: 0.05, TestEvery: 3, LikeReference: true}})
	o.lag().outer.iota = 0
	for n, want := range []Action{Relaxed, Continue, Continue, Relaxed} {
		if out := epoch(t, o, 0.01, 0, 0); out.Action != want || out.Done {
			t.Errorf("epoch %d like the reference: %+v, want %s and no end", n, out, want)
		}
	}
}

// TestStationarity compares both measures of δ with their formulas.
func TestStationarity(t *testing.T) {
	for _, kind := range []Stationarity{StationarityGradient, StationarityMovement} {
		set := Settings{
			Loss: LossMSE, Lagrangian: Lagrangian{
				Stationarity: kind, ProxWeight: 1.25, EnergyCoefficient: 1, PointStep: 0.02,
				MovementTolerance: 1e9, ConstraintTolerance: 1e-9,
			}, Regularizer: optim.Regularizer{L2: 0.3},
		}
		r := newRig(t, 2, rigSamples, 1, set)
		r.place(rand.New(rand.NewPCG(2, 22)))
		o := r.o
		require.NoError(t, optim.ToSimplex(r.w))
		if kind == StationarityMovement {
			// A first visit, to have outputs to move from.
			r.run(t)
			_, err := o.Step(r.w, copied(r.dw))
			require.NoError(t, err)
			_, err = o.EndEpoch(r.w, 0)
			require.NoError(t, err)
			for i := range r.wnn {
				r.wnn[i] += 0.1
			}
		}
		before, g := slices.Clone(o.lag().points), slices.Clone(o.lag().outputs)
		r.run(t)
		dw, dy := copied(r.dw), copied(o.grads[0])
		_, err := o.Step(r.w, dw)
		require.NoError(t, err)
		next := slices.Clone(r.w)
		next[0], next[1] = next[0]+0.05, next[1]-0.05
		out, err := o.EndEpoch(next, 0.25)
		require.NoError(t, err)
		want := 0.0
		if kind == StationarityMovement {
			want = 2 * 0.05 * 0.05 / 4
			for i, v := range o.lag().points {
				want += (v - before[i]) * (v - before[i])
			}
			for i, v := range o.lag().outputs {
				want += (v - g[i]) * (v - g[i]) / float64(len(g))
			}
		} else {
			// Gradients are those of the mean; the measure is of the sum.
			step := slices.Clone(r.w)
			for i := range step {
				step[i] -= rigSamples*dw[i] + 2*0.3*r.w[i]
			}
			optim.ProjectSimplex(step)
			square := 0.0
			for i, v := range step {
				square += (v - r.w[i]) * (v - r.w[i])
			}
			want = math.Sqrt(square) + rigSamples*0.25
			n := len(dy) / rigSamples
			for i, sample := range r.batch {
				d := slices.Clone(dy[i*n : (i+1)*n])
				for k := range d {
					d[k] *= rigSamples
				}
				want += math.Sqrt(optim.BoxResidual(before[sample*n:(sample+1)*n], d))
			}
		}
		if math.Abs(out.Delta-want) > 1e-12*(1+want) || want == 0 {
			t.Errorf("%s: δ = %v, want %v", kind, out.Delta, want)
		}
	}
}
