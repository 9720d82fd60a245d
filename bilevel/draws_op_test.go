package bilevel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"hinge/symbolic/lcqp"
)

// TestDraws: the value of a sample is the mean over its draws, which share its
// point; the gradients are those of the mean; outputs beyond the slots are not
// read and have no gradient.
func TestDraws(t *testing.T) {
	const samples, draws, extra, rho = 2, 3, 5, 0.6
	rng := rand.New(rand.NewPCG(1, 61))
	template, err := lcqp.Compile(randomProgram(rng, 6, 4, 4, 14))
	require.NoError(t, err)
	opt := Options{Epsilon: 0.05, Solver: tight}
	single, err := New(template, 1, opt)
	require.NoError(t, err)
	opt.Draws, opt.Prefix = draws, true
	f, err := New(template, samples*draws, opt)
	require.NoError(t, err)
	if f.Samples() != samples || f.Slots() != samples*draws {
		t.Fatalf("%d samples, %d slots", f.Samples(), f.Slots())
	}
	deep, n := template.Deep, template.Targets
	w := uniform(rng, template.Rules, 0.2, 1)
	g := uniform(rng, samples*draws*deep+extra, 0, 1)
	y := uniform(rng, samples*n, 0, 1)
	coef := []float64{0.7, -1.3}
	graph := gorgonia.NewGraph()
	wn, gn, yn := leaf(graph, "w", w), leaf(graph, "g", g), leaf(graph, "y", y)
	r := gorgonia.NewScalar(graph, tensor.Float64, gorgonia.WithName("rho"), gorgonia.WithValue(rho))
	m, err := f.Moreau(wn, gn, yn, r)
	require.NoError(t, err)
	loss := gorgonia.Must(gorgonia.Sum(gorgonia.Must(gorgonia.HadamardProd(m, leaf(graph, "coef", coef)))))
	grads, err := gorgonia.Grad(loss, wn, gn, yn)
	require.NoError(t, err)
	vm := gorgonia.NewTapeMachine(graph)
	defer vm.Close()
	require.NoError(t, vm.RunAll())
	dw, dg, dy := make([]float64, template.Rules), make([]float64, len(g)), make([]float64, len(y))
	for i := range samples {
		mean := 0.0
		for k := range draws {
			slot := k*samples + i
			require.NoError(t, single.SolveMoreau(w, g[slot*deep:(slot+1)*deep], y[i*n:(i+1)*n], rho))
			mean += single.Values()[0] / draws
			for j, v := range single.phi {
				dw[j] += coef[i] / draws * v
			}
			for j, v := range single.dg {
				dg[slot*deep+j] = coef[i] / draws * v
			}
			for j, v := range single.dy {
				dy[i*n+j] += coef[i] / draws * v
			}
		}
		if math.Abs(f.Values()[i]-mean) > 1e-9 {
			t.Errorf("sample %d: %v, mean of the draws %v", i, f.Values()[i], mean)
		}
	}
	for name, pair := range map[string][2][]float64{
		"w": {copied(grads[0]), dw}, "g": {copied(grads[1]), dg}, "y": {copied(grads[2]), dy},
	} {
		for j := range pair[1] {
			if math.Abs(pair[0][j]-pair[1][j]) > 1e-6 {
				t.Errorf("d%s[%d] is %v, want %v", name, j, pair[0][j], pair[1][j])
			}
		}
	}
	if slices.ContainsFunc(copied(grads[1])[samples*draws*deep:], func(v float64) bool { return v != 0 }) {
		t.Error("outputs beyond the slots have a gradient")
	}
	// Without Prefix, and with slots that are no multiple of the draws, it is a
	// mistake.
	opt.Prefix = false
	f, err = New(template, samples*draws, opt)
	require.NoError(t, err)
	assert.Error(t, f.Solve(w, g), "more outputs than slots accepted without Prefix")
	_, err = New(template, samples*draws+1, opt)
	assert.Error(t, err, "7 slots of 3 draws accepted")
}
