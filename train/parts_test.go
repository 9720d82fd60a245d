package train

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/train/learning"
)

// judged is a toy whose parts have accuracies and sizes of their own. It keeps what
// it was judged on and with which weights, and the weights that every step left.
type judged struct {
	*toy
	valid []float64 // accuracies of the validations between steps
	parts []learning.Part
	seen  []weights // at parts
	left  []weights // by the steps but the last
}

type weights struct {
	value, buffer []float32
	w             []float64
}

func (m *judged) now() weights {
	return weights{slices.Clone(m.value), slices.Clone(m.buffer), slices.Clone(m.w)}
}

func (a weights) equal(b weights) bool {
	return slices.Equal(a.value, b.value) && slices.Equal(a.buffer, b.buffer) && slices.Equal(a.w, b.w)
}

func (m *judged) Gradient(step learning.Step, examples []int) (learning.Work, error) {
	if step.Number > 0 {
		m.left = append(m.left, m.now())
	}
	return m.toy.Gradient(step, examples)
}

// judgement has the scores of the parts.
var judgement = map[learning.Part]learning.Score{
	learning.ValidPart: {Accuracy: 0.7, Examples: 10}, learning.FinalValidPart: {Accuracy: 0.71, Examples: 10},
	learning.TestPart: {Accuracy: 0.72, Examples: 20, Parts: new(0.125)}, learning.MoreTestPart: {Accuracy: 0, Examples: 40},
	learning.MoreValidPart: {Accuracy: 0.74, Examples: 40}, learning.FreshTestPart: {Accuracy: 0.75, Examples: 60, Parts: new(0.0)},
}

func (m *judged) Evaluate(_ context.Context, part learning.Part) (learning.Score, error) {
	s := judgement[part]
	if part == learning.ValidPart && len(m.seen) < len(m.valid) {
		s.Accuracy = m.valid[len(m.seen)]
	}
	m.parts, m.seen = append(m.parts, part), append(m.seen, m.now())
	return s, nil
}

// TestTestedWeights: validations judge the moving average of the weights, rule
// weights as they are, and the test judges those of the best validation, also after
// an interruption and when the folder is judged again.
func TestTestedWeights(t *testing.T) {
	for _, stop := range []int{0, 17} {
		cfg, dir := toyConfig(), t.TempDir()
		accuracies := []float64{0.1, 0.4, 0.3, 0.2, 0.1, 0.1}
		first := newToy(1)
		start := weights{slices.Clone(first.value), slices.Clone(first.buffer), nil}
		m := &judged{toy: first, valid: accuracies}
		if stop == 0 {
			ran(t, cfg, m, Options{Dir: dir})
		} else {
			ranUntil(t, stop, cfg, m, first, Options{Dir: dir})
			second := &judged{toy: newToy(1), valid: accuracies[stop/5:]}
			ran(t, cfg, second, Options{Dir: dir, Resume: true})
			second.seen = append(m.seen, second.seen...)
			// The first step of the second sitting finds what the last of the first left.
			second.left = append(m.left, second.left...)
			m = second
		}
		if len(m.left) != 29 || len(m.seen) != 7 {
			t.Fatalf("%d steps, judged %d times", len(m.left), len(m.seen))
		}
		// Package optim's documentation of the average.
		a, k := start, 0
		for n, left := range m.left {
			d := min(cfg.Neural.Average, (1+float64(n))/(10+float64(n)))
			for _, x := range [][2][]float32{{a.value, left.value}, {a.buffer, left.buffer}} {
				for i := range x[0] {
					x[0][i] = float32(d*float64(x[0][i]) + (1-d)*float64(x[1][i]))
				}
			}
			if n%5 != 4 {
				continue
			}
			seen := m.seen[k]
			k++
			for i, v := range slices.Concat(seen.value, seen.buffer) {
				if want := slices.Concat(a.value, a.buffer)[i]; math.Abs(float64(v-want)) > 1e-4*math.Abs(float64(want)) {
					t.Errorf("stop %d, step %d: entry %d is judged at %v, its average is %v", stop, n+1, i, v, want)
				}
			}
			if !slices.Equal(seen.w, left.w) || slices.Equal(seen.value, left.value) {
				t.Errorf("stop %d, step %d: rule weights judged at %v, are %v", stop, n+1, seen.w, left.w)
			}
		}
		if best := m.seen[1]; !m.seen[6].equal(best) || m.seen[6].equal(m.seen[5]) {
			t.Errorf("stop %d: tested %+v, best on validation %+v", stop, m.seen[6], best)
		}
		again := &judged{toy: newToy(1)}
		_, err := Evaluate(context.Background(), cfg, again, Options{Dir: dir})
		require.NoError(t, err)
		for _, seen := range again.seen {
			if !seen.equal(m.seen[1]) {
				t.Errorf("stop %d: judged again at %+v, best on validation %+v", stop, seen, m.seen[1])
			}
		}
	}
}
