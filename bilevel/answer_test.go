package bilevel

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/hlmrf"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
)

// TestAnswerGradients: the derivatives of the loss by w_sy and w_nn are those of finite
// differences, for a mean and a sum, for all samples and for a part of them, and with
// labels of unlike importance.
func TestAnswerGradients(t *testing.T) {
	for _, set := range []Settings{
		{}, {Reduction: Sum}, {Lagrangian: Lagrangian{ConstraintDraws: 1, ConstraintSamples: 2}},
	} {
		set.Loss, set.Nudge = LossAnswer, 1e-5
		compared := 0
		for seed := range uint64(4) {
			r := newRig(t, seed, 3, 2, set)
			r.o.problem.Importance = func(sample int, weights []float64) {
				weights[4], weights[5] = 0.5+float64(sample), 2
			}
			eval := func() float64 { return r.run(t) }
			eval()
			for _, c := range []struct{ x, grad []float64 }{{r.w, copied(r.dw)}, {r.wnn, copied(r.dnn)}} {
				for i := range c.x {
					d, d2 := difference(&c.x[i], 1e-5, eval), difference(&c.x[i], 3e-6, eval)
					if math.Abs(d-d2) > 1e-4*(1e-2+math.Abs(d)) {
						continue // at a kink
					}
					if d != 0 {
						compared++
					}
					if math.Abs(d-c.grad[i]) > 1e-3*(1e-2+math.Abs(d)) {
						t.Errorf("seed %d, %d: gradient %.9g, finite difference %.9g", seed, i, c.grad[i], d)
					}
				}
			}
		}
		if compared < 40 {
			t.Errorf("%d derivatives compared: the test sees too little", compared)
		}
	}
}

// TestAnswerNudge: with the default δ of 0.1 the gradient is that of (V_δ − V)·m/δ with the
// answers y* and the slopes c held where they are, by the outputs of the network and by the
// rule weights, as differences of values say that another method finds without any of the
// loss's code; and along it the loss falls.
func TestAnswerNudge(t *testing.T) {
	const nudge, bend, batch, draws = 0.1, 1e-2, 3, 2
	compared, fell := 0, 0
	for seed := range uint64(12) {
		r := newRig(t, seed, batch, draws, Settings{Loss: LossAnswer})
		loss := r.run(t)
		dw, dnn, template := copied(r.dw), copied(r.dnn), r.o.problem.Template
		solved := func(slot int, prox, center []float64) *infer.Result {
			in, err := template.NewInstance(0.05)
			require.NoError(t, err)
			var g []float64 // the sigmoid of the layer
			x := r.x.Value().Data().([]float64)[3*slot:][:3]
			for k := range template.Deep {
				z := 0.0
				for j := range x {
					z += x[j] * r.wnn[j*template.Deep+k]
				}
				g = append(g, 1/(1+math.Exp(-z)))
			}
			if prox != nil {
				err = in.SetProx(prox, center)
			}
			res := new(infer.Result)
			set := infer.Settings{Method: infer.InteriorPoint{}, GapAbsolute: 1e-11, FeasibilityTolerance: 1e-9}
			if err = errors.Join(err, in.SetWeights(r.w), in.SetDeep(g), infer.Solve(in, nil, set, res)); err == nil {
				err = res.Err()
			}
			require.NoError(t, err)
			return res
		}
		n, steepest := template.Targets, 0.0
		slopes, states := make([]float64, n*batch*draws), make([]float64, n*batch*draws)
		for slot := range batch * draws {
			copy(states[slot*n:], solved(slot, nil, nil).Y)
			sample := r.batch[slot%batch]
			for j, label := range map[int]float64{4: float64(sample % 2), 5: 0.3 + 0.1*float64(sample)} {
				if y := states[slot*n+j]; y > 1e-6 && y < 1-1e-6 {
					slopes[slot*n+j] = (1-label)/(1-y) - label/y
					steepest = max(steepest, math.Abs(slopes[slot*n+j]))
				}
			}
		}
		surrogate := func() float64 {
			sum := 0.0
			for slot := range batch * draws {
				prox, center := make([]float64, n), make([]float64, n)
				for j, y := range states[slot*n:][:n] {
					if c := slopes[slot*n+j] / cmp.Or(steepest, 1); c != 0 {
						// nudge·c·(y − y*) + bend·nudge·(y − y*)², except for a constant
						prox[j], center[j] = bend*nudge, y-c/(2*bend)
					}
				}
				sum += solved(slot, prox, center).PrimalValue - solved(slot, nil, nil).PrimalValue
			}
			return sum * steepest / nudge / (batch * draws)
		}
		square := 0.0
		for _, c := range []struct{ x, grad []float64 }{{r.w, dw}, {r.wnn, dnn}} {
			for i := range c.x {
				d, d2 := difference(&c.x[i], 1e-4, surrogate), difference(&c.x[i], 3e-5, surrogate)
				square += c.grad[i] * c.grad[i]
				if math.Abs(d-d2) > 1e-3*(1e-1+math.Abs(d)) {
					continue // at a kink
				}
				if math.Abs(d) > 1e-3 {
					compared++
				}
				if math.Abs(d-c.grad[i]) > 5e-3*(1e-1+math.Abs(d)) {
					t.Errorf("seed %d, %d: gradient %.9g, finite difference %.9g", seed, i, c.grad[i], d)
				}
			}
		}
		if square < 1e-6 {
			continue // all answers with a label are at 0 or 1
		}
		const step = 1e-3
		for _, c := range []struct{ x, grad []float64 }{{r.w, dw}, {r.wnn, dnn}} {
			for i, d := range c.grad {
				c.x[i] -= step * d / square
			}
		}
		if fall := loss - r.run(t); fall < step/2 {
			t.Errorf("seed %d: along the gradient the loss falls by %v, want about %v", seed, fall, step)
		}
		fell++
	}
	if compared < 100 || fell < 8 {
		t.Errorf("%d derivatives compared, %d programs descended: the test sees too little", compared, fell)
	}
}

