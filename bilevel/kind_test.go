package bilevel

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/nn"
)

func TestKinds(t *testing.T) {
	if got := Having(func(k Kind) bool { return k.Everywhere }); !slices.Equal(got, Losses) {
		t.Errorf("any model can learn by %v, want those of the paper", got)
	}
	if got := Having(func(k Kind) bool { return k.Unlabelled }); !slices.Equal(got, []LossName{LossSP, LossMSE, LossBCE, LossAnswer}) {
		t.Errorf("problems without labels are solved by %v", got)
	}
	if LossAnswer.Bilevel() || LossSP.Bilevel() || !LossMSE.Bilevel() || LossName("none").Bilevel() {
		t.Error("other losses than mse and bce are learned with the augmented Lagrangian")
	}
	for _, c := range []struct {
		set  Settings
		want string
	}{
		{Settings{Loss: "cubic"}, "want one of [energy sp mse bce answer k-best]"},
		{Settings{Loss: LossAnswer, Lagrangian: Lagrangian{Nudge: -1}}, "udge"},
		{Settings{Loss: LossAnswer, Value: Options{DrawTemperature: 1}}, "takes the mean over draws"},
	} {
		if err := c.set.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.set, err, c.want)
		}
	}
	if s, err := (Settings{Loss: LossAnswer}).resolve(); err != nil || s.Nudge != 0.1 {
		t.Errorf("the default of Nudge is %v (%v)", s.Nudge, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a second loss of one name was registered")
		}
	}()
	Register(Kind{Name: LossEnergy})
}

// TestLossFunction puts 3Σwg into a graph, of float64 weights and float32 outputs, behind
// another op, and without either.
func TestLossFunction(t *testing.T) {
	for _, c := range []struct {
		weights []float64
		outputs []float32
		loss    float64
		dw      []float64
		dg      []float32
	}{
		{[]float64{2, 3}, []float32{5, 7}, 186, []float64{30, 42}, []float32{12, 18}},
		{nil, []float32{5, 7}, 72, nil, []float32{6, 6}},
		{[]float64{2, 3}, nil, 30, []float64{6, 6}, nil},
	} {
		graph := gorgonia.NewGraph()
		var wn, gn *gorgonia.Node
		var inputs gorgonia.Nodes
		var want []any
		if c.weights != nil {
			wn = leaf(graph, "w", c.weights)
			inputs, want = append(inputs, wn), append(want, c.dw)
		}
		if c.outputs != nil {
			gn = gorgonia.NewVector(graph, tensor.Float32, gorgonia.WithName("g"), gorgonia.WithShape(2),
				gorgonia.WithValue(tensor.New(tensor.WithShape(2), tensor.WithBacking(c.outputs))))
			inputs, want = append(inputs, gn), append(want, c.dg)
		}
		loss, err := Function("test", wn, gn, func(w, g, dw, dg []float64) (v float64, err error) {
			for i := range 2 {
				a, b := 1.0, 1.0
				if w != nil {
					a = w[i]
				}
				if g != nil {
					b = g[i]
				}
				v += 3 * a * b
				if w != nil {
					dw[i] = 3 * b
				}
				if g != nil {
					dg[i] = 3 * a
				}
			}
			return v, nil
		})
		require.NoError(t, err)
		loss, err = gorgonia.Mul(loss, gorgonia.NewConstant(2.0))
		require.NoError(t, err)
		grads, err := gorgonia.Grad(loss, inputs...)
		require.NoError(t, err)
		vm := nn.NewMachine(graph)
		require.NoError(t, nn.Execute(vm))
		require.Equal(t, c.loss, loss.Value().Data())
		for i, grad := range grads {
			require.Equal(t, want[i], grad.Value().Data())
		}
		require.NoError(t, vm.Close())
	}
}
