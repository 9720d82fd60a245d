package train

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/train/config"
	"hinge/train/exit"
	"hinge/train/learning"
)

// quadratic is a toy whose loss is w0·((a − 2)² + (b + 1)²) + w1·rest, with the gradient that
// calculus gives, times by.
type quadratic struct {
	*toy
	rest, by float64
}

func (m *quadratic) Gradient(_ learning.Step, _ []int) (learning.Work, error) {
	a, b := float64(m.value[0])-2, float64(m.value[2])+1
	m.grad[0], m.grad[1], m.grad[2] = float32(2*m.by*m.w[0]*a), 0, float32(2*m.by*m.w[0]*b)
	m.dw[0], m.dw[1] = a*a+b*b, m.rest
	m.buffer[0]++ // a pass may change buffers and the state of the loss
	m.warm[0]++
	return learning.Work{Loss: m.w[0]*(a*a+b*b) + m.w[1]*m.rest + 1e-9*float64(m.buffer[0])}, nil
}

// bent is 1 + x, where x is how far the first number has gone from 0.1, which counts by half beyond a
// small distance either way, as where many units of a network switch off.
type bent struct {
	*toy
	by float64
}

func (m *bent) Gradient(_ learning.Step, _ []int) (learning.Work, error) {
	const reach = 4e-5
	x := float64(m.value[0]) - float64(float32(0.1))
	m.grad[0], m.grad[1], m.grad[2] = float32(m.by), 0, 0
	inside := min(max(x, -reach), reach)
	return learning.Work{Loss: 1 + inside + (x-inside)/2}, nil
}

// TestTrialOfBends: steps become small enough for a loss that bends, and a gradient that is off by a tenth is
// still found.
func TestTrialOfBends(t *testing.T) {
	for by, right := range map[float64]bool{1: true, 1.1: false, 0.9: false} {
		text, err := tried(&bent{newToy(1), by}, 0.1, true)
		if err != nil {
			text += err.Error()
		}
		assert.Equal(t, !right, strings.Contains(text, "p along its gradient"), "%v: %s", by, text)
	}
}

// tried runs Trial on a model with a learning rate and returns its lines.
func tried(m learning.Model, rate float64, freeze bool) (string, error) {
	c := toyConfig()
	c.Neural.LearningRate, c.Symbolic.FreezeRules = rate, freeze
	var lines []string
	err := Trial(context.Background(), ForTrial(c), m, func(line string) { lines = append(lines, line) })
	return strings.Join(lines, "\n"), err
}

// TestTrial: a loss with the gradient of calculus passes and is learned. What is wrong by
// construction is named: a gradient of twice its size, one of rule weights, a loss that does not
// depend on the network, a learning rate that is too small, one that only rule weights learn with, and a floor that nothing learns.
func TestTrial(t *testing.T) {
	text, err := tried(&quadratic{newToy(1), 0, 1}, 0.1, true)
	require.NoError(t, err)
	assert.Contains(t, text, "18 training examples, 6 in the batch", "two of 20 are empty")
	assert.Contains(t, text, "learned    2 numbers of networks in 1 array,", "the third is in no live range")
	assert.Contains(t, text, "in 1 array; its norm is 2.25") // ½·2·√(1.9² + 1.2²)
	assert.Contains(t, text, "it is learned")

	text, err = tried(&quadratic{newToy(1), 3, 1}, 0.1, false)
	require.NoError(t, err)
	assert.Contains(t, text, "for 2 of 2 weights")

	text, err = tried(&quadratic{newToy(1), 1, 1}, 0.1, true)
	require.NoError(t, err)
	assert.Contains(t, text, "falls from 3.025 to 0.5", "½·(1.9² + 1.2²) + ½·1, of which no network lowers the last")
	assert.Contains(t, text, "What is left")

	for name, c := range map[string]struct {
		m      *quadratic
		rate   float64
		freeze bool
		want   string
	}{
		"twice":       {&quadratic{newToy(1), 0, 2}, 0.1, true, "p along its gradient"},
		"the sign":    {&quadratic{newToy(1), 0, -1}, 0.1, true, "p along its gradient"},
		"no gradient": {&quadratic{newToy(1), 1, 0}, 0.1, true, "no rule connects"},
		"slow":        {&quadratic{newToy(1), 0, 1}, 4e-4, true, "try -set neural.learning-rate=0.004"},
		"weights":     {&quadratic{newToy(1), 0, 1}, 1e-9, false, "also at a tenth and ten times"}, // all weight on a rule that costs nothing
		"floor":       {&quadratic{newToy(1), 1e6, 1}, 0.1, true, "also at a tenth and ten times"},
	} {
		_, err := tried(c.m, c.rate, c.freeze)
		var faults *TrialError
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), c.want) || ExitCode(err) != exit.Unsolved {
			t.Errorf("%s: %v, want a TrialError with %q", name, err, c.want)
		}
	}
	wrong := &wrongRules{quadratic{newToy(1), 3, 1}}
	_, err = tried(wrong, 0.1, false)
	assert.ErrorContains(t, err, "the gradient by the weight of rule")

	c := ForTrial(toyConfig())
	c.Training.Batch = 21
	assert.ErrorAs(t, Trial(context.Background(), c, newToy(1), func(string) {}), new(*config.UsageError))
	broken := newToy(1)
	broken.failAt, broken.fail = 0, errors.New("no data")
	_, err = tried(broken, 0.1, true)
	assert.ErrorIs(t, err, broken.fail)
}

// wrongRules exchanges the derivatives for the two rule weights.
type wrongRules struct{ quadratic }

func (m *wrongRules) Gradient(s learning.Step, batch []int) (learning.Work, error) {
	work, err := m.quadratic.Gradient(s, batch)
	m.dw[0], m.dw[1] = m.dw[1], m.dw[0]
	return work, err
}

// TestTrialBegins: the first temperature is that of a run, where 0 stands for 1.
func TestTrialBegins(t *testing.T) {
	for start, want := range map[float64]float64{0: 1, 0.3: 0.5, 2: 2} {
		c, m := toyConfig(), &warmth{toy: newToy(1)}
		c.Neural.TemperatureStart, c.Neural.TemperatureMin, c.Symbolic.FreezeRules = start, 0.5, true
		_ = Trial(context.Background(), ForTrial(c), m, func(string) {}) // the toy is not learned
		assert.Equal(t, want, m.first, "temperature-start = %v", start)
	}
}

// warmth is a toy that keeps the temperature of the first step.
type warmth struct {
	*toy
	first float64
}

func (m *warmth) Gradient(s learning.Step, batch []int) (learning.Work, error) {
	m.first = cmp.Or(m.first, s.Temperature)
	return m.toy.Gradient(s, batch)
}
