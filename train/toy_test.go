package train

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"hinge/bilevel"
	"hinge/optim"
	"hinge/optim/collective"
	"hinge/train/checkpoint"
	"hinge/train/config"
	"hinge/train/half"
	"hinge/train/learning"
	"hinge/train/record"
)

// toy is a small model with everything the loop handles: parameters with a dead
// range, a buffer, rule weights, noise by step and a warm state. It learns
// y = 2a − b with a squared loss.
type toy struct {
	seed       uint64
	value      []float32 // a, dead, b
	grad       []float32
	buffer     []float32
	w, dw      []float64
	warm       []float64
	fail       error // returned by Gradient from step failAt on
	failAt     int
	afterStep  func(step int) // called at the end of Gradient
	accuracies []float64      // scripted; nil: from the loss
	evaluated  int
	figure     string
	stepped    bool
	parts      []learning.Part          // that were evaluated
	searching  func(part learning.Part) // is called before an evaluation that ends with its context
}

func newToy(seed uint64) *toy {
	return &toy{
		seed: seed, value: []float32{0.1, 7, 0.2}, grad: make([]float32, 3), buffer: []float32{0},
		w: []float64{0.5, 0.5}, dw: make([]float64, 2), warm: make([]float64, 4), failAt: 1 << 30,
	}
}

func (m *toy) Examples(part learning.Part) int {
	return map[learning.Part]int{learning.TrainPart: 20, learning.ValidPart: 10, learning.TestPart: 10, learning.MoreTestPart: 30, learning.FreshTestPart: 40}[part]
}
func (m *toy) Empty() int { return 2 } // none is, but that they are told apart is tested
func (m *toy) Params() []optim.Param {
	return []optim.Param{{Name: "p", Value: m.value, Grad: m.grad, Decay: true,
		Live: []optim.Range{{Lo: 0, Hi: 1}, {Lo: 2, Hi: 3}}}}
}
func (m *toy) Buffers() []optim.Param    { return []optim.Param{{Name: "b", Value: m.buffer}} }
func (m *toy) Weights() []float64        { return m.w }
func (m *toy) Learned() []int            { return []int{0, 1}[:len(m.w)] }
func (m *toy) WeightGradient() []float64 { return m.dw }

func (m *toy) Gradient(step learning.Step, examples []int) (learning.Work, error) {
	if step.Number >= m.failAt {
		return learning.Work{}, m.fail
	}
	clear(m.grad)
	m.stepped = true
	noise := rand.New(rand.NewPCG(m.seed, uint64(step.Number)))
	loss := 0.0
	for _, e := range examples {
		x := [2]float32{float32(e) / 20, float32(noise.NormFloat64())}
		r := m.value[0]*x[0] + m.value[2]*x[1] - (2*x[0] - x[1])
		m.grad[0] += r * x[0]
		m.grad[2] += r * x[1]
		loss += float64(r * r)
	}
	m.dw[0], m.dw[1] = loss, 0.1*m.warm[0]
	m.buffer[0] = 0.9*m.buffer[0] + 0.1*float32(loss)
	m.warm[0] += loss
	m.warm[3]++
	if m.afterStep != nil {
		m.afterStep(step.Number)
	}
	return learning.Work{Loss: loss, SolverSeconds: 1e-3, NeuralSeconds: 2e-3, Solves: len(examples)}, nil
}

func (m *toy) DigestRules(io.Writer)                            {}
func (m *toy) EndEpoch(float64) (bilevel.Outcome, error)        { return bilevel.Outcome{}, nil }
func (m *toy) Share(collective.Parts) error                     { return nil }
func (m *toy) Whole(f func() error) error                       { return f() }
func (m *toy) SyncBatchNorm(func([]float64) ([]float64, error)) {}
func (m *toy) Neural() learning.NeuralHalf                      { return m }
func (m *toy) Loss() learning.LossHalf                          { return m }
func (m *toy) Rulebook() learning.Rulebook                      { return learning.OwnRules{} }
func (m *toy) ONNX() ([]learning.ONNXFile, error) {
	return (&half.Network{Several: []half.NamedNet{{}}}).ONNX()
}
func (m *toy) StartFrom(init string, note func(string)) error {
	return new(half.Network).StartFrom(init, note)
}

