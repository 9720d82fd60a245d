package sudoku

import (
	_ "embed"

	"hinge/data/mnist"
	"hinge/data/sudoku"
	"hinge/models/mlp"
	"hinge/models/resnet18"
	"hinge/symbolic/hlmrf"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/mapstate"
	"hinge/train/neupsl"
)

//go:embed rules/sudoku.psl
var rules []byte

// Model is visual sudoku as the training loop sees it. Its answers are by the energy of
// the label valid.
type Model struct {
	*neupsl.NeuPSL
	*boards
	cfg      config.Config
	cost     *mapstate.Solver // with the label valid
	template *lcqp.Template
	program  *hlmrf.Program
	rows     learning.Rows
	auroc    map[learning.Part]float64 // of the last evaluations
	last     tested
}

func (Task) Open(cfg config.Config, data string) (learning.Model, error) {
	if _, err := config.OptionsOf[Options](&cfg); err != nil {
		return nil, err
	}
	if cfg.Split > sudoku.MaxSplit {
		return nil, config.Usage("split", "%d is above %d", cfg.Split, sudoku.MaxSplit)
	}
	set, err := mnist.Load(data)
	if err != nil {
		return nil, &learning.DataError{Err: err}
	}
	m, err := newModel(cfg, set.All())
	if err != nil {
		return nil, err
	}
	return m, nil
}

// newModel builds boards of images, program, network and training graph.
func newModel(cfg config.Config, images *mnist.Part) (*Model, error) {
	own, side := OptionsOf(&cfg), sides[cfg.Task]
	template, valid, err := newTemplate(side, cfg.Rules)
	if err != nil {
		return nil, err
	}
	b := &boards{images: images, ramp: cfg.Neural.AugmentRamp, valid: valid}
	if b.split, err = sudoku.NewSplit(b.images, side, own.Boards, cfg.Split); err != nil {
		return nil, config.Usage("options.boards", "%v", err)
	}
	if s := mnist.Named(cfg.Neural.Augment); s != (mnist.Settings{}) {
		if b.aug, err = mnist.NewAugmenter(s, cfg.Seed); err != nil {
			return nil, err
		}
	}
	m := &Model{boards: b, cfg: cfg, template: template, program: template.Program(), auroc: make(map[learning.Part]float64)}
	if m.NeuPSL, err = neupsl.New(cfg, neupsl.Setup{
		Examples: b,
		Program:  neupsl.Program{Template: template},
		Network:  neupsl.Reader{Logits: resnet18.Define[float32](network(own.Network, side)), Shape: []int{mnist.Side, mnist.Side}, Rows: side * side},
		Inputs:   neupsl.Inputs{Training: b.TrainingInputs},
	}); err != nil {
		return nil, err
	}
	m.cost, err = m.NewSolver()
	return m, err
}

// network is the configuration of a network with the given number of classes.
func network(name string, classes int) resnet18.Config {
	c := resnet18.Config{Head: mlp.Config{Out: classes}}
	if name == "small" {
		c.Widths = [4]int{16, 16, 32, 64}
	}
	return c
}
