package bilevel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"hinge/symbolic/lcqp"
)

// conditionalCase is the loss conditional over samples of a random program of four outputs, y0 to y2 fixed by the sample.
type conditionalCase struct {
	o        *Objective
	w, g     []float64
	samples  int
	graph    *lossGraph
	template *lcqp.Template
}

func newConditionalCase(t *testing.T, rng *rand.Rand, rows []int, samples, draws int, temperature float64, as Reduction) *conditionalCase {
	t.Helper()
	template, err := lcqp.Compile(randomProgram(rng, 6, 4, 4, 12))
	require.NoError(t, err)
	c := &conditionalCase{template: template, samples: samples, w: uniform(rng, 4, 0.2, 1.2), g: make([]float64, (1+draws)*samples*4)}
	copy(c.g, uniform(rng, samples*4, 0.05, 0.95))
	for at := samples * 4; at < len(c.g); {
		for _, classes := range rows {
			c.g[at+rng.IntN(classes)] = 1
			at += classes
		}
	}
	c.o, err = NewObjective(Problem{
		Template: template, Samples: samples, Rows: eachRows(rows),
		Label: func(sample int, in *lcqp.Instance) error { return in.FixOneHot([]int{0, 1, 2}, sample%3) },
	}, Settings{Loss: LossConditional, Draws: draws, Reduction: as, Value: Options{Solver: tight, DrawTemperature: temperature}})
	require.NoError(t, err)
	c.graph = newLossGraph(t, c.o, c.w, c.g)
	return c
}

// run evaluates the loss and its gradients.
func (c *conditionalCase) run(t *testing.T) (loss float64, dw, dg []float64) {
	t.Helper()
	loss, dw, dg = c.graph.run(t, upTo(c.samples))
	_, err := c.o.Step(c.w, nil)
	require.NoError(t, err)
	return loss, dw, dg
}

// TestConditionalGradient: by the beliefs and the rule weights, with the draws held fixed.
func TestConditionalGradient(t *testing.T) {
	for seed := range uint64(4) {
		for _, temperature := range []float64{0, 0.3} {
			c := newConditionalCase(t, rand.New(rand.NewPCG(seed, 5)), []int{2, 2}, 3, 2, temperature, Reduction(seed%2))
			_, dw, dg := c.run(t)
			f := func() float64 { v, _, _ := c.run(t); return v }
			checkGradient(t, "w", c.w, dw, f, 1e-4)
			checkGradient(t, "p", c.g[:12], dg[:12], f, 1e-4)
			for _, d := range dg[12:] {
				if d != 0 {
					t.Error("a draw has a derivative")
				}
			}
		}
	}
}

// TestConditionalIsUnbiased: at T = 0 the gradients of all joint draws, by their
// probabilities, add up to that of E_p[V], which enumerates every joint class.
func TestConditionalIsUnbiased(t *testing.T) {
	c := newConditionalCase(t, rand.New(rand.NewPCG(9, 5)), []int{2, 2}, 1, 1, 0, Mean)
	copy(c.g, []float64{0.3, 0.7, 0.9, 0.1})
	p := slices.Clone(c.g[:4])
	var value [2][2]float64
	sum, want := make([]float64, 4), make([]float64, 4)
	for a := range 2 {
		for b := range 2 {
			copy(c.g[4:], []float64{0, 0, 0, 0})
			c.g[4+a], c.g[6+b] = 1, 1
			_, _, dg := c.run(t)
			for j := range sum {
				sum[j] += p[a] * p[2+b] * dg[j]
			}
			value[a][b] = c.o.Latent().slotValues[0] // of the draw itself
		}
	}
	for a := range 2 {
		for b := range 2 {
			want[a] += p[2+b] * value[a][b]
			want[2+b] += p[a] * value[a][b]
		}
	}
	// E_p[V] is linear in each row: its derivatives need no normalisation.
	mustBeNear(t, "the gradient of the expectation", sum, want, 1e-9)
}

// TestConditionalRow: of one row the loss is exact, −T log Σ_c p_c e^(−V_c/T), whatever is
// drawn, and satisfaction is that of the draw.
func TestConditionalRow(t *testing.T) {
	c := newConditionalCase(t, rand.New(rand.NewPCG(11, 5)), []int{4}, 1, 3, 0.2, Mean)
	p := []float64{0.1, 0.2, 0.3, 0.4}
	copy(c.g, p)
	var got, satisfied [4]float64
	for class := range 4 {
		clear(c.g[4:])
		for k := range 3 {
			c.g[4+4*k+class] = 1
		}
		got[class], _, _ = c.run(t)
		out := make([]float64, 4)
		c.o.Satisfaction(out, make([]float64, len(out)))
		satisfied[class] = out[0] + out[1] + out[2] + out[3]
	}
	// Draws of one class: slot 0 has it, the others follow in order.
	sum := 0.0
	l := c.o.loss.(*conditional)
	for j, s := range l.index {
		sum += p[j] * math.Exp(-c.o.Latent().slotValues[s]/0.2)
	}
	want := -0.2 * math.Log(sum)
	for class, v := range got {
		if math.Abs(v-want) > 1e-9 {
			t.Errorf("with class %d drawn the loss is %v, want %v", class, v, want)
		}
	}
	if satisfied[0] == satisfied[1] && satisfied[1] == satisfied[2] {
		t.Errorf("satisfaction %v does not depend on the draw", satisfied)
	}
}

// TestConditionalRefuses: programs whose outputs are not rows, and graphs of other outputs.
func TestConditionalRefuses(t *testing.T) {
	template, err := lcqp.Compile(randomProgram(rand.New(rand.NewPCG(1, 5)), 6, 4, 4, 12))
	require.NoError(t, err)
	p := Problem{Template: template, Samples: 1, Rows: eachRows([]int{2, 3}), Label: func(int, *lcqp.Instance) error { return nil }}
	_, err = NewObjective(p, Settings{Loss: LossConditional})
	assert.ErrorContains(t, err, "Problem.Rows", "rows of 5 classes for 4 outputs")
	p.Rows = eachRows([]int{2, 2})
	o, err := NewObjective(p, Settings{Loss: LossConditional})
	require.NoError(t, err)
	graph := gorgonia.NewGraph()
	_, err = o.Loss(leaf(graph, "w", make([]float64, 4)), leaf(graph, "g", make([]float64, 4)))
	assert.ErrorContains(t, err, "want 8", "beliefs without draws")
}
