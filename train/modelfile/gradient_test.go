package modelfile

import (
	"math"
	"math/rand/v2"
	"testing"

	"hinge/bilevel"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/model"
)

// TestGradient checks the whole chain in float64 by finite differences: the loss of
// the rules and of the labels over Bᵀμ* and the outputs to every parameter of every
// network, and to the rule weights.
func TestGradient(t *testing.T) {
	file := write(t, tiny, tinyFiles)
	p, err := loadPart(file, model.Learn)
	if err != nil {
		t.Fatal(err)
	}
	for _, loss := range []bilevel.LossName{bilevel.LossEnergy, bilevel.LossSP, bilevel.LossMSE, bilevel.LossBCE} {
		networks, err := newNetworks[float64](p.Model, 3, "")
		if err != nil {
			t.Fatal(err)
		}
		if len(networks) != 2 || len(networks[0].heads) != 2 || networks[0].width != 4 || networks[1].width != 1 {
			t.Fatalf("%d networks, the first with heads %+v", len(networks), networks[0].heads)
		}
		var views []*view[float64]
		for _, n := range networks {
			v, err := n.see(p.Model)
			if err != nil {
				t.Fatal(err)
			}
			views = append(views, v)
		}
		o, err := bilevel.NewObjective(bilevel.Problem{
			Template: p.template, Samples: 1, Label: func(_ int, in *lcqp.Instance) error { return p.fix(in) },
		}, bilevel.Settings{Loss: loss, Lagrangian: bilevel.Lagrangian{ProxWeight: 1, EnergyCoefficient: 0.5},
			Value: bilevel.Options{Epsilon: 0.05, Solver: infer.Settings{GapTolerance: 1e-13}}})
		if err != nil {
			t.Fatal(err)
		}
		w, err := p.simplex()
		if err != nil {
			t.Fatal(err)
		}
		d, err := bilevel.Detach(o, w)
		if err != nil {
			t.Fatal(err)
		}
		deep := p.Data.DeepAtoms()
		var j *joint[float64]
		j, err = newJoint(views, deep, func() ([]float64, error) {
			err := d.Run(j.g)
			return d.OutputGradient(), err
		})
		if err != nil {
			t.Fatal(err)
		}
		j.labelled = 0.7
		rng := rand.New(rand.NewPCG(1, 9))
		g := make([]float64, deep)
		for i := range g {
			g[i] = rng.Float64()
		}
		// A relaxation from elsewhere makes the constraints of the bilevel losses bite.
		if err := o.Start(w, [][]int{{0}}, func([]int) ([]float64, error) { return g, nil }); err != nil {
			t.Fatal(err)
		}
		run := func() float64 {
			if err := o.Load([]int{0}); err != nil {
				t.Fatal(err)
			}
			if err := j.run(); err != nil {
				t.Fatal(err)
			}
			return d.Loss() + j.labelled*j.labelLoss()
		}
		run()
		total := 0.0
		check := func(name string, at, want []float64) {
			t.Helper()
			want = append([]float64(nil), want...)
			for i, old := range at {
				const h = 1e-5
				at[i] = old + h
				up := run()
				at[i] = old - h
				down := run()
				at[i] = old
				q := (up - down) / (2 * h)
				total += math.Abs(q)
				if math.Abs(q-want[i]) > 1e-5*(1+math.Abs(q)) {
					t.Errorf("%s: %s %d: gradient %v, difference quotient %v", loss, name, i, want[i], q)
				}
			}
		}
		check("w", w, d.WeightGradient())
		for _, n := range networks {
			for _, param := range n.net.Params().All() {
				before := total
				check(n.name+"."+param.Name, param.Value, param.Grad)
				if total == before {
					t.Errorf("%s: %s.%s has no influence", loss, n.name, param.Name)
				}
			}
		}
	}
}

// TestOutputs: what logits become, by hand.
func TestOutputs(t *testing.T) {
	file := write(t, tiny, tinyFiles)
	p, err := loadPart(file, model.Learn)
	if err != nil {
		t.Fatal(err)
	}
	networks, err := newNetworks[float64](p.Model, 3, "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := networks[0].see(p.Model)
	if err != nil {
		t.Fatal(err)
	}
	if v.count != 3 || v.x[0] != 0.5 || v.x[5] != 1 {
		t.Fatalf("%d entities with the features %v", v.count, v.x)
	}
	g := make([]float64, p.Data.DeepAtoms())
	v.read([]float64{0, math.Log(3), 0, 100, 1, 1, math.Log(4), -1, -1000, 1000, 2, 0}, g)
	value := func(predicate string, args ...string) float64 {
		i, ok := p.Data.DeepIndex(predicate, args...)
		if !ok {
			t.Fatalf("no %s%v", predicate, args)
		}
		return g[i]
	}
	for _, test := range []struct {
		got, want float64
	}{
		{value("A", "a", "0"), 0.25}, {value("A", "a", "1"), 0.75}, {value("B", "a", "u"), 0.5}, {value("B", "a", "v"), 1},
		{value("A", "b", "1"), 0.5}, {value("B", "b", "u"), 0.8}, {value("A", "c", "1"), 1}, {value("A", "c", "0"), 0},
	} {
		if math.Abs(test.got-test.want) > 1e-15 {
			t.Errorf("an output is %v, want %v", test.got, test.want)
		}
	}
	want := -math.Log(0.25) - 0 - 0.3*math.Log(1/(1+math.E)) - 0.7*math.Log(1/(1+math.Exp(-1))) - math.Log(1/(1+math.Exp(-2)))
	if got := v.labelLoss(); math.Abs(got-want) > 1e-12 {
		t.Errorf("the loss of the labels is %v, by hand %v", got, want)
	}
}
