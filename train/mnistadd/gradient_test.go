package mnistadd

import (
	"math"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/bilevel"
	"hinge/nn"
	"hinge/symbolic/infer"
)

// bound makes a float64 vector node over x.
func bound(g *gorgonia.ExprGraph, name string, x []float64) *gorgonia.Node {
	return gorgonia.NewVector(g, tensor.Float64, gorgonia.WithName(name), gorgonia.WithShape(len(x)),
		gorgonia.WithValue(tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x))))
}

// compare checks grad against central differences of f at some entries of x.
// Where two step sizes disagree the loss has a kink and no derivative; such
// entries must be rare.
func compare(t *testing.T, name string, x, grad []float64, f func() float64, entries int, rng *rand.Rand) {
	t.Helper()
	const rtol, floor = 1e-4, 1e-3
	kinks := 0
	slope := func(i int, h float64) float64 {
		keep := x[i]
		x[i] = keep + h
		up := f()
		x[i] = keep - h
		down := f()
		x[i] = keep
		return (up - down) / (2 * h)
	}
	for range entries {
		i := rng.IntN(len(x))
		d, d2 := slope(i, 1e-5), slope(i, 4e-6)
		if math.Abs(d-d2) > rtol*(floor+math.Abs(d)) {
			kinks++
			continue
		}
		if math.Abs(d-grad[i]) > rtol*(floor+math.Abs(d)) {
			t.Errorf("%s[%d]: gradient %.9g, finite difference %.9g", name, i, grad[i], d)
		}
	}
	if 4*kinks > entries {
		t.Errorf("%s: %d of %d entries at kinks", name, kinks, entries)
	}
}

// TestLossThroughNetwork differentiates the whole losses, network, Gumbel
// samples, symbolic model and all, in float64, and compares with finite
// differences in every parameter array and in w_sy.
func TestLossThroughNetwork(t *testing.T) {
	const additions, samples = 2, 3
	for digits := 1; digits <= 2; digits++ {
		for _, loss := range []string{"energy", "sp"} {
			sym, err := NewSymbolic(digits, "")
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(uint64(digits), 9))
			net, err := nn.New([]int{6}, func(b *nn.Builder[float64], x *gorgonia.Node) *gorgonia.Node {
				h := b.ReLU("hidden", b.Linear("hidden", x, 8))
				return b.GumbelSoftmax("output", b.Linear("logits", h, 10), samples)
			}, rng)
			if err != nil {
				t.Fatal(err)
			}
			n := additions * 2 * digits
			graph, err := net.Graph(n, true)
			if err != nil {
				t.Fatal(err)
			}
			opt := bilevel.Options{Epsilon: 1e-2, Solver: infer.Settings{GapTolerance: 1e-12}}
			latent, err := bilevel.New(sym.Template, samples*additions, opt)
			if err != nil {
				t.Fatal(err)
			}
			full, err := bilevel.New(sym.Template, samples*additions, opt)
			if err != nil {
				t.Fatal(err)
			}
			for slot := range latent.Slots() {
				if err := sym.FixLabels(latent.Instance(slot), 3+7*(slot%additions)); err != nil {
					t.Fatal(err)
				}
			}
			weights := sym.Weights()
			w := bound(graph.ExprGraph(), "w", weights)
			value, err := latent.Value(w, graph.Output)
			if err != nil {
				t.Fatal(err)
			}
			node, err := bilevel.Energy(value)
			if loss == "sp" {
				all, err2 := full.Value(w, graph.Output)
				if err2 != nil {
					t.Fatal(err2)
				}
				node, err = bilevel.StructuredPerceptron(value, all)
			}
			if err != nil {
				t.Fatal(err)
			}
			grads, err := graph.Compile(node, w)
			if err != nil {
				t.Fatal(err)
			}
			x := make([]float64, 6*n)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			run := func() float64 {
				if err := graph.Run(x); err != nil {
					t.Fatal(err)
				}
				return graph.Loss()
			}
			run()
			dw := append([]float64(nil), grads[0].Value().Data().([]float64)...)
			kept := make(map[string][]float64)
			for _, p := range net.Params().Trainable() {
				kept[p.Name] = append([]float64(nil), p.Grad...)
			}
			for _, p := range net.Params().Trainable() {
				compare(t, loss+" "+p.Name, p.Value, kept[p.Name], run, 12, rng)
			}
			compare(t, loss+" w", weights, dw, run, len(weights), rng)
		}
	}
}

// TestMoreauOnTemplate checks M of an addition against finite differences in y
// and, along directions that stay on the simplex, in g.
func TestMoreauOnTemplate(t *testing.T) {
	const rho = 0.5
	sym, err := NewSymbolic(1, "")
	if err != nil {
		t.Fatal(err)
	}
	f, err := bilevel.New(sym.Template, 1, bilevel.Options{Epsilon: 1e-2, Solver: infer.Settings{GapTolerance: 1e-13}})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 4))
		logits := make([]float64, 20)
		for i := range logits {
			logits[i] = rng.NormFloat64()
		}
		y := make([]float64, sym.Template.Targets)
		for i := range y {
			y[i] = rng.Float64()
		}
		graph := gorgonia.NewGraph()
		z := gorgonia.NewMatrix(graph, tensor.Float64, gorgonia.WithName("logits"), gorgonia.WithShape(2, 10),
			gorgonia.WithValue(tensor.New(tensor.WithShape(2, 10), tensor.WithBacking(logits))))
		g := gorgonia.Must(gorgonia.SoftMax(z))
		w, yn := bound(graph, "w", sym.Weights()), bound(graph, "y", y)
		r := gorgonia.NewScalar(graph, tensor.Float64, gorgonia.WithName("rho"), gorgonia.WithValue(rho))
		m, err := f.Moreau(w, g, yn, r)
		if err != nil {
			t.Fatal(err)
		}
		loss := gorgonia.Must(gorgonia.Sum(m))
		grads, err := gorgonia.Grad(loss, z, yn)
		if err != nil {
			t.Fatal(err)
		}
		vm := gorgonia.NewTapeMachine(graph)
		run := func() float64 {
			vm.Reset()
			if err := vm.RunAll(); err != nil {
				t.Fatal(err)
			}
			return loss.Value().Data().(float64)
		}
		run()
		dz := append([]float64(nil), grads[0].Value().Data().([]float64)...)
		dy := append([]float64(nil), grads[1].Value().Data().([]float64)...)
		compare(t, "logits", logits, dz, run, 20, rng)
		compare(t, "y", y, dy, run, 20, rng)
		vm.Close()
	}
}
