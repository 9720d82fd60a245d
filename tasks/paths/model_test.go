package paths

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"hinge/data/mnist"
	"hinge/data/paths"
	"hinge/data/paths/pathstest"
	"hinge/train"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/traintest"
)

// shared keeps MNIST in memory, which the tests load again and again.
var shared, _ = mnist.Load("") //nolint:unused // it only has to be reachable

// images are MNIST's.
var images = sync.OnceValues(func() (*mnist.Set, error) { return mnist.Load("") })

// small makes a model of few grids of digits.
func small(t *testing.T, change func(*config.Config)) (*model, *grids, config.Config) {
	t.Helper()
	return held(t, 10, change)
}

// held is small with so many grids for validation, and for the test.
func held(t *testing.T, out int, change func(*config.Config)) (*model, *grids, config.Config) {
	t.Helper()
	c := defaults(t, "mnist-path")
	OptionsOf(&c).Grids, OptionsOf(&c).Layouts = 12, 2
	c.Training.Epochs, c.Training.Steps, c.Training.Batch, c.Training.ValidEvery = 0, 2, 3, 2
	c.Neural.Augment = "none"
	if change != nil {
		change(&c)
	}
	set, err := images()
	require.NoError(t, err)
	g, err := newDigits(c, set, out)
	require.NoError(t, err)
	m, err := newModel(c, g)
	require.NoError(t, err)
	return m, g, c
}

// TestRun: a short run is judged on all grids of validation and test, with distorted views
// on the latter, and every inference ends with its proof.
func TestRun(t *testing.T) {
	m, _, c := small(t, func(c *config.Config) {
		c.Neural.Augment, c.Neural.Views, c.Neural.ViewStrength = "light", 1, 0.5
	})
	res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	if res.TestExamples != 10 || res.Unsolved != 0 || !(res.TestAccuracy <= 0.9) {
		t.Errorf("%+v", res)
	}
}

// TestUnseen: whatever the loss, a run ends with the same numbers, bit for bit, whatever the
// digits are that training grids show, the grids of the test, and, as the last weights are
// tested, those of validation, which choose if asked. It sees the paths of training.
func TestUnseen(t *testing.T) {
	learned := 0
	for _, loss := range (&config.Config{}).Losses() {
		c := defaults(t, "mnist-path")
		if c.Loss = loss; c.Validate() != nil {
			continue // the task has no such loss
		}
		first := learned == 0
		learned++
		t.Run(loss, func(t *testing.T) {
			t.Parallel()
			run := func(chosen bool, spoil ...func(g *grids)) traintest.Learned {
				m, g, c := held(t, 2, func(c *config.Config) {
					c.Loss, c.Training.LastWeights, c.Training.NoTest, c.Training.ValidEvery = loss, !chosen, true, 2
					if chosen {
						c.Training.ValidEvery = 1
					}
					c.Neural.Views = 0
				})
				for _, f := range spoil {
					f(g)
				}
				return traintest.Learn(t, c, m)
			}
			// A digit is the cost of its cell, less one.
			digits := func(g *grids) {
				s := g.parts[learning.TrainPart]
				for grid := range s.Len() {
					for cell := range s.Costs(grid) {
						s.Costs(grid)[cell] = 99
					}
				}
			}
			other := func(part learning.Part) func(g *grids) {
				return func(g *grids) {
					s := g.parts[part]
					for grid := range s.Len() {
						slices.Reverse(s.Costs(grid))
						clear(s.On(grid))
					}
					g.parts[part] = source{s.Grids, func(ids []int32, grid int) []int32 {
						return s.cells(ids, (grid+1)%s.Len())
					}, s.inputs, s.picture}
				}
			}
			paths := func(g *grids) {
				for grid := range g.parts[learning.TrainPart].Len() {
					on := g.parts[learning.TrainPart].On(grid)
					clear(on)
					for cell := 0; cell < len(on); cell += 13 {
						on[cell] = 1
					}
				}
			}
			last := run(false)
			if names := traintest.Differ(last, run(false, digits, other(learning.TestPart), other(learning.ValidPart))); names != nil {
				t.Errorf("depends on digits, or on grids of validation or the test: %v", names)
			}
			if first { // all choose alike
				if names := traintest.DifferChosen(run(true), run(true, digits, other(learning.TestPart))); names != nil {
					t.Errorf("the choice depends on digits or the test: %v", names)
				}
			}
			if traintest.Differ(last, run(false, paths)) == nil {
				t.Error("the paths of training are not seen")
			}
		})
	}
	assert.GreaterOrEqual(t, learned, 1, "the task has no loss")
}

// TestLossFalls: along the gradient of a batch the loss falls as its norm says.
func TestLossFalls(t *testing.T) {
	m, _, _ := small(t, nil)
	traintest.LossFalls(t, m, []int{0, 1, 2})
}

