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
	if got := Everywhere(); !slices.Equal(got, Losses) {
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
		{Settings{Loss: "cubic"}, "want one of [energy sp mse bce answer conditional k-best]"},
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
	for _, absent := range []string{"", "w", "g"} {
		graph := gorgonia.NewGraph()
		w := leaf(graph, "w", []float64{2, 3})
		g := gorgonia.NewVector(graph, tensor.Float32, gorgonia.WithName("g"), gorgonia.WithShape(2),
			gorgonia.WithValue(tensor.New(tensor.WithShape(2), tensor.WithBacking([]float32{5, 7}))))
		inputs := gorgonia.Nodes{w, g}
		wn, gn := w, g
		switch absent {
		case "w":
			wn, inputs = nil, inputs[1:]
		case "g":
			gn, inputs = nil, inputs[:1]
		}
		loss, err := Function("test", wn, gn, func(w, g, dw, dg []float64) (float64, error) {
			v := 0.0
			for i := range 2 {
				a, b := 1.0, 1.0
				if len(w) > 0 {
					a = w[i]
				}
				if len(g) > 0 {
					b = g[i]
				}
				v += 3 * a * b
				if len(w) > 0 {
					dw[i] = 3 * b
				}
				if len(g) > 0 {
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
		want := map[string]float64{"": 186, "w": 72, "g": 30}[absent]
		if got := loss.Value().Data().(float64); got != want {
			t.Errorf("without %q: %v, want %v", absent, got, want)
		}
		dw, dg := []float64{30, 42}, []float32{12, 18}
		switch absent {
		case "w":
			dg = []float32{6, 6}
		case "g":
			dw = []float64{6, 6}
		}
		for i, n := range inputs {
			switch got := grads[i].Value().Data().(type) {
			case []float64:
				if !slices.Equal(got, dw) {
					t.Errorf("without %q: the derivative by %v is %v, want %v", absent, n, got, dw)
				}
			case []float32:
				if !slices.Equal(got, dg) {
					t.Errorf("without %q: the derivative by %v is %v, want %v", absent, n, got, dg)
				}
			}
		}
		vm.Close()
	}
}
