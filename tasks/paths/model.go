package paths

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"

	"hinge/data/mnist"
	"hinge/data/paths"
	"hinge/models/lenet"
	"hinge/models/mlp"
	"hinge/models/resnet18"
	"hinge/nn"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/neupsl"
)

var (
	//go:embed rules/paths.psl
	rules []byte
	//go:embed rules/answers.psl
	answers []byte
)

// Rules returns the text of the task's rule files, of learning and of answers.
func Rules() []byte { return append(bytes.Clone(rules), answers...) }

func (Task) Open(cfg config.Config, data string) (learning.Model, error) {
	if _, err := config.OptionsOf[Options](&cfg); err != nil {
		return nil, err
	}
	if cfg.Task != digits {
		split, err := paths.LoadWarcraft(data, sideOf(cfg.Task))
		if err != nil {
			return nil, &learning.DataError{Err: err}
		}
		g, err := newMaps(cfg, split)
		if err != nil {
			return nil, err
		}
		return newModel(cfg, g)
	}
	set, err := mnist.Load(data)
	if err != nil {
		return nil, &learning.DataError{Err: err}
	}
	g, err := newDigits(cfg, set, heldOut)
	if err != nil {
		return nil, err
	}
	return newModel(cfg, g)
}

// model is a NeuPSL of grids.
type model struct {
	*neupsl.NeuPSL
	grids *grids
}

// rulebook is the rules of a model.
type rulebook struct {
	learning.Rulebook
	grids *grids
}

func (m *model) Rulebook() learning.Rulebook { return rulebook{m.NeuPSL.Rulebook(), m.grids} }

// Digest implements learning.Rulebook: also the costs and paths that are not to learn from.
func (r rulebook) Digest(w io.Writer, parts ...learning.Part) {
	r.Rulebook.Digest(w, parts...)
	for _, part := range parts {
		for grid := range r.grids.Len(part) {
			if s := r.grids.parts[part]; part != learning.TrainPart {
				fmt.Fprintf(w, "%v %v\n", s.Costs(grid), s.On(grid))
			}
		}
	}
}

func newModel(cfg config.Config, g *grids) (*model, error) {
	side := g.parts[learning.TrainPart].Side
	var err error
	if g.flow, err = newFlow(side, paths.Layouts(side*side, OptionsOf(&cfg).Layouts), cfg.Rules, "paths.psl", rules); err != nil {
		return nil, err
	}
	answer, err := newFlow(side, paths.Layouts(side*side, 1), cfg.Rules, "answers.psl", answers)
	if err != nil {
		return nil, err
	}
	logits, shape := network(&cfg)
	m, err := neupsl.New(cfg, neupsl.Setup{
		Examples: g,
		Program:  neupsl.Program{Template: g.Template, Answers: answer.Template, LabelsFixAll: true},
		Network:  neupsl.Reader{Logits: logits, Shape: shape, Rows: len(g.next)},
		Inputs:   neupsl.Inputs{Training: g.TrainingInputs, Outputs: g.Outputs},
		Show: neupsl.Show{Cases: g, Rank: func(part learning.Part, example int, y []float64) float64 {
			return -g.dearer(part, example, y)
		}},
	})
	if err != nil {
		return nil, err
	}
	g.network = m.Network
	return &model{m, g}, nil
}

// network is what reads a cell, to the logits of its classes, and the shape of its input.
func network(cfg *config.Config) (logits nn.Definition[float32], shape []int) {
	c := mlp.Config{Hidden: []int{64}, Out: classes, Dropout: cfg.Neural.Dropout}
	image := []int{mnist.Side, mnist.Side}
	switch OptionsOf(cfg).Network {
	case "mlp":
		return mlp.Define[float32]("tile", c), []int{tilePixels}
	case "small":
		c.Hidden = nil
		return resnet18.Define[float32](resnet18.Config{Widths: [4]int{16, 16, 32, 64}, Head: c}), image
	}
	return lenet.Define[float32](lenet.Config{Widths: [3]int{16, 32, 128}, Head: c}), image
}
