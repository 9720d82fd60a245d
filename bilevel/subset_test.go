package bilevel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSubsetIsUnbiased: the Lagrangian and its gradients with the constraints of one or
// two samples of a batch of three, averaged over the orders of the batch, are those
// with all constraints, and so are the measures of stationarity; a point takes the
// same step whenever its turn comes, here one that the curvature bounds.
func TestSubsetIsUnbiased(t *testing.T) {
	for _, perStep := range []int{1, 2} {
		set := Settings{Loss: LossBCE, Lagrangian: Lagrangian{
			ProxWeight: 1.25, EnergyCoefficient: 0.7, ConstraintDraws: 1, PointStep: 50,
		}}
		type seen struct {
			loss    float64
			terms   Terms
			dw      []float64
			dnn     []float64
			points  []float64
			moved   float64
			deltaY  float64
			touched []int
		}
		run := func(m, turn int) seen {
			set.ConstraintSamples = m
			r := newRig(t, 11, 3, 1, set)
			r.place(rand.New(rand.NewPCG(11, 22)))
			r.turn(turn)
			s := seen{loss: r.run(t), dw: copied(r.dw), dnn: copied(r.dnn)}
			var err error
			s.terms, err = r.o.Step(r.w, s.dw)
			require.NoError(t, err)
			s.points, s.touched = r.o.lag().points, r.batch[:r.o.Full().Samples()]
			u, share := &r.o.lag().outer, r.o.lag().value.share()
			u.fixed = true
			s.moved = u.delta(u.ledger, r.w, 0, share, &Settings{Lagrangian: Lagrangian{Stationarity: StationarityMovement}})
			s.deltaY = u.delta(u.ledger, r.w, 0, share, &Settings{})
			return s
		}
		all := run(0, 0)
		var mean seen
		mean.dw, mean.dnn = make([]float64, len(all.dw)), make([]float64, len(all.dnn))
		for turn := range 3 {
			s := run(perStep, turn)
			mean.loss += s.loss / 3
			mean.moved, mean.deltaY = mean.moved+s.moved/3, mean.deltaY+s.deltaY/3
			for i, d := range s.dw {
				mean.dw[i] += d / 3
			}
			for i, d := range s.dnn {
				mean.dnn[i] += d / 3
			}
			s.terms.scale(1.0 / 3)
			s.terms.Samples, s.terms.Energy, s.terms.Lagrangian = 1, s.terms.Energy/3, s.terms.Lagrangian/3
			mean.terms.add(s.terms)
			if len(s.touched) != perStep {
				t.Fatalf("%d samples with a constraint, want %d", len(s.touched), perStep)
			}
			n := len(s.points) / rigSamples
			for _, sample := range s.touched {
				at := sample * n
				if !near(s.points[at:at+n], all.points[at:at+n]) {
					t.Errorf("%d of 3: sample %d steps to %v, with all constraints to %v", perStep, sample, s.points[at:at+n], all.points[at:at+n])
				}
			}
		}
		if math.Abs(mean.loss-all.loss) > 1e-12 || !near(mean.dw, all.dw) || !near(mean.dnn, all.dnn) {
			t.Errorf("%d of 3: loss %v, want %v; gradients %v and %v, want %v and %v",
				perStep, mean.loss, all.loss, mean.dw, mean.dnn, all.dw, all.dnn)
		}
		if got, want := []float64{mean.moved, mean.deltaY}, []float64{all.moved, all.deltaY}; !near(got, want) || slices.Contains(want, 0) {
			t.Errorf("%d of 3: movement and norms of points %v, want %v", perStep, got, want)
		}
		a, b := mean.terms, all.terms
		if a.Samples != b.Samples || !near([]float64{a.Supervised, a.Energy, a.Linear, a.Quadratic, a.Lagrangian, a.Gap, a.Violation, a.Slack},
			[]float64{b.Supervised, b.Energy, b.Linear, b.Quadratic, b.Lagrangian, b.Gap, b.Violation, b.Slack}) {
			t.Errorf("%d of 3: terms %+v, want %+v", perStep, a, b)
		}
	}
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*(1+math.Abs(y)) })
}

// TestMultipliersWaitForAVisit: two steps on the multipliers without a visit in
// between are one, also when the state was saved and restored before them.
func TestMultipliersWaitForAVisit(t *testing.T) {
	set := Settings{
		Loss: LossBCE, Lagrangian: Lagrangian{
			ProxWeight: 1.25, EnergyCoefficient: 1, ConstraintDraws: 1, ConstraintSamples: 1,
			MovementTolerance: 1e9, ConstraintTolerance: 1e-12, Stationarity: StationarityMovement,
		},
	}
	r := newRig(t, 12, 3, 1, set)
	r.place(rand.New(rand.NewPCG(12, 22)))
	r.o.lag().outer.sigma, r.o.lag().outer.omega = 1e9, 1e9
	first, second := r.batch[0], r.batch[1]
	visit := func() {
		r.run(t)
		_, err := r.o.Step(r.w, copied(r.dw))
		require.NoError(t, err)
	}
	react := func() {
		require.Equal(t, Multipliers, r.o.lag().react(Outcome{Delta: 0, Violation: 1}), "the reaction")
		r.o.lag().outer.sigma, r.o.lag().outer.omega = 1e9, 1e9
	}
	before := slices.Clone(r.o.lag().multipliers)
	visit()
	saved := make(map[string][]float64)
	for _, a := range r.o.State() {
		saved[a.Name] = slices.Clone(a.Data)
	}
	r = newRig(t, 12, 3, 1, set)
	require.NoError(t, r.o.SetState(func(name string) ([]float64, error) { return saved[name], nil }))
	react()
	after := slices.Clone(r.o.lag().multipliers)
	if after[first] == before[first] || after[second] != before[second] {
		t.Fatalf("multipliers %v after a visit of sample %d, before %v", after, first, before)
	}
	r.batch[0], r.batch[1] = second, first
	visit()
	react()
	if r.o.lag().multipliers[first] != after[first] || r.o.lag().multipliers[second] == after[second] {
		t.Errorf("multipliers %v after a visit of sample %d, before %v", r.o.lag().multipliers, second, after)
	}
}

// TestSubsetSettings: what does not go together is an error, and a subset larger than
// the batch is the batch.
func TestSubsetSettings(t *testing.T) {
	for _, set := range []Settings{
		{Loss: LossMSE, Lagrangian: Lagrangian{ConstraintSamples: -1}},
		{Loss: LossMSE, Lagrangian: Lagrangian{ConstraintSamples: 1}, Draws: 2},
		{Loss: LossMSE, Lagrangian: Lagrangian{ConstraintSamples: 1, Constraint: ConstraintBatch}},
	} {
		assert.Errorf(t, set.Validate(), "%+v is taken", set)
	}
	if err := (Settings{Loss: LossSP, Lagrangian: Lagrangian{ConstraintSamples: 1, Constraint: ConstraintBatch}}).Validate(); err != nil {
		t.Errorf("a loss without constraints: %v", err)
	}
	r := newRig(t, 13, 3, 2, Settings{Loss: LossMSE, Lagrangian: Lagrangian{ConstraintDraws: 1, ConstraintSamples: 9}})
	if r.o.Full().Samples() != 3 || r.o.Full().Slots() != 3 || r.o.Augmented().Slots() != 3 {
		t.Errorf("%d constraints, %d and %d slots in a batch of 3", r.o.Full().Samples(), r.o.Full().Slots(), r.o.Augmented().Slots())
	}
}
