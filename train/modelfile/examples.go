package modelfile

import (
	"fmt"
	"slices"

	"hinge/bilevel"
	"hinge/data/mnist"
	"hinge/symbolic/lcqp"
	"hinge/symbolic/psl"
	"hinge/train/config"
	"hinge/train/learning"
)

// examples are the data of a Model.
type examples struct {
	part *part
	list []*example
	cfg  *config.Config
	pass *pass[float32]
	// always are the labels of every step, by network, or nil.
	always [][]label
	aug    []*mnist.Augmenter // by network; nil where inputs stay as they are
}

// newExamples makes the examples of a partition: the whole partition if a batch has one
// example, otherwise its components.
func newExamples(p *part, cfg *config.Config) (*examples, error) {
	e := &examples{part: p, cfg: cfg}
	if set := cfg.Options.(*Options); set.LabelsAlways && cfg.Training.Batch > 1 {
		for _, v := range p.views {
			e.always = append(e.always, v.labels)
		}
	}
	if cfg.Training.Batch == 1 {
		whole, err := p.whole()
		if err != nil {
			return nil, err
		}
		e.list = []*example{whole}
		return e, e.augment()
	}
	var err error
	if e.list, err = p.divided(cfg.Training.Batch, e.always == nil); err != nil {
		return nil, err
	}
	if n := len(e.list); n < cfg.Training.Batch {
		return nil, config.Usage("training.batch", "%d: the program of the partition learn has %s, of which a batch takes so many; leave the batch out to learn from the whole partition in every step", cfg.Training.Batch, psl.Count(n, "component"))
	}
	return e, e.augment()
}

// templates are the programs of the examples; nil of one example.
func (e *examples) templates() (list []*lcqp.Template) {
	if e.cfg.Training.Batch == 1 {
		return nil
	}
	for _, x := range e.list {
		list = append(list, x.template)
	}
	return list
}

// newPass makes the training graph, with room for the largest batch there can be.
func (e *examples) newPass(cfg *config.Config) (*pass[float32], error) {
	batch := cfg.Training.Batch
	counts := make([]int, len(e.part.views))
	for k, v := range e.part.views {
		var sizes []int
		for _, x := range e.list {
			sizes = append(sizes, len(x.entities[k]))
		}
		slices.Sort(sizes)
		for _, n := range sizes[len(sizes)-batch:] {
			counts[k] += n
		}
		if e.always != nil {
			seen := map[int]bool{}
			for _, l := range e.always[k] {
				seen[l.entity] = true
			}
			counts[k] += len(seen)
		}
		counts[k] = min(max(counts[k], 1), v.count)
	}
	room := len(e.list[0].outputs)
	if t := e.templates(); t != nil {
		room, _ = bilevel.Room(t, batch)
	}
	if room == 0 {
		return nil, config.Usage("training.batch", "no rule of the model has an output of a network; leave it out")
	}
	made, err := newPass(e.part.views, counts, max(cfg.Neural.Samples, 1), room)
	if err == nil {
		made.always = e.always
	}
	return made, err
}

func (e *examples) of(numbers []int) (list []*example) {
	for _, i := range numbers {
		list = append(list, e.list[i])
	}
	return list
}

// Len implements neupsl.Examples: all of them are learned from.
func (e *examples) Len(part learning.Part) int {
	if part == learning.TrainPart {
		return len(e.list)
	}
	return 0
}

// Examples implements learning.Model: the targets of validation and test are one example, where any
// has a true value.
func (m *Model) Examples(of learning.Part) int {
	if p := m.parts[of]; of != learning.TrainPart && p != nil && p.measurable() {
		return 1
	}
	return m.examples.Len(of)
}

// Empty implements learning.Model (see divided).
func (m *Model) Empty() (count int) {
	for _, x := range m.examples.list {
		if x.template.Targets+x.template.Rows() == 0 {
			count++
		}
	}
	return count
}

// Inputs implements neupsl.Examples. Training goes by TrainingInputs.
func (e *examples) Inputs(learning.Part, []int) []float32 { return nil }

// TrainingInputs is Inputs.Training: it makes the next pass one over these examples.
func (e *examples) TrainingInputs(step learning.Step, numbers []int) ([]float32, error) {
	x, err := e.pass.load(e.of(numbers))
	if err != nil {
		return nil, err
	}
	return x, e.distort(step, x)
}

func (e *examples) Label(number int, in *lcqp.Instance) error {
	return bilevel.FixLabels(in, e.list[number].truth)
}

// Judge implements neupsl.Examples. Model.Evaluate judges partitions.
func (e *examples) Judge(learning.Part, int, []float64) (right, of int) { return 0, 0 }

// Outputs is Inputs.Outputs.
func (e *examples) Outputs(_ learning.Part, numbers []int) ([]float32, error) {
	for _, v := range e.part.views {
		v.net.State().Temperature = e.cfg.Neural.TestTemperature
	}
	var g []float32
	for _, x := range e.of(numbers) {
		values := make([][]float32, len(e.part.views))
		for k, v := range e.part.views {
			var rows []float32
			for _, entity := range x.entities[k] {
				rows = append(rows, v.row(entity)...)
			}
			var err error
			if values[k], err = v.net.Forward(rows, len(x.entities[k])); err != nil {
				return nil, fmt.Errorf("the network of %s: %w", v.name, err)
			}
		}
		for _, o := range x.outputs {
			row := slices.Index(x.entities[o.network], o.entity)
			g = append(g, values[o.network][row*e.part.views[o.network].width+o.output])
		}
	}
	return g, nil
}

// augment makes what distorts the inputs of the networks that see grey images of MNIST's
// size.
func (e *examples) augment() error {
	e.aug = make([]*mnist.Augmenter, len(e.part.views))
	set := mnist.Named(e.cfg.Neural.Augment)
	if set == (mnist.Settings{}) {
		return nil
	}
	images := false
	for k, v := range e.part.views {
		if !mnist.IsShape(v.table.Shape) {
			continue
		}
		images = true
		var err error
		if e.aug[k], err = mnist.NewAugmenter(set, e.cfg.Seed+uint64(k)<<40); err != nil {
			return err
		}
	}
	if !images {
		return config.Usage("neural.augment", "%s: no network of the model sees grey images of %d × %d pixels; leave it out", e.cfg.Neural.Augment, mnist.Side, mnist.Side)
	}
	return nil
}

// distort distorts the inputs of a pass in place.
func (e *examples) distort(step learning.Step, x []float32) error {
	for k, n := range e.pass.counts {
		all := n * e.part.views[k].table.Width()
		a, err := e.aug[k].Ramped(step.Progress, e.cfg.Neural.AugmentRamp)
		if err != nil {
			return err
		}
		if a != nil {
			distort(a, x[:all], step.Stream())
		}
		x = x[all:]
	}
	return nil
}
