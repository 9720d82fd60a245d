package bilevel

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"hinge/symbolic/lcqp"
)

// drawnProblem is a random problem of the property tests below.
type drawnProblem struct {
	f     *ValueFunction
	w, g  []float64
	y1    []float64
	y2    []float64
	share float64
}

func drawProblem(t *rapid.T) *drawnProblem {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 71))
	template, err := lcqp.Compile(randomProgram(rng, 6, 4, 4, 12))
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(template, 1, Options{Epsilon: 0.05, Solver: tight})
	if err != nil {
		t.Fatal(err)
	}
	return &drawnProblem{
		f: f, w: uniform(rng, 4, 0.1, 1), g: uniform(rng, 4, 0, 1),
		y1: uniform(rng, 6, 0, 1), y2: uniform(rng, 6, 0, 1), share: rng.Float64(),
	}
}

func (p *drawnProblem) value(t *rapid.T, w []float64) float64 {
	if err := p.f.Solve(w, p.g); err != nil {
		t.Fatal(err)
	}
	return p.f.Values()[0]
}

func (p *drawnProblem) moreau(t *rapid.T, y []float64, rho float64) (value float64, gradient []float64) {
	if err := p.f.SolveMoreau(p.w, p.g, y, rho); err != nil {
		t.Fatal(err)
	}
	return p.f.Values()[0], append([]float64(nil), p.f.dy...)
}

func mix(a, b []float64, share float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = share*a[i] + (1-share)*b[i]
	}
	return out
}

// The value function is concave in w: a minimum of functions linear in w.
func TestValueIsConcaveInWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		other := uniform(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "other"), 1)), 4, 0.1, 1)
		chord := p.share*p.value(t, p.w) + (1-p.share)*p.value(t, other)
		if v := p.value(t, mix(p.w, other, p.share)); v < chord-1e-9 {
			t.Fatalf("V = %v below the chord %v", v, chord)
		}
	})
}

// The Moreau envelope is convex in y, its gradient is Lipschitz with 1/ρ, and it
// lies between V and V + ‖y − y*‖²/(2ρ), the lower the larger ρ is (Rockafellar).
func TestMoreauEnvelope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		rho := math.Exp(rapid.Float64Range(-3, 3).Draw(t, "log rho"))
		m1, d1 := p.moreau(t, p.y1, rho)
		m2, d2 := p.moreau(t, p.y2, rho)
		m, _ := p.moreau(t, mix(p.y1, p.y2, p.share), rho)
		if chord := p.share*m1 + (1-p.share)*m2; m > chord+1e-9 {
			t.Fatalf("M = %v above the chord %v", m, chord)
		}
		slope, distance := 0.0, 0.0
		for i := range d1 {
			slope += (d1[i] - d2[i]) * (d1[i] - d2[i])
			distance += (p.y1[i] - p.y2[i]) * (p.y1[i] - p.y2[i])
		}
		if math.Sqrt(slope) > math.Sqrt(distance)/rho+1e-6 {
			t.Fatalf("gradients %v apart at points %v apart, ρ = %v", math.Sqrt(slope), math.Sqrt(distance), rho)
		}
		v := p.value(t, p.w)
		best := p.f.Result(0).Y
		bound := v
		for i, y := range p.y1 {
			bound += ProxWeight(rho) * (y - best[i]) * (y - best[i])
		}
		if m1 < v-1e-9 || m1 > bound+1e-9 {
			t.Fatalf("M = %v outside [%v, %v]", m1, v, bound)
		}
		if larger, _ := p.moreau(t, p.y1, 2*rho); larger > m1+1e-9 {
			t.Fatalf("M rose from %v to %v with ρ", m1, larger)
		}
	})
}

// Fixing labels cannot lower the optimal value: the structured-perceptron loss
// is not negative.
func TestLatentValueIsAbove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		v := p.value(t, p.w)
		for _, target := range []int{4, 5} {
			if err := p.f.Instance(0).Fix(target, math.Round(p.share)); err != nil {
				t.Fatal(err)
			}
		}
		if latent := p.value(t, p.w); latent < v-1e-9 {
			t.Fatalf("with labels %v, without %v", latent, v)
		}
	})
}
