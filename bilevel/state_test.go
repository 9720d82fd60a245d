package bilevel

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/lcqp"
)

// TestSavedState: a state under the names and of the sizes that checkpoints hold is
// read, array by array, and is what the loss saves.
func TestSavedState(t *testing.T) {
	template, err := lcqp.Compile(randomProgram(rand.New(rand.NewPCG(1, 1)), 6, 4, 4, 12))
	require.NoError(t, err)
	const samples = 2
	solver := func(size map[string]int, names ...string) {
		for _, name := range names {
			size["solver/"+name+".samples"] = samples
			size["solver/"+name+".dual"] = samples * template.Rows()
			size["solver/"+name+".y"] = samples * template.Targets
		}
	}
	for _, loss := range Losses {
		size := make(map[string]int)
		solver(size, "latent")
		if loss != LossEnergy {
			solver(size, "map")
		}
		if loss.Bilevel() {
			solver(size, "augmented")
			size["bilevel/points"] = samples * template.Targets
			for _, name := range []string{"slacks", "multipliers", "residuals", "fresh", "gaps", "visited"} {
				size["bilevel/"+name] = samples
			}
			size["bilevel/outputs"] = samples * template.Deep
			size["bilevel/epoch_weights"], size["bilevel/epoch_gradient"] = template.Rules, template.Rules
			size["bilevel/scalars"] = 16
		}
		saved := make(map[string][]float64)
		for name, n := range size {
			saved[name] = make([]float64, n)
			for i := range saved[name] {
				saved[name][i] = float64(len(saved)) + float64(i)/64
			}
		}
		for name, data := range saved {
			if name == "bilevel/scalars" {
				copy(data, []float64{1, 0, 0.25, 8, 0.5, 0.75, 3, 2, 1, 4, 0.1, 0, 0.3, 0.4, 5, 1})
			} else if strings.HasSuffix(name, ".samples") {
				copy(data, []float64{0, 1})
			}
		}
		set := Settings{Loss: loss}
		set.Stationarity = StationarityMovement
		o, err := NewObjective(Problem{Template: template, Samples: samples, Label: labelled}, set)
		require.NoError(t, err)
		assert.NoErrorf(t, o.SetState(getter(saved)), "%s", loss)
		for _, a := range o.State() {
			if !slices.Equal(a.Data, saved[a.Name]) {
				t.Errorf("%s: %s is %v, want %v", loss, a.Name, a.Data, saved[a.Name])
			}
			delete(saved, a.Name)
		}
		if len(saved) > 0 {
			t.Errorf("%s: not saved again: %v", loss, saved)
		}
		if !loss.Bilevel() {
			continue
		}
		if u := o.lag().outer; u.iota != 0.25 || u.penalty != 8 || !u.started || u.done {
			t.Errorf("%s: ι %v, μ %v, started %v, done %v", loss, u.iota, u.penalty, u.started, u.done)
		}
	}
}
