package bilevel

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/symbolic/lcqp"
)

// mixedTemplates are programs of three sizes with the same rules.
func mixedTemplates(t *testing.T) (list []*lcqp.Template) {
	t.Helper()
	rng := rand.New(rand.NewPCG(6, 41))
	for _, n := range []int{6, 9, 7} {
		p := randomProgram(rng, n, n-1, 4, 3*n)
		next, err := lcqp.Compile(p)
		require.NoError(t, err)
		list = append(list, next)
	}
	return list
}

// mixedRig is an objective over samples with programs of their own, with outputs that are
// plain numbers.
type mixedRig struct {
	*lossGraph
	w, g []float64
}

func newMixedRig(t *testing.T, loss LossName, list []*lcqp.Template, batch, draws int) *mixedRig {
	t.Helper()
	o, err := NewObjective(Problem{Template: list[0], Templates: list, Samples: len(list), Batch: batch, Label: labelled}, Settings{
		Loss: loss, Draws: draws, Lagrangian: Lagrangian{ProxWeight: 1, EnergyCoefficient: 0.5, ConstraintDraws: draws},
		Value: Options{Epsilon: 0.05, Solver: tight, DrawTemperature: 0.3 * float64(min(draws-1, 1))},
	})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(6, 42))
	deep, _ := Room(list, batch)
	r := &mixedRig{w: uniform(rng, list[0].Rules, 0.2, 1), g: uniform(rng, draws*deep, 0.1, 0.9)}
	r.lossGraph = newLossGraph(t, o, r.w, r.g)
	return r
}

// TestMixedGradient: samples with programs of their own, of other sizes in every batch,
// have the derivatives of their difference quotients, and what a batch does not fill has
// none.
func TestMixedGradient(t *testing.T) {
	list := mixedTemplates(t)
	for _, loss := range []LossName{LossEnergy, LossSP, LossMSE, LossBCE} {
		for _, draws := range []int{1, 2} {
			r := newMixedRig(t, loss, list, 2, draws)
			deep := len(r.g) / draws
			require.NoError(t, r.o.Start(r.w, [][]int{{2, 1}, {0}}, func([]int) ([]float64, error) { return r.g[:deep], nil }))
			for _, batch := range [][]int{{1, 2}, {2, 0}, {0, 1}} {
				eval := func() float64 { loss, _, _ := r.run(t, batch); return loss }
				_, dw, dg := r.run(t, batch)
				// The points start from the labels.
				if l := r.o.lag(); loss == LossMSE && l.value.terms.Supervised > 1e-12 {
					t.Errorf("%d draws, batch %v: supervised loss %v of points that are the labels", draws, batch, l.value.terms.Supervised)
				}
				name := fmt.Sprintf("%s, %d draws, batch %v: ", loss, draws, batch)
				if l := r.o.lag(); l != nil {
					dy := copied(r.grads[2])
					for slot, sample := range batch {
						checkGradient(t, fmt.Sprint(name, "points of sample ", sample), l.pointsOf(sample), l.full.points(dy, slot), eval, 1e-4)
					}
				}
				checkGradient(t, name+"w", r.w, dw, eval, 1e-4)
				checkGradient(t, name+"g", r.g, dg, eval, 1e-4)
			}
		}
	}
}

// TestMixedState: a restored objective goes on bit for bit, and what cannot be is refused.
func TestMixedState(t *testing.T) {
	list := mixedTemplates(t)
	losses := func(restore bool) (out []float64) {
		r := newMixedRig(t, LossBCE, list, 2, 2)
		require.NoError(t, r.o.Start(r.w, [][]int{{0, 1}, {2}}, nil))
		for step, batch := range [][]int{{0, 1}, {2, 0}, {1, 2}, {0, 2}} {
			if restore && step == 2 {
				saved := map[string][]float64{}
				for _, a := range r.o.State() {
					saved[a.Name] = slices.Clone(a.Data)
				}
				r = newMixedRig(t, LossBCE, list, 2, 2)
				require.NoError(t, r.o.SetState(getter(saved)))
				saved["solver/map.y"] = saved["solver/map.y"][1:]
				assert.ErrorContains(t, newMixedRig(t, LossBCE, list, 2, 2).o.SetState(getter(saved)), "solver states", "states that are cut")
			}
			loss, dw, _ := r.run(t, batch)
			out = append(out, loss)
			_, err := r.o.Step(r.w, dw)
			require.NoError(t, err)
		}
		return out
	}
	if whole, restored := losses(false), losses(true); !reflect.DeepEqual(whole, restored) {
		t.Errorf("losses %v, restored %v", whole, restored)
	}
	_, err := NewObjective(Problem{Template: list[0], Templates: list, Samples: 2, Label: labelled}, Settings{Loss: LossSP})
	assert.Error(t, err, "three programs for two samples")
}
