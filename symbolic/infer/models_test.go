package infer

import (
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp"
	"hinge/symbolic/lcqp/lcqptest"
)

// additions returns n instances of one template with random soft outputs.
func additions(t testing.TB, make func(float64) *lcqptest.Addition, n int, margin float64, label bool) []*lcqp.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	a := make(1e-3)
	ins := []*lcqp.Instance{}
	for range n {
		in, err := a.Template.NewInstance(1e-3)
		if err != nil {
			t.Fatal(err)
		}
		images := a.Deep / 10
		g, digits := lcqptest.Softmax(rng, images, 10, margin)
		if err := in.SetDeep(g); err != nil {
			t.Fatal(err)
		}
		if label {
			z := digits[0] + digits[1]
			if images == 4 {
				z = 10*(digits[0]+digits[2]) + digits[1] + digits[3]
			}
			a.Instance = in
			a.Label(z)
		}
		ins = append(ins, in)
	}
	return ins
}

func results(n int) []*Result {
	r := make([]*Result, n)
	for i := range r {
		r[i] = new(Result)
	}
	return r
}

func TestAdditions(t *testing.T) {
	for _, c := range []struct {
		name  string
		make  func(float64) *lcqptest.Addition
		n     int
		label bool
	}{
		{"add1", lcqptest.Add1, 40, false}, {"add1 latent", lcqptest.Add1, 40, true},
		{"add2", lcqptest.Add2, 20, false}, {"add2 latent", lcqptest.Add2, 40, true},
	} {
		for _, margin := range []float64{0, 3, 12} {
			t.Run(c.name, func(t *testing.T) {
				ins := additions(t, c.make, c.n, margin, c.label)
				res := results(len(ins))
				if err := SolveAll(ins, nil, Settings{}, res); err != nil {
					t.Fatal(err)
				}
				var total Stats
				for i, r := range res {
					total.add(&r.Stats)
					if r.Status != Solved {
						t.Errorf("%d: %v, gap %g, violation %g", i, r.Status, r.TotalGap, r.MaxViolation)
					}
					if x := lcqp.Residuals(ins[i], &r.Solution); x.Max() > 1e-6 {
						t.Errorf("%d: %+v", i, x)
					}
				}
				t.Logf("margin %v: %v %+v", margin, res[0].Runtime, total)
			})
		}
	}
}

func TestCitation(t *testing.T) {
	for _, eps := range []float64{1, 1e-1, 1e-3} {
		in := lcqptest.Citation(rand.New(rand.NewPCG(5, 6)), 2700, 7, 2, 0.1, eps)
		var res Result
		if err := Solve(in, nil, Settings{}, &res); err != nil {
			t.Fatal(err)
		}
		t.Logf("%v P %v D %v viol %g %v %+v", res.Status, res.PrimalValue, res.DualValue, res.MaxViolation, res.Runtime, res.Stats)
		if res.Status != Solved {
			t.Error(res.Status)
		}
		if x := lcqp.Residuals(in, &res.Solution); x.Max() > 1e-6 {
			t.Errorf("%+v", x)
		}
	}
}
