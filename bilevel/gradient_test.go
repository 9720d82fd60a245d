package bilevel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// difference returns the central difference of f in x, with a step of h to either side.
func difference(x *float64, h float64, f func() float64) float64 {
	keep := *x
	*x = keep + h
	up := f()
	*x = keep - h
	down := f()
	*x = keep
	return (up - down) / (2 * h)
}

// checkGradient compares grad with central differences of f at x. A component
// where two step sizes disagree sits at a kink, where the function has no
// derivative; those are counted and must be rare.
func checkGradient(t *testing.T, name string, x, grad []float64, f func() float64, rtol float64) {
	t.Helper()
	grad = slices.Clone(grad)
	kinks := 0
	for i := range x {
		d, d2 := difference(&x[i], 1e-5, f), difference(&x[i], 3e-6, f)
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

// TestGradients checks V and M on gorgonia against finite differences for w, g
// and y, each slot weighed differently.
func TestGradients(t *testing.T) {
	const slots, rho = 3, 0.7
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		f := randomValue(t, rng, slots)
		tm := f.template
		w := uniform(rng, tm.Rules, 0.2, 1.2)
		g := uniform(rng, slots*tm.Deep, 0.05, 0.95)
		y := uniform(rng, slots*tm.Targets, 0, 1)
		coef := uniform(rng, slots, -1, 2)
		for _, moreau := range []bool{false, true} {
			graph := gorgonia.NewGraph()
			wn, gn, yn := leaf(graph, "w", w), leaf(graph, "g", g), leaf(graph, "y", y)
			value, err := f.Value(wn, gn)
			wrt := gorgonia.Nodes{wn, gn}
			if moreau {
				r := gorgonia.NewScalar(graph, tensor.Float64, gorgonia.WithName("rho"), gorgonia.WithValue(rho))
				value, err = f.Moreau(wn, gn, yn, r)
				wrt = append(wrt, yn)
			}
			require.NoError(t, err)
			loss := gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.HadamardProd(value, leaf(graph, "coef", coef)))))
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
				kept = append(kept, copied(n))
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
