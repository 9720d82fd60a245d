package bilevel

import (
	"math"
	"testing"

	"hinge/symbolic/lcqp"
)

// TestLabelsFollowSamples: each latent slot holds the labels of its sample, and
// labels are only set when the sample changes.
func TestLabelsFollowSamples(t *testing.T) {
	calls := 0
	template := plainProgram(t, 1)
	o, err := NewObjective(Problem{
		Template: template, Samples: 4, Batch: 2,
		Label: func(sample int, in *lcqp.Instance) error { calls++; return labelled(sample, in) },
	}, Settings{Loss: LossEnergy})
	if err != nil {
		t.Fatal(err)
	}
	for _, load := range []struct {
		batch []int
		calls int
	}{{[]int{0, 1}, 2}, {[]int{0, 1}, 2}, {[]int{0, 3}, 3}, {[]int{3, 0}, 5}} {
		if err := o.Load(load.batch); err != nil {
			t.Fatal(err)
		}
		if calls != load.calls {
			t.Errorf("batch %v: %d labellings so far, want %d", load.batch, calls, load.calls)
		}
		for slot, sample := range load.batch {
			in := o.Latent().Instance(slot)
			if in.Lower[4] != float64(sample%2) || in.Upper[4] != in.Lower[4] || in.Lower[0] == in.Upper[0] {
				t.Errorf("batch %v, slot %d: bounds %v to %v", load.batch, slot, in.Lower, in.Upper)
			}
		}
	}
	if err := o.Load([]int{1}); err == nil {
		t.Error("a short batch was accepted")
	}
}

// TestSatisfaction: 1 − Φ of the labelled problems over the groundings.
func TestSatisfaction(t *testing.T) {
	r := newRig(t, 10, 3, 2, Settings{Loss: LossEnergy})
	r.run(t)
	template := r.o.problem.Template
	got := make([]float64, template.Rules)
	r.o.Satisfaction(got)
	for rule := range got {
		groundings, sum := 0, 0.0
		for k := range template.Potentials {
			if int(template.RuleOf[template.Constraints+k]) == rule {
				groundings++
			}
		}
		for slot := range r.o.Latent().Slots() {
			sum += r.o.Latent().phi[slot*template.Rules+rule]
		}
		if want := 1 - sum/float64(groundings*r.o.Latent().Slots()); math.Abs(got[rule]-want) > 1e-12 {
			t.Errorf("rule %d: %v, want %v", rule, got[rule], want)
		}
	}
}
