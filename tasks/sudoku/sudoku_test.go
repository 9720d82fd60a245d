package sudoku

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/diff/fd"

	"hinge/symbolic/infer"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/exit"
)

// solved is a valid 4×4 board.
var solved = []int{2, 0, 1, 3, 3, 1, 0, 2, 1, 3, 2, 0, 0, 2, 3, 1}

// oneHot are the outputs of a network that is sure of these classes.
func oneHot(classes []int, side int) []float64 {
	g := make([]float64, len(classes)*side)
	for cell, k := range classes {
		g[cell*side+k] = 1
	}
	return g
}

// energy solves a board with the label valid, and returns V with the derivative by the
// outputs.
func energy(t *testing.T, side int, g []float64) (v float64, dg []float64) {
	t.Helper()
	const epsilon = 1e-6
	template, valid, err := newTemplate(side, "")
	require.NoError(t, err)
	in, err := template.NewInstance(epsilon)
	require.NoError(t, err)
	require.NoError(t, errors.Join(in.SetDeep(g), in.Fix(valid, 1)))
	var res infer.Result
	if err := infer.Solve(in, nil, infer.Settings{GapAbsolute: 1e-12}, &res); err != nil || !res.Status.OK() {
		t.Fatal(err, res.Status)
	}
	dg = make([]float64, len(g))
	in.DeepGradient(&res.Solution, dg)
	return res.DualValue, dg
}

// TestEnergy: a valid board breaks nothing. One cell of another class leaves its old class
// out of three houses and has its new one twice in them: six potentials of 1, at the
// weights as they are written.
func TestEnergy(t *testing.T) {
	if v, _ := energy(t, 4, oneHot(solved, 4)); math.Abs(v) > 1e-4 {
		t.Errorf("valid board: %v", v)
	}
	spoilt := append([]int(nil), solved...)
	spoilt[0] = 0
	if v, _ := energy(t, 4, oneHot(spoilt, 4)); math.Abs(v-6) > 1e-3 {
		t.Errorf("one cell of another class: %v, want 6", v)
	}
	uniform := make([]float64, 64)
	for i := range uniform {
		uniform[i] = 0.25
	}
	if v, _ := energy(t, 4, uniform); math.Abs(v) > 1e-4 {
		t.Errorf("beliefs without a decision: %v; they break no rule", v)
	}
	if v, _ := energy(t, 9, oneHot(make([]int, 81), 9)); math.Abs(v-27*(8*8+8)) > 1 {
		t.Errorf("9×9 of one class: %v, want 27·(8² + 8·1²)", v)
	}
}

// TestEnergyGradient compares the derivative by the outputs with differences.
func TestEnergyGradient(t *testing.T) {
	rng, g := rand.New(rand.NewPCG(1, 2)), make([]float64, 64)
	for i := range g {
		g[i] = rng.Float64()
	}
	_, dg := energy(t, 4, g)
	want := fd.Gradient(nil, func(g []float64) float64 {
		v, _ := energy(t, 4, g)
		return v
	}, g, &fd.Settings{Formula: fd.Central})
	assert.InDeltaSlice(t, want, dg, 1e-5)
}

func TestThreshold(t *testing.T) {
	for _, c := range []struct {
		list []judged
		want float64
	}{
		{[]judged{{3, false}, {0, true}, {1, true}, {2, false}}, 1.5},
		{[]judged{{0, true}, {1, false}, {2, true}, {4, true}, {5, false}}, 4.5},
		{[]judged{{1, false}, {2, true}}, 0}, // no threshold is better than none valid
		{[]judged{{1, true}, {1, false}, {0, true}}, 0.5},
		{[]judged{{1, true}, {0, true}}, 1},
	} {
		assert.Equalf(t, c.want, threshold(c.list), "%v", c.list)
	}
}

func TestAUROC(t *testing.T) {
	for _, c := range []struct {
		list []judged
		want float64
	}{
		{[]judged{{0, true}, {1, false}}, 1},
		{[]judged{{1, true}, {0, false}}, 0},
		{[]judged{{1, true}, {1 + 1e-9, false}}, 0.5},
		{[]judged{{0, true}, {2, true}, {1, false}, {3, false}}, 0.75},
	} {
		assert.Equalf(t, c.want, auroc(c.list), "%v", c.list)
	}
}

func defaults(t *testing.T, task string) config.Config {
	t.Helper()
	c, err := Task{}.Defaults(config.Config{Task: task})
	require.NoError(t, err)
	return c
}

func TestDefaults(t *testing.T) {
	for _, task := range (Task{}).Names() {
		c := defaults(t, task)
		assert.NoErrorf(t, c.Validate(), "%s", task)
	}
	c := defaults(t, "sudoku4")
	OptionsOf(&c).Boards = 5
	if c, err := (Task{}).Defaults(c); err != nil || c.Training.Batch != 5 || OptionsOf(&c).Boards != 5 {
		t.Errorf("five boards: batch %d, %v", c.Training.Batch, err)
	}
}

// TestRefused: each fault has its kind, and with it its exit code.
func TestRefused(t *testing.T) {
	for key, breakIt := range map[string]func(*config.Config){
		"options.boards":          func(c *config.Config) { OptionsOf(c).Boards = 0 },
		"options.network":         func(c *config.Config) { OptionsOf(c).Network = "large" },
		"options.pretrain-epochs": func(c *config.Config) { OptionsOf(c).PretrainEpochs = 0 },
		"loss":                    func(c *config.Config) { c.Loss, c.Neural.Samples = "k-best", 0 },
		"neural.test-views":       func(c *config.Config) { c.Neural.Views, c.Neural.Augment = 2, "light" },
	} {
		c := defaults(t, "sudoku9")
		breakIt(&c)
		var u *config.UsageError
		if err := c.Validate(); !errors.As(err, &u) || u.Key != key {
			t.Errorf("got %v, want a UsageError about %s", err, key)
		}
	}
	for key, breakIt := range map[string]func(*config.Config){
		"split":          func(c *config.Config) { c.Split = 11 },
		"rules":          func(c *config.Config) { c.Rules = "no-such-file.psl" },
		"options.boards": func(c *config.Config) { OptionsOf(c).Boards = 1000 },
		"options":        func(c *config.Config) { c.Options = nil },
	} {
		c := defaults(t, "sudoku9")
		breakIt(&c)
		var u *config.UsageError
		if _, err := (Task{}).Open(c, ""); !errors.As(err, &u) || u.Key != key {
			t.Errorf("got %v, want a UsageError about %s", err, key)
		}
	}
	if _, err := (Task{}).Open(defaults(t, "sudoku4"), "/no/such/folder"); train.ExitCode(err) != exit.Data {
		t.Errorf("missing data: %v", err)
	}
	for _, c := range []config.Config{{Task: "sudoku5"}, {Task: "sudoku4", System: "cnn"}} {
		if _, err := (Task{}).Defaults(c); train.ExitCode(err) != exit.Usage {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
