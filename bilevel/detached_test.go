package bilevel

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"hinge/symbolic/lcqp"
)

// TestDetached differentiates the loss by the rule weights and by the outputs, and
// compares with finite differences.
func TestDetached(t *testing.T) {
	for _, loss := range []LossName{LossEnergy, LossSP, LossMSE} {
		rng := rand.New(rand.NewPCG(6, 31))
		template, err := lcqp.Compile(randomProgram(rng, 6, 4, 4, 14))
		if err != nil {
			t.Fatal(err)
		}
		o, err := NewObjective(Problem{Template: template, Samples: rigSamples, Label: labelled},
			Settings{Loss: loss, Lagrangian: Lagrangian{ProxWeight: 1, EnergyCoefficient: 0.5}, Value: Options{Epsilon: 0.05, Solver: tight}})
		if err != nil {
			t.Fatal(err)
		}
		w, g := uniform(rng, template.Rules, 0.2, 1), uniform(rng, rigSamples*template.Deep, 0.1, 0.9)
		d, err := Detach(o, w)
		if err != nil {
			t.Fatal(err)
		}
		r := rig{o: o}
		r.place(rng)
		run := func() float64 {
			if err := o.Load([]int{0, 1, 2, 3}); err != nil {
				t.Fatal(err)
			}
			if err := d.Run(g); err != nil {
				t.Fatal(err)
			}
			return d.Loss()
		}
		run()
		for _, part := range []struct {
			name     string
			at, want []float64
		}{{"w", w, d.WeightGradient()}, {"g", g, d.OutputGradient()}} {
			want := append([]float64(nil), part.want...)
			const h = 1e-5
			for i, old := range part.at {
				part.at[i] = old + h
				up := run()
				part.at[i] = old - h
				down := run()
				part.at[i] = old
				if q := (up - down) / (2 * h); math.Abs(q-want[i]) > 1e-5*(1+math.Abs(q)) {
					t.Errorf("%s: %s %d: gradient %v, difference quotient %v", loss, part.name, i, want[i], q)
				}
			}
		}
		if err := d.Run(g[1:]); err == nil {
			t.Errorf("%s: ran with too few outputs", loss)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if err := d.Run(g); err == nil {
			t.Errorf("%s: ran after Close", loss)
		}
	}
}

// Runs one after the other leave other goroutines their turn, on one processor too.
func TestDetachedTakesTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rng := rand.New(rand.NewPCG(6, 32))
	template, err := lcqp.Compile(randomProgram(rng, 6, 4, 4, 14))
	if err != nil {
		t.Fatal(err)
	}
	o, err := NewObjective(Problem{Template: template, Samples: rigSamples, Label: labelled}, Settings{Loss: LossSP})
	if err != nil {
		t.Fatal(err)
	}
	g := uniform(rng, rigSamples*template.Deep, 0.1, 0.9)
	d, err := Detach(o, uniform(rng, template.Rules, 0.2, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := o.Load([]int{0, 1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	var turns atomic.Int32
	for range 3 { // the last of them would be the next to run in any case
		go turns.Add(1)
	}
	for range 20 {
		if err := d.Run(g); err != nil {
			t.Fatal(err)
		}
	}
	if n := turns.Load(); n != 3 {
		t.Errorf("%d of 3 goroutines had a turn in 20 runs", n)
	}
}
