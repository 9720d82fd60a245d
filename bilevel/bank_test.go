package bilevel

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/optim/collective"
	"hinge/symbolic/infer"
)

// TestBank: states go to every draw of their sample and come back from the
// first; samples without a state start cold.
func TestBank(t *testing.T) {
	template := plainProgram(t, 1)
	f, err := New(template, 6, Options{Draws: 3})
	require.NoError(t, err)
	for slot := range 6 {
		f.Bind(slot, new(infer.Warm))
	}
	b := newBank("test", &Problem{Template: template, Samples: 5})
	state := func(v float64) infer.Warm {
		return infer.Warm{Dual: slices.Repeat([]float64{v}, template.Rows()), Y: slices.Repeat([]float64{v / 8}, template.Targets)}
	}
	b.states[3] = state(2)
	b.load(f, []int{3, 1})
	for slot := range 6 {
		w, warm := f.Warm(slot), slot%2 == 0
		if (len(w.Dual) > 0) != warm || warm && (w.Dual[0] != 2 || w.Y[0] != 0.25) {
			t.Errorf("slot %d starts from %v", slot, w)
		}
	}
	for slot := range 6 {
		*f.Warm(slot) = state(float64(slot))
	}
	b.store(f, []int{3, 1})
	if b.states[3].Dual[0] != 0 || b.states[1].Dual[0] != 1 || len(b.states[0].Dual) > 0 {
		t.Errorf("stored %v", b.states)
	}
	// Later steps do not reach into the bank.
	f.Warm(1).Dual[0] = 77
	if b.states[1].Dual[0] != 1 {
		t.Error("the bank shares storage with the slots")
	}
	saved := make(map[string][]float64)
	for _, a := range b.arrays() {
		saved[a.Name] = a.Data
	}
	back := newBank("test", &Problem{Template: template, Samples: 5})
	require.NoError(t, back.restore(getter(saved), collective.Parts{}.Has))
	for i := range b.states {
		if !slices.Equal(b.states[i].Dual, back.states[i].Dual) || !slices.Equal(b.states[i].Y, back.states[i].Y) {
			t.Errorf("sample %d came back as %v", i, back.states[i])
		}
	}
	for want, breakIt := range map[string]func(){
		"sample 9":   func() { saved["solver/test.samples"] = []float64{1, 9} },
		"sample 0.5": func() { saved["solver/test.samples"] = []float64{1, 0.5} },
		"sample -1":  func() { saved["solver/test.samples"] = []float64{1, -1} },
		"1 solver states": func() {
			saved["solver/test.samples"] = []float64{1}
		},
	} {
		breakIt()
		assert.ErrorContains(t, back.restore(getter(saved), collective.Parts{}.Has), want)
	}
}