// TestDigest: other costs or paths to validate or test by are other data; costs are not learned from.
func TestDigest(t *testing.T) {
	m, g, _ := small(t, func(*config.Config) {})
	for _, part := range []learning.Part{learning.TrainPart, learning.ValidPart, learning.TestPart} {
		digest := func() string {
			var b strings.Builder
			m.Rulebook().Digest(&b, part)
			return b.String()
		}
		was := digest()
		require.Equal(t, was, digest())
		g.parts[part].Costs(1)[2]++
		require.Equal(t, part == learning.TrainPart, digest() == was, "costs of %v", part)
		was = digest()
		slices.Reverse(g.parts[part].On(1)[1:])
		require.NotEqual(t, was, digest(), "paths of %v", part)
	}
}

// TestJudge: the label's own flow is right, and one over dearer cells is not.
func TestJudge(t *testing.T) {
	_, g, _ := small(t, nil)
	s := g.parts[learning.TestPart]
	flow := func(path []int) []float64 {
		in, err := g.NewInstance(1e-6)
		require.NoError(t, err)
		require.NoError(t, g.fix(in, path))
		return in.Lower
	}
	path, err := paths.Order(g.next, s.On(3))
	require.NoError(t, err)
	if right, of := g.Judge(learning.TestPart, 3, flow(path)); right != 1 || of != 1 {
		t.Error("the label is not right")
	}
	var edge []int // down and then right, never cheapest among digits
	for row := range 12 {
		edge = append(edge, 12*row)
	}
	for column := 1; column < 12; column++ {
		edge = append(edge, 132+column)
	}
	if right, _ := g.Judge(learning.TestPart, 3, flow(edge)); right != 0 {
		t.Error("the edge is right")
	}
}

// TestJudgeHalves: costs of maps, in half precision, are told apart by a tenth and not by their rounding.
func TestJudgeHalves(t *testing.T) {
	_, g, _ := small(t, nil)
	s := g.parts[learning.TestPart]
	const a, b, c, d = 0.7998046875, 1.2001953125, 7.69921875, 9.203125 // .8, 1.2, 7.7 and 9.2
	type middle struct {                                                // of a path down the diagonal, between the fourth cell and the seventh
		cells []int
		costs []float64
	}
	nine := middle{[]int{52, 65}, []float64{b, d}}
	around := middle{[]int{52, 41, 54, 67}, []float64{b, a, c, a}}
	two, three := middle{[]int{52, 65}, []float64{b, b}}, middle{[]int{40, 53, 66}, []float64{a, a, a}}
	for name, test := range map[string]struct {
		label, path middle
		right       int
	}{
		".8 + 7.7 + .8 > 9.2":      {nine, around, 0},
		"1.2 + 1.2 = .8 + .8 + .8": {three, two, 1},
		".8 + .8 + .8 = 1.2 + 1.2": {two, three, 1},
	} {
		costs, on := s.Costs(0), s.On(0)
		for i := range costs {
			costs[i], on[i] = d, 0
		}
		through := func(m middle) []int {
			for i, cell := range m.cells {
				costs[cell] = m.costs[i]
			}
			return slices.Concat([]int{0, 13, 26, 39}, m.cells, []int{78, 91, 104, 117, 130, 143})
		}
		for _, cell := range through(test.label) {
			on[cell] = 1
		}
		in, err := g.NewInstance(1e-6)
		require.NoError(t, err)
		require.NoError(t, g.fix(in, through(test.path)))
		if right, _ := g.Judge(learning.TestPart, 0, in.Lower); right != test.right {
			t.Errorf("%s: right %d", name, right)
		}
	}
}

// TestMaps: maps in the published layout are learned from their paths. At
// ten times this learning rate most seeds end with beliefs that say cheap everywhere, where
// the gradient vanishes.
func TestMaps(t *testing.T) {
	dir, err := pathstest.Write(t.TempDir(), 6, 40, func(costs []float64) []int {
		path, _ := paths.Shortest(paths.Neighbours(6), costs)
		return path
	}, "train", "val", "test")
	require.NoError(t, err)
	split, err := paths.ReadMaps(dir, 6)
	require.NoError(t, err)
	c := defaults(t, "warcraft12")
	OptionsOf(&c).Grids = 41
	if _, err := newMaps(c, split); train.ExitCode(err) == 0 {
		t.Error("there are more maps than there are")
	}
	OptionsOf(&c).Grids, c.Training.Epochs, c.Training.Batch, c.Training.ValidEvery = 40, 100, 4, 1000
	for c.Seed = range uint64(2) {
		g, err := newMaps(c, split)
		require.NoError(t, err)
		m, err := newModel(c, g)
		require.NoError(t, err)
		res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
		require.NoError(t, err)
		t.Logf("seed %d: %.3f of the paths cost least, %.17g", c.Seed, res.TestAccuracy, m.Params()[0].Value[0])
		if res.TestExamples != 40 || !(res.TestAccuracy > 0.8) {
			t.Errorf("%d maps, %.3f of the paths cost least", res.TestExamples, res.TestAccuracy)
		}
	}
}
