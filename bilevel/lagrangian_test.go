package bilevel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"hinge/optim"
)

// trace runs epochs of a rig over its batch and prints everything that moves.
func (r *rig) trace(t *testing.T, epochs int) string {
	t.Helper()
	out := ""
	for range epochs {
		loss := r.run(t)
		terms, err := r.o.Step(r.w, copied(r.dw))
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range copied(r.dnn) {
			r.wnn[i] -= 0.05 * d
		}
		end, err := r.o.EndEpoch(r.w, 0)
		if err != nil {
			t.Fatal(err)
		}
		out += fmt.Sprintln(loss, terms, end, r.o.lag().points, r.o.lag().slacks, r.o.lag().multipliers, r.wnn)
	}
	return out
}

// TestLearningIgnoresThreads: the same bits with one goroutine and with many.
func TestLearningIgnoresThreads(t *testing.T) {
	run := func(threads int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		r := newRig(t, 6, 3, 2, Settings{Loss: LossBCE, Lagrangian: Lagrangian{ProxWeight: 1.25, EnergyCoefficient: 1, MovementTolerance: 10}})
		r.place(rand.New(rand.NewPCG(6, 22)))
		return r.trace(t, 5)
	}
	if run(1) != run(8) {
		t.Error("learning depends on the number of threads")
	}
}

// TestSumAndMean: the scale of the loss scales the gradients of the weights, and
// changes nothing in the steps on points and slacks.
func TestSumAndMean(t *testing.T) {
	type end struct{ loss, dw, points, slacks []float64 }
	run := func(as Reduction) end {
		r := newRig(t, 8, 3, 2, Settings{Loss: LossBCE, Lagrangian: Lagrangian{ProxWeight: 1.25, EnergyCoefficient: 1, Slack: SlackStep}, Reduction: as})
		r.place(rand.New(rand.NewPCG(8, 22)))
		e := end{loss: []float64{r.run(t)}, dw: copied(r.dw)}
		if _, err := r.o.Step(r.w, e.dw); err != nil {
			t.Fatal(err)
		}
		e.points, e.slacks = r.o.lag().points, r.o.lag().slacks
		return e
	}
	near := func(a, b []float64, factor float64) bool {
		return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(factor*x-y) <= 1e-12*(1+math.Abs(y)) })
	}
	mean, sum := run(Mean), run(Sum)
	if !near(mean.loss, sum.loss, 3) || !near(mean.dw, sum.dw, 3) {
		t.Errorf("loss %v and %v, gradients %v and %v", mean.loss, sum.loss, mean.dw, sum.dw)
	}
	if !near(mean.points, sum.points, 1) || !near(mean.slacks, sum.slacks, 1) {
		t.Error("the steps on points or slacks depend on the scale of the loss")
	}
}

// TestLearnsTheBilevelSolution: on problems of two weights the true bilevel
// loss, that of the minimiser y*(w), can be tabulated for all w. Learning must
// end near its best value, and the energy loss, which does not ask for it, not
// everywhere.
func TestLearnsTheBilevelSolution(t *testing.T) {
	better := 0
	for _, seed := range []uint64{1, 3, 8} {
		p := newSmall(t, seed, LossMSE)
		p.set.EnergyCoefficient, p.set.RelaxationTarget, p.set.ProxWeight = 0, 1e-3, 0.5
		p.set.ConstraintTolerance, p.set.MovementTolerance = 1e-4, 1e-3
		p.set.Regularizer = optim.Regularizer{}
		j := p.judge(t)
		truth := func(w []float64) float64 {
			if err := j.full.Solve(w, nil); err != nil {
				t.Fatal(err)
			}
			return j.upper(w, j.full.Result(0).Y[0]) - p.set.Regularizer.Value(w)
		}
		best, worst := math.Inf(1), 0.0
		for k := range 401 {
			w := float64(k) / 400
			v := truth([]float64{w, 1 - w})
			best, worst = min(best, v), max(worst, v)
		}
		_, w, _ := p.learn(t)
		got := truth(w)
		if got > best+0.1*(worst-best)+1e-4 {
			t.Errorf("seed %d: loss %v of the learned weights %v, best %v, worst %v", seed, got, w, best, worst)
		}
		p.set.Loss = LossEnergy
		energy := p.energyWeights(t)
		if truth(energy) > got+0.05*(worst-best) {
			better++
		}
	}
	if better == 0 {
		t.Error("the energy loss does as well everywhere: the test shows nothing")
	}
}

