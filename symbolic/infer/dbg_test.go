package infer

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp/lcqptest"
)

func TestDbg(t *testing.T) {
	for _, seed := range []uint64{23426} {
		k := lcqptest.Random(rand.New(rand.NewPCG(seed, 7)), lcqptest.Shape{Targets: 15, Rows: 25, Separate: seed%3 == 0})
		var pre presolve
		pre.full = true
		pre.tol = 1e-9
		for c := range k.Instance.Components[:1] {
			var p Problem
			if !pre.run(k.Instance, &k.Instance.Components[c], &p) {
				fmt.Println("infeasible")
				continue
			}
			pre.start(&p, nil)
			var x dualBCD
			x.Init(&p)
			g := &x.groups
			for k := range g.len() {
				for _, m := range g.members(k) {
					fmt.Println(k, g.col[g.ptr[k]:g.ptr[k+1]], g.val[g.ptr[k]:g.ptr[k+1]], p.Kind[m.row], m.coef, p.Curv[m.row], p.B[m.row])
				}
			}
			fmt.Println("seed", seed, "comp", c, p.Targets, p.Rows, g.len(), "eps", k.Instance.Epsilon)
			show := func(s string) {
				f := []float64{}
				for k := range x.lambda {
					f = append(f, x.slope(k))
				}
				fmt.Printf("%s F %.3g\n   L %.4g st %v\n   y %.6g %v\n", s, f, x.lambda, x.rowState, x.y, x.state)
			}
			for it := range 10 {
				x.sweep(&p)
				if it > 7 {
					show("after sweep")
				}
				for n := 0; n < 30 && x.newton.try(&x, &p); n++ {
					if it > 7 {
						show("after newton")
						fmt.Printf("W %v d %.3g free %v\n", x.newton.active, x.newton.d, x.newton.free)
					}
				}
						fmt.Printf("failed W %v d %.3g free %v\n", x.newton.active, x.newton.d, x.newton.free)
			}
		}
	}
}
