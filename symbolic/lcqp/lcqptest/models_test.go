package lcqptest

import (
	"math/rand/v2"
	"testing"

	"hinge/symbolic/lcqp"
)

// The sizes are those of the ground programs of the paper's experiments.
func TestAdditionSizes(t *testing.T) {
	for _, c := range []struct {
		a                    *Addition
		targets, rows, deeps int
	}{{Add1(1e-3), 41, 547, 20}, {Add2(1e-3), 233, 3605, 40}} {
		if c.a.Targets != c.targets || c.a.Rows() != c.rows || c.a.Deep != c.deeps {
			t.Errorf("%d targets, %d rows, %d neural outputs, want %d, %d, %d",
				c.a.Targets, c.a.Rows(), c.a.Deep, c.targets, c.rows, c.deeps)
		}
		if n := len(c.a.Components); n != 1 {
			t.Errorf("%d components, want 1", n)
		}
	}
}

// One-hot outputs and the right sum satisfy every rule; a wrong sum does not.
func TestAdditionRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		for _, a := range []*Addition{Add1(1e-3), Add2(1e-3)} {
			g := make([]float64, a.Deep)
			z := 0
			for image := range 2 * a.digits {
				d := rng.IntN(10)
				g[10*image+d] = 1
				if a.digits == 2 && image%2 == 0 {
					d *= 10
				}
				z += d
			}
			must(a.SetDeep(g))
			y := a.point(z, g)
			if e := a.p.Energy(y, g, nil); e != 0 {
				t.Fatalf("energy %v at the right sum %d", e, z)
			}
			if v := a.p.Violation(y, g); v != 0 {
				t.Fatalf("violation %v at the right sum %d", v, z)
			}
			wrong := (z + 1) % (a.Place[0] - a.Sum)
			if e := a.p.Energy(a.point(wrong, g), g, nil); e == 0 {
				t.Fatalf("no energy at sum %d instead of %d", wrong, z)
			}
		}
	}
}

// point returns the one-hot point of sum z with the carries of the outputs.
func (a *Addition) point(z int, g []float64) []float64 {
	a.Label(z)
	y := append([]float64(nil), a.Lower...)
	for i := range a.Carry[0] {
		if i >= a.Sum && i < a.Carry[0] {
			y[i] = a.Lower[i]
		}
	}
	digit := func(image int) int {
		for x := range 10 {
			if g[10*image+x] == 1 {
				return x
			}
		}
		return -1
	}
	if a.digits == 2 {
		y[a.Carry[0]], y[a.Carry[0]+1] = 0, 0
		y[a.Carry[0]+(digit(1)+digit(3))/10] = 1
	}
	last := len(a.Carry) - 1
	for w := range 2 {
		y[a.Carry[last]+w] = y[a.Place[last+1]+w]
	}
	return y
}

func TestSoftmax(t *testing.T) {
	g, hot := Softmax(rand.New(rand.NewPCG(1, 1)), 50, 10, 3)
	for n := range hot {
		sum := 0.0
		for _, v := range g[10*n : 10*n+10] {
			sum += v
		}
		if sum < 1-1e-12 || sum > 1+1e-12 {
			t.Fatalf("sum %v", sum)
		}
	}
}

// The citation model has four rows a link and class and two a node and class,
// and nearly all nodes hang together.
func TestCitationShape(t *testing.T) {
	in := Citation(rand.New(rand.NewPCG(2, 2)), 200, 5, 2, 0, 0.1)
	if in.Targets != 1000 || in.Constraints != 200 || in.Deep != 1000 {
		t.Fatalf("%d targets, %d constraints, %d neural outputs", in.Targets, in.Constraints, in.Deep)
	}
	if links := in.Potentials - 2*1000; links%(4*5) != 0 || links < 300*4*5 {
		t.Errorf("%d rows of links", links)
	}
	if n := len(in.Components[0].Targets); n < 900 {
		t.Errorf("the first component has %d of 1000 targets", n)
	}
}

// A point that satisfies every row of an infeasible instance does not exist;
// at least none of many.
func TestInfeasibleIs(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for seed := range uint64(50) {
		in := Infeasible(rand.New(rand.NewPCG(seed, 1)), Shape{Targets: 6, Rows: 6}, 0.05)
		y := make([]float64, in.Targets)
		for range 200 {
			for i := range y {
				y[i] = min(max(1.4*rng.Float64()-0.2, in.Lower[i]), in.Upper[i])
			}
			worst := 0.0
			for row := range in.Constraints {
				a := in.B[row]
				for j := in.Ptr[row]; j < in.Ptr[row+1]; j++ {
					a += in.Val[j] * y[in.Col[j]]
				}
				if a < 0 && in.Kinds[row] == lcqp.HardEQ {
					a = -a
				}
				worst = max(worst, a)
			}
			if worst < 1e-3 {
				t.Fatalf("seed %d: %v violates the rows by %v only", seed, y, worst)
			}
		}
	}
}
