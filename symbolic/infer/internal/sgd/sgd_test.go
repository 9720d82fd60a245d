package sgd

import (
	"math"
	"testing"

	"hinge/symbolic/infer/internal/infertest"
	"hinge/symbolic/infer/internal/problemtest"
)

// Two passes over 3·max(0, 0.9 − y)² from y = 0.8, by hand: the slope is −6(0.9 − y).
func TestSteps(t *testing.T) {
	const beta1, beta2 = 0.9, 0.999
	slope := func(y float64) float64 { return -6 * max(0, 0.9-y) }
	plain := func(y, rate float64) float64 { return y - rate*slope(y) }
	y1 := plain(0.8, 0.1)
	d1 := slope(0.8)
	ada1 := 0.8 - 0.1*d1/math.Sqrt(d1*d1+1e-8)
	adaD := slope(ada1)
	adam1 := 0.8 - 0.1*d1/(math.Abs(d1)+1e-8)
	adamD := slope(adam1)
	m := (beta1*(1-beta1)*d1 + (1-beta1)*adamD) / (1 - beta1*beta1)
	v := (beta2*(1-beta2)*d1*d1 + (1-beta2)*adamD*adamD) / (1 - beta2*beta2)
	for _, c := range []struct {
		m    SGD
		want [2]float64
	}{
		{SGD{Rate: 0.1}, [2]float64{y1, plain(y1, 0.05)}},
		{SGD{Rate: 0.1, Decay: 2}, [2]float64{y1, plain(y1, 0.025)}},
		{SGD{Rate: 0.1, Constant: true}, [2]float64{y1, plain(y1, 0.1)}},
		{SGD{Rate: 0.1, Constant: true, Extension: AdaGrad}, [2]float64{ada1, ada1 - 0.1*adaD/math.Sqrt(d1*d1+adaD*adaD+1e-8)}},
		{SGD{Rate: 0.1, Constant: true, Extension: Adam}, [2]float64{adam1, adam1 - 0.1*m/(math.Sqrt(v)+1e-8)}},
	} {
		p := problemtest.Raw(infertest.New(1).Square(3, 0.9, -1).Instance(t, 1e-12))
		p.Y[0] = 0.8
		s := c.m.NewSolver().(*solver)
		s.Init(p)
		for pass, want := range c.want {
			s.Iterate(p)
			if got := s.y[0]; math.Abs(got-want) > 1e-9 {
				t.Errorf("%+v: after pass %d at %v, want %v", c.m, pass+1, got, want)
			}
		}
	}
}

// The slope is taken once a potential, or anew for each of its targets.
func TestCoordinate(t *testing.T) {
	for coordinate, want := range map[bool]float64{false: 0.4 - 0.1*2*0.8, true: 0.4 - 0.1*2*(0.8-0.16)} {
		p := problemtest.Raw(infertest.New(2).Square(1, 0, 1, 1).Instance(t, 1e-12))
		p.Y[0], p.Y[1] = 0.4, 0.4
		s := SGD{Rate: 0.1, Coordinate: coordinate}.NewSolver().(*solver)
		s.Init(p)
		s.Iterate(p)
		if first := 0.4 - 0.1*2*0.8; math.Abs(s.y[0]-first) > 1e-9 || math.Abs(s.y[1]-want) > 1e-9 {
			t.Errorf("coordinate %v: %v, want [%v %v]", coordinate, s.y, first, want)
		}
	}
}

// The point handed out is the best one after a pass, never a later and worse one, and
// after a pass the hard rows hold.
func TestBest(t *testing.T) {
	p := problemtest.Raw(infertest.Grid(t, 5, 0.01))
	s := SGD{}.NewSolver().(*solver)
	s.Init(p)
	least := math.Inf(1)
	for range 100 {
		s.Iterate(p)
		copy(p.Y, s.y)
		clear(p.Dual)
		v := p.Evaluate(make([]float64, p.Targets))
		if v.Violation > 1e-9 {
			t.Fatalf("a hard row is broken by %v after a pass", v.Violation)
		}
		least = min(least, v.Primal)
		s.Point(p)
		if v := p.Evaluate(make([]float64, p.Targets)); v.Primal > least+1e-12 {
			t.Fatalf("%v handed out, %v was seen", v.Primal, least)
		}
	}
}

// The norms of a gradient of which the box holds a part.
func TestNorm(t *testing.T) {
	p := problemtest.Raw(infertest.New(4).Square(1, 0, 1, 1, 1, 1).Instance(t, 1e-12))
	for norm, want := range map[float64]float64{0: 4, 1: 7, 2: 5} {
		s := SGD{Norm: norm}.NewSolver().(*solver)
		s.Init(p)
		copy(s.y, []float64{0, 1, 0.5, 0.5})
		copy(s.gradient, []float64{9, -9, -3, 4})
		if got := s.norm(p); math.Abs(got-want) > 1e-12 {
			t.Errorf("norm %v is %v, want %v", norm, got, want)
		}
	}
}
