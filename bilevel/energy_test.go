package bilevel

import (
	"testing"

	"gorgonia.org/gorgonia"
)

// TestObjectiveIsTheExpression: an objective's value-based losses are what Energy and
// StructuredPerceptron make of the values, bit for bit.
func TestObjectiveIsTheExpression(t *testing.T) {
	for _, as := range []Reduction{Mean, Sum} {
		for _, samples := range []int{2, 3} {
			for _, loss := range []LossName{LossEnergy, LossSP} {
				r := newRig(t, 3, 3, 1, Settings{Loss: loss, Reduction: as, Lagrangian: Lagrangian{ConstraintSamples: samples}})
				got := r.run(t)
				graph := gorgonia.NewGraph()
				latent := input(graph, "latent", r.o.Latent().Values())
				want, err := Energy(latent, as)
				if loss == LossSP {
					want, err = StructuredPerceptron(latent, input(graph, "full", r.o.Full().Values()), as)
				}
				if err != nil {
					t.Fatal(err)
				}
				vm := gorgonia.NewTapeMachine(graph)
				defer vm.Close()
				if err := vm.RunAll(); err != nil {
					t.Fatal(err)
				}
				if v := want.Value().Data().(float64); v != got || v == 0 {
					t.Errorf("%s, %d samples of 3, reduction %d: %v, the expression %v", loss, samples, as, got, v)
				}
			}
		}
	}
}
