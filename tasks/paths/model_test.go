package paths

import (
	"context"
	"slices"
	"testing"

	"hinge/data/mnist"
	"hinge/data/paths"
	"hinge/data/paths/pathstest"
	"hinge/train"
	"hinge/train/traintest"
)

// small opens a model of few grids of digits.
func small(t *testing.T, change func(*train.Config)) (*train.NeuPSL, *grids, train.Config) {
	t.Helper()
	c := defaults(t, "mnist-path")
	OptionsOf(&c).Grids, OptionsOf(&c).Layouts = 12, 2
	c.Training.Epochs, c.Training.Steps, c.Training.Batch, c.Training.ValidEvery = 0, 2, 3, 2
	c.Neural.Augment = "none"
	if change != nil {
		change(&c)
	}
	set, err := mnist.Load("")
	if err != nil {
		t.Fatal(err)
	}
	g, err := newDigits(c, set, 10)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(c, g)
	if err != nil {
		t.Fatal(err)
	}
	return m, g, c
}

// TestRun: a short run is judged on all grids of validation and test, with distorted views
// on the latter, and every inference ends with its proof.
func TestRun(t *testing.T) {
	m, _, c := small(t, func(c *train.Config) {
		c.Neural.Augment, c.Neural.Views, c.Neural.ViewStrength = "light", 1, 0.5
	})
	res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if res.TestExamples != 10 || res.Unsolved != 0 || !(res.TestAccuracy <= 0.9) {
		t.Errorf("%+v", res)
	}
}

// TestUnseen: a step of learning sees neither costs nor anything of validation and test;
// it does see the paths.
func TestUnseen(t *testing.T) {
	gradient := func(change func(g *grids)) (grad []float32) {
		m, g, _ := small(t, nil)
		change(g)
		if _, err := m.Gradient(train.Step{Temperature: 1}, []int{0, 2, 5}); err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Params() {
			grad = append(grad, p.Grad...)
		}
		return grad
	}
	want := gradient(func(*grids) {})
	if !slices.Equal(want, gradient(func(g *grids) {
		for part, s := range g.parts {
			for grid := range s.Len() {
				for cell := range s.Costs(grid) {
					s.Costs(grid)[cell] = 99
				}
				if part != train.TrainPart {
					clear(s.On(grid))
					clear(s.cells(nil, grid))
				}
			}
		}
	})) {
		t.Error("the gradient depends on what learning must not see")
	}
	if slices.Equal(want, gradient(func(g *grids) {
		on := g.parts[train.TrainPart].On(5) // the second grid of example 2
		clear(on)
		for cell := 0; cell < len(on); cell += 13 {
			on[cell] = 1
		}
	})) {
		t.Error("the gradient does not depend on the path")
	}
}

// TestLossFalls: along the gradient of a batch the loss falls as its norm says.
func TestLossFalls(t *testing.T) {
	m, _, _ := small(t, nil)
	traintest.LossFalls(t, m, []int{0, 1, 2})
}

// TestJudge: the label's own flow is right, and one over dearer cells is not.
func TestJudge(t *testing.T) {
	_, g, _ := small(t, nil)
	s := g.parts[train.TestPart]
	flow := func(path []int) []float64 {
		in, err := g.NewInstance(1e-6)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.fix(in, path); err != nil {
			t.Fatal(err)
		}
		return in.Lower
	}
	path, err := paths.Order(g.next, s.On(3))
	if err != nil {
		t.Fatal(err)
	}
	if right, of := g.Judge(train.TestPart, 3, flow(path)); right != 1 || of != 1 {
		t.Error("the label is not right")
	}
	var edge []int // down and then right, never cheapest among digits
	for row := range 12 {
		edge = append(edge, 12*row)
	}
	for column := 1; column < 12; column++ {
		edge = append(edge, 132+column)
	}
	if right, _ := g.Judge(train.TestPart, 3, flow(edge)); right != 0 {
		t.Error("the edge is right")
	}
}

// TestMaps: maps in the published layout are learned from their paths.
func TestMaps(t *testing.T) {
	dir, err := pathstest.Write(t.TempDir(), 6, 40, func(costs []float64) []int {
		path, _ := paths.Shortest(paths.Neighbours(6), costs)
		return path
	}, "train", "val", "test")
	if err != nil {
		t.Fatal(err)
	}
	split, err := paths.ReadMaps(dir, 6)
	if err != nil {
		t.Fatal(err)
	}
	c := defaults(t, "warcraft12")
	OptionsOf(&c).Grids = 41
	if _, err := newMaps(c, split); train.ExitCode(err) == 0 {
		t.Error("there are more maps than there are")
	}
	OptionsOf(&c).Grids, c.Training.Epochs, c.Training.Batch, c.Training.ValidEvery = 40, 80, 4, 1000
	c.Neural.LearningRate = 1e-2
	g, err := newMaps(c, split)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(c, g)
	if err != nil {
		t.Fatal(err)
	}
	res, err := train.Run(context.Background(), c, m, train.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if res.TestExamples != 40 || !(res.TestAccuracy > 0.8) {
		t.Errorf("%d maps, %.3f of the paths cost least", res.TestExamples, res.TestAccuracy)
	}
}
