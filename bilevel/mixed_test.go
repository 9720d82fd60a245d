package bilevel

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/nn"
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
	o       *Objective
	w, g    []float64
	machine gorgonia.VM
	loss    *gorgonia.Node
	grads   gorgonia.Nodes
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
	r := &mixedRig{o: o, w: uniform(rng, list[0].Rules, 0.2, 1), g: uniform(rng, draws*deep, 0.1, 0.9)}
	graph := gorgonia.NewGraph()
	w, g := WeightNode(graph, r.w), leaf(graph, "g", r.g)
	if r.loss, err = o.Loss(w, g); err != nil {
		t.Fatal(err)
	}
	if r.grads, err = gorgonia.Grad(r.loss, append(gorgonia.Nodes{w, g}, o.Inputs()...)...); err != nil {
		t.Fatal(err)
	}
	o.Differentiated(r.grads[2:])
	r.machine = nn.NewMachine(graph)
	return r
}

// run evaluates the loss of a batch.
func (r *mixedRig) run(t *testing.T, batch []int) float64 {
	t.Helper()
	require.NoError(t, r.o.Load(batch))
	require.NoError(t, nn.Execute(r.machine))
	return r.loss.Value().Data().(float64)
}

func (r *mixedRig) gradient(k int) []float64 {
	return slices.Clone(r.grads[k].Value().Data().([]float64))
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
				r.run(t, batch)
				// The points start from the labels.
				if l, ok := r.o.loss.(*lagrangian); ok && loss == LossMSE && l.value.terms.Supervised > 1e-12 {
					t.Errorf("%d draws, batch %v: supervised loss %v of points that are the labels", draws, batch, l.value.terms.Supervised)
				}
				want := [][]float64{r.gradient(0), r.gradient(1)}
				quotient := func(x *float64) float64 {
					const h = 1e-5
					old := *x
					*x = old + h
					up := r.run(t, batch)
					*x = old - h
					down := r.run(t, batch)
					*x = old
					return (up - down) / (2 * h)
				}
				if l, ok := r.o.loss.(*lagrangian); ok {
					dy := r.gradient(2)
					for slot, sample := range batch {
						for j := range l.pointsOf(sample) {
							if q, want := quotient(&l.pointsOf(sample)[j]), l.full.points(dy, slot)[j]; math.Abs(q-want) > 1e-4*(1+math.Abs(q)) {
								t.Errorf("%s, %d draws, batch %v: point %d of sample %d: gradient %v, difference quotient %v", loss, draws, batch, j, sample, want, q)
							}
						}
					}
				}
				for k, at := range [][]float64{r.w, r.g} {
					for i := range at {
						if q := quotient(&at[i]); math.Abs(q-want[k][i]) > 1e-5*(1+math.Abs(q)) {
							t.Errorf("%s, %d draws, batch %v: input %d, number %d: gradient %v, difference quotient %v", loss, draws, batch, k, i, want[k][i], q)
						}
					}
				}
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
			out = append(out, r.run(t, batch))
			_, err := r.o.Step(r.w, r.gradient(0))
			require.NoError(t, err)
		}
		return out
	}
	if whole, restored := losses(false), losses(true); !reflect.DeepEqual(whole, restored) {
		t.Errorf("losses %v, restored %v", whole, restored)
	}
	if _, err := NewObjective(Problem{Template: list[0], Templates: list, Samples: 2, Label: labelled}, Settings{Loss: LossSP}); err == nil {
		t.Error("three programs for two samples")
	}
}
