package bilevel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// checkGradient compares grad with central differences of f at x. A component
// where two step sizes disagree sits at a kink, where the function has no
// derivative; those are counted and must be rare.
func checkGradient(t *testing.T, name string, x, grad []float64, f func() float64, rtol float64) {
	t.Helper()
	kinks := 0
	difference := func(i int, h float64) float64 {
		keep := x[i]
		x[i] = keep + h
		up := f()
		x[i] = keep - h
		down := f()
		x[i] = keep
		return (up - down) / (2 * h)
	}
	for i := range x {
		d, d2 := difference(i, 1e-5), difference(i, 3e-6)
		if math.Abs(d-d2) > rtol*(1e-2+math.Abs(d)) {
			kinks++
			continue
		}
		if math.Abs(d-grad[i]) > rtol*(1e-2+math.Abs(d)) {
			t.Errorf("%s[%d]: gradient %.9g, finite difference %.9g", name, i, grad[i], d)
		}
	}
	if kinks > len(x)/5 {
		t.Errorf("%s: %d of %d components at kinks", name, kinks, len(x))
	}
}

// input makes a bound float64 vector node.
func input(g *gorgonia.ExprGraph, name string, x []float64) *gorgonia.Node {
	return gorgonia.NewVector(g, tensor.Float64, gorgonia.WithName(name), gorgonia.WithShape(len(x)),
		gorgonia.WithValue(tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x))))
}

// TestGradients checks V and M on gorgonia against finite differences for w, g
// and y, each slot weighed differently.
func TestGradients(t *testing.T) {
	const slots, rho = 3, 0.7
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		f := randomValue(t, rng, slots)
		tm := f.Template()
		w := uniform(rng, tm.Rules, 0.2, 1.2)
		g := uniform(rng, slots*tm.Deep, 0.05, 0.95)
		y := uniform(rng, slots*tm.Targets, 0, 1)
		coef := uniform(rng, slots, -1, 2)
		for _, moreau := range []bool{false, true} {
			graph := gorgonia.NewGraph()
			wn, gn, yn := input(graph, "w", w), input(graph, "g", g), input(graph, "y", y)
			value, err := f.Value(wn, gn)
			wrt := gorgonia.Nodes{wn, gn}
			if moreau {
				r := gorgonia.NewScalar(graph, tensor.Float64, gorgonia.WithName("rho"), gorgonia.WithValue(rho))
				value, err = f.Moreau(wn, gn, yn, r)
				wrt = append(wrt, yn)
			}
			require.NoError(t, err)
			loss := gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.HadamardProd(value, input(graph, "coef", coef)))))
			grads, err := gorgonia.Grad(loss, wrt...)
			require.NoError(t, err)
			vm := gorgonia.NewTapeMachine(graph)
			require.NoError(t, vm.RunAll())
			eval := func() float64 {
				var err error
				if moreau {
					err = f.SolveMoreau(w, g, y, rho)
				} else {
					err = f.Solve(w, g)
				}
				require.NoError(t, err)
				sum := 0.0
				for i, v := range f.Values() {
					sum += coef[i] * v
				}
				return sum
			}
			if got, want := loss.Value().Data().(float64), eval(); math.Abs(got-want) > 1e-12 {
				t.Errorf("seed %d: loss node %v, direct evaluation %v", seed, got, want)
			}
			// Copy before finite differences overwrite what the op keeps.
			var kept [][]float64
			for _, n := range grads {
				kept = append(kept, append([]float64(nil), n.Value().Data().([]float64)...))
			}
			checkGradient(t, "w", w, kept[0], eval, 1e-4)
			checkGradient(t, "g", g, kept[1], eval, 1e-4)
			if moreau {
				checkGradient(t, "y", y, kept[2], eval, 1e-4)
			}
			require.NoError(t, vm.Close())
		}
	}
}