// TestAnswerPulls: a label that counts for nothing does not pull, though it did for another
// sample of the pass.
func TestAnswerPulls(t *testing.T) {
	r := newRig(t, 0, 3, 1, Settings{Loss: LossAnswer})
	r.o.problem.Importance = func(sample int, weights []float64) {
		clear(weights)
		if sample == r.batch[1] {
			weights[4], weights[5] = 1, 1
		}
	}
	if r.run(t); slices.Max(copied(r.dnn)) == 0 {
		t.Fatal("no label pulls: the test sees nothing")
	}
	for slot := range 3 {
		moved := 0.0
		for j, y := range r.o.Augmented().Result(slot).Y {
			moved = max(moved, math.Abs(y-r.o.Full().Result(slot).Y[j]))
		}
		if (moved > 1e-9) != (slot == 1) {
			t.Errorf("slot %d moves by %v", slot, moved)
		}
	}
}

// TestAnswerStartsAtTheAnswer: the solve with the labels' pull starts at the answers that were
// just found, also for samples never seen before, and so takes less work than from nothing.
func TestAnswerStartsAtTheAnswer(t *testing.T) {
	warm, cold := 0, 0
	work := func(s *infer.Stats) int { return s.Iterations + s.Factorizations }
	for seed := range uint64(5) {
		r := newRig(t, seed, 3, 1, Settings{Loss: LossAnswer, Lagrangian: Lagrangian{Nudge: 1e-4}})
		r.run(t)
		pulled := r.o.Augmented()
		for slot := range pulled.Slots() {
			var res infer.Result
			require.NoError(t, infer.Solve(pulled.Instance(slot), nil, infer.Settings{}, &res))
			warm, cold = warm+work(&pulled.Result(slot).Stats), cold+work(&res.Stats)
		}
	}
	t.Logf("%d iterations and factorisations, %d from nothing", warm, cold)
	if 2*warm > cold {
		t.Errorf("%d iterations and factorisations, %d from nothing", warm, cold)
	}
}

// TestAnswerSatisfaction: by hand, at the labels and the outputs of the last step; a target
// without a label is where it breaks least with the others fixed.
func TestAnswerSatisfaction(t *testing.T) {
	p := &hlmrf.Program{
		Targets: []string{"a", "b"}, Deep: []string{"g"},
		Rules: []hlmrf.Rule{{Text: "g -> a; a -> b", Weight: 0.5}, {Text: "b -> g; !a", Weight: 0.5}},
	}
	p.AddPotential(0, []int32{0}, []float64{-1}, []int32{0}, []float64{1}, 0)
	p.AddPotential(0, []int32{0, 1}, []float64{1, -1}, nil, nil, 0)
	p.AddPotential(1, []int32{1}, []float64{1}, []int32{0}, []float64{-1}, 0)
	p.AddPotential(1, []int32{0}, []float64{1}, nil, nil, 0)
	template, err := lcqp.Compile(p)
	require.NoError(t, err)
	for _, labels := range [][]float64{{0.25, 0.5}, {0.25, math.NaN()}} {
		o, err := NewObjective(Problem{
			Template: template, Samples: 1, Label: func(_ int, in *lcqp.Instance) error { return FixLabels(in, labels) },
		}, Settings{Loss: LossAnswer, Value: Options{Solver: tight}})
		require.NoError(t, err)
		w, g := []float64{0.5, 0.5}, []float64{0.75}
		graph := newLossGraph(t, o, w, g)
		graph.run(t, []int{0})
		first, active, again := make([]float64, 2), make([]float64, 2), make([]float64, 2)
		o.Satisfaction(first, active)
		// g -> a breaks by 1/2 and !a by 1/4, the others hold; b may be anywhere from a to g.
		assert.InDeltaSlice(t, []float64{0.75, 0.875}, first, 1e-6)
		if !math.IsNaN(labels[1]) {
			assert.Equal(t, []float64{0.5, 0.5}, active)
		}
		g[0], w[0] = 0.5, 0.9 // as after an update: the last step stays where it was
		o.Satisfaction(again, active)
		assert.Equal(t, first, again)
		graph.run(t, []int{0}) // g -> a breaks by 1/4
		o.Satisfaction(again, active)
		assert.InDeltaSlice(t, []float64{0.875, 0.875}, again, 1e-6)
	}
}
