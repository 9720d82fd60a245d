package bilevel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTermsAddUp recomputes every term of the Lagrangian from the value
// functions, by the paper's formula.
func TestTermsAddUp(t *testing.T) {
	r := newRig(t, 5, 3, 2, Settings{Loss: LossMSE, Lagrangian: Lagrangian{Slack: SlackStep, ProxWeight: 1.25, EnergyCoefficient: 0.7}})
	r.place(rand.New(rand.NewPCG(5, 22)))
	loss := r.run(t)
	o := r.o
	var want Terms
	for i, sample := range r.batch {
		v, m, z := o.Full().Values()[i], o.Augmented().Values()[i], o.Latent().Values()[i]
		y := o.Point(sample)
		want.Supervised += math.Pow(y[4]-float64(sample%2), 2) + math.Pow(y[5]-0.3-0.1*float64(sample), 2)
		want.Energy += 0.7 * z
		c := m - v - o.Relaxation() + o.Slack(sample)
		want.Linear += o.Multiplier(sample) * c
		want.Quadratic += o.Penalty() / 2 * c * c
		if m < v-1e-9 {
			t.Errorf("sample %d: M = %v below V = %v", sample, m, v)
		}
	}
	want.Lagrangian = want.Supervised + want.Energy + want.Linear + want.Quadratic
	got, err := o.Step(r.w, copied(r.dw))
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]float64{
		"supervised": {got.Supervised, want.Supervised}, "energy": {got.Energy, want.Energy},
		"linear": {got.Linear, want.Linear}, "quadratic": {got.Quadratic, want.Quadratic},
		"Lagrangian": {got.Lagrangian, want.Lagrangian}, "loss": {3 * loss, want.Lagrangian},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
}

// TestReferencePenalty: without slacks the penalty is that of max(0, c), and
// vanishes with its derivative where the constraint holds.
func TestReferencePenalty(t *testing.T) {
	l := newLagrangianValue(&Settings{Lagrangian: Lagrangian{Slack: SlackNone}}, 1, 1, 0)
	l.penalty, l.iota, l.lambda[0] = 2, 0.1, 0.5
	for _, c := range []struct{ gap, q, penalty float64 }{
		{0.05, 0, 0}, {0.1, 0, 0}, {0.1 + 1e-12, 0, 0}, {0.3, 0.5 + 2*0.2, 0.5*0.2 + 0.2*0.2},
	} {
		var got Terms
		q := l.constraint(0, c.gap, 7, &got)
		if math.Abs(q-c.q) > 1e-15 || math.Abs(got.Linear+got.Quadratic-c.penalty) > 1e-12 {
			t.Errorf("gap %v: derivative %v, penalty %v; want %v and %v", c.gap, q, got.Linear+got.Quadratic, c.q, c.penalty)
		}
	}
}