// energyWeights learns with the energy loss.
func (p *small) energyWeights(t *testing.T) []float64 {
	t.Helper()
	o, err := NewObjective(Problem{Template: p.template, Samples: 1, Label: p.label}, p.set)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewWeightLearner(o, []float64{0.5, 0.5}, &optim.ProjectedGradient{WeightOptions: optim.WeightOptions{Step: 0.02}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for range 2000 {
		if _, err := l.Epoch(); err != nil {
			t.Fatal(err)
		}
	}
	return l.Weights()
}

// TestFirstVisitIsNotTested: the movement of neural outputs is known from the
// second visit on, so the first epoch passes without a test.
func TestFirstVisitIsNotTested(t *testing.T) {
	r := newRig(t, 11, rigSamples, 2, Settings{Loss: LossMSE, Lagrangian: Lagrangian{
		ProxWeight: 1.25, Stationarity: StationarityMovement, MovementTolerance: 1e9,
	}})
	r.place(rand.New(rand.NewPCG(11, 22)))
	for n, want := range []bool{false, true, true} {
		r.run(t)
		if _, err := r.o.Step(r.w, copied(r.dw)); err != nil {
			t.Fatal(err)
		}
		out, err := r.o.EndEpoch(r.w, 0)
		if err != nil {
			t.Fatal(err)
		}
		if out.Tested != want {
			t.Errorf("epoch %d: tested %v, want %v", n, out.Tested, want)
		}
	}
}

// TestFixedWeights: where w_sy is not learned its gradient is no part of δ.
func TestFixedWeights(t *testing.T) {
	delta := func(fixed bool) float64 {
		r := newRig(t, 12, rigSamples, 1, Settings{Loss: LossMSE, Lagrangian: Lagrangian{ProxWeight: 1.25, EnergyCoefficient: 1}})
		r.place(rand.New(rand.NewPCG(12, 22)))
		r.run(t)
		dw := copied(r.dw)
		if fixed {
			dw = nil
		}
		if _, err := r.o.Step(r.w, dw); err != nil {
			t.Fatal(err)
		}
		out, err := r.o.EndEpoch(r.w, 0)
		if err != nil {
			t.Fatal(err)
		}
		return out.Delta
	}
	if learned, fixed := delta(false), delta(true); !(fixed < learned-1e-3) || fixed <= 0 {
		t.Errorf("δ is %v with and %v without the weights", learned, fixed)
	}
}

// TestPointStepIsCapped: a large penalty shortens the steps on y to what its
// curvature allows, a small one leaves the configured size.
func TestPointStepIsCapped(t *testing.T) {
	r := newRig(t, 13, 2, 2, Settings{Loss: LossMSE, Lagrangian: Lagrangian{ProxWeight: 1.25, PointStep: 0.01}})
	r.place(rand.New(rand.NewPCG(13, 22)))
	r.o.lag().outer.penalty = 1.5
	copy(r.o.lag().multipliers, make([]float64, rigSamples))
	r.run(t)
	if got := r.o.lag().pointStep(0); got != 0.01 {
		t.Errorf("step %v with μ = 1.5", got)
	}
	r.o.lag().outer.penalty = 1e6
	r.run(t)
	if got := r.o.lag().pointStep(0); got >= 1e-3 || got <= 0 || math.IsNaN(got) {
		t.Errorf("step %v with μ = 1e6", got)
	}
}