// Rules has a table after a step, as those of this sitting.
func (m *toy) Rules() (rules []learning.Rule) {
	for r := range m.w {
		if m.stepped {
			rules = append(rules, learning.Rule{Text: fmt.Sprint(r), Weight: m.w[r], Gradient: m.dw[r]})
		}
	}
	return rules
}

func (m *toy) Evaluate(ctx context.Context, part learning.Part) (learning.Score, error) {
	if m.searching != nil {
		m.searching(part)
		if err := ctx.Err(); err != nil {
			return learning.Score{}, err
		}
	}
	m.parts = append(m.parts, part)
	if m.accuracies != nil && part == learning.ValidPart {
		m.evaluated++
		return learning.Score{Accuracy: m.accuracies[m.evaluated-1], Examples: 10, Figure: m.figure}, nil
	}
	d := float64((m.value[0]-2)*(m.value[0]-2) + (m.value[2]+1)*(m.value[2]+1))
	return learning.Score{Accuracy: 1 / (1 + d), Examples: 10, Figure: m.figure, Parts: new(0.125)}, nil
}

func (m *toy) Export() []checkpoint.Tensor {
	return []checkpoint.Tensor{checkpoint.NewTensor("p", slices.Clone(m.value)), checkpoint.NewTensor("b", slices.Clone(m.buffer))}
}

func (m *toy) Import(get func(string) (checkpoint.Tensor, error)) error {
	for name, to := range map[string][]float32{"p": m.value, "b": m.buffer} {
		t, err := get(name)
		if err != nil {
			return err
		}
		d, ok := t.Data.([]float32)
		if !ok || len(d) != len(to) {
			return fmt.Errorf("toy: tensor %s", name)
		}
		copy(to, d)
	}
	return nil
}

func (m *toy) Warm() []checkpoint.Tensor {
	return []checkpoint.Tensor{checkpoint.NewTensor("warm", m.warm)}
}

func (m *toy) SetWarm(get func(string) (checkpoint.Tensor, error)) error {
	t, err := get("warm")
	if err != nil {
		return err
	}
	copy(m.warm, t.Data.([]float64))
	return nil
}

// ran runs a model, in a folder of its own unless the options name one.
func ran(t *testing.T, c config.Config, m learning.Model, opt Options) record.Result {
	t.Helper()
	if opt.Dir == "" {
		opt.Dir = t.TempDir()
	}
	res, err := Run(context.Background(), c, m, opt)
	require.NoError(t, err)
	return res
}

// ranUntil runs a model, which is or has a toy, and interrupts it after a number of steps.
func ranUntil(t *testing.T, steps int, c config.Config, m learning.Model, inner *toy, opt Options) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	inner.afterStep = func(step int) {
		if step+1 == steps {
			cancel()
		}
	}
	_, err := Run(ctx, c, m, opt)
	require.ErrorIs(t, err, ErrInterrupted)
}

// toyConfig is a short run with everything switched on.
func toyConfig() config.Config {
	c := config.Defaults(config.Config{Task: "toy"})
	c.Neural.Schedule, c.Neural.WeightDecay, c.Neural.Decoupled, c.Neural.Average = "cosine", 0.05, true, 0.99
	c.Training.Steps, c.Training.Epochs, c.Training.Batch = 30, 0, 6
	c.Training.CheckpointEvery, c.Training.ValidEvery, c.Training.Patience = 5, 5, 0
	c.Symbolic.Step, c.Symbolic.FreezeRules = 0.1, false
	c.Neural.LearningRate, c.Neural.Augment, c.Neural.ViewStrength = 0.05, "strong", 0.5
	return c
}
