package traintest

import (
	"math"
	"math/rand/v2"

	"hinge/bilevel"
	"hinge/models/mlp"
	"hinge/nn"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
	"hinge/train/learning"
	"hinge/train/neupsl"
)

// examples is the size of each part of the data.
const examples = 24

// Config returns the configuration of a run of the task: everything that has a
// state is switched on.
func Config(loss string, steps int) config.Config {
	c := config.Defaults(config.Config{Task: "traintest", Loss: loss})
	c.Training = config.Training{Steps: steps, Batch: 5, ValidEvery: 20, LastWeights: true, CheckpointEvery: 13, Keep: 2}
	n := &c.Neural
	n.LearningRate, n.Schedule, n.Warmup, n.WeightDecay, n.Decoupled, n.Average = 0.02, "cosine", 5, 0.05, true, 0.99
	n.Dropout, n.Samples, n.DrawTemperature = 0.1, 2, 0.05
	n.TemperatureStart, n.TemperatureMin, n.TemperatureDecay = 1, 0.5, 1e-3
	c.Symbolic.FreezeRules, c.Symbolic.Epsilon = false, 1e-2
	c.Bilevel.TestEvery, c.Bilevel.EnergyCoefficient = 1, 1
	if bilevel.LossName(loss).Kind().Unlabelled {
		c.Bilevel.ConstraintSamples = 2
	}
	return c
}

// part is one part of the data.
type part struct {
	points [][items][2]float32
	class  [][items]int
}

// data are the examples by part.
type data map[learning.Part]*part

// New draws the data and builds network, symbolic model and training graph.
func New(cfg config.Config) (*neupsl.NeuPSL, error) {
	d, rng := data{}, rand.New(rand.NewPCG(cfg.Seed, 1))
	for _, name := range []learning.Part{learning.TrainPart, learning.ValidPart, learning.TestPart} {
		d[name] = draw(rng)
	}
	t, err := template()
	if err != nil {
		return nil, err
	}
	return neupsl.New(cfg, neupsl.Setup{
		Examples: d,
		Program:  neupsl.Program{Template: t},
		Network: neupsl.Reader{
			Logits: mlp.Define[float32]("mlp", mlp.Config{Hidden: []int{8}, Out: classes, Dropout: cfg.Neural.Dropout}), Shape: []int{2}, Rows: items, Rand: rng,
		},
		Show: neupsl.Show{Class: d.Class},
	})
}

func draw(rng *rand.Rand) *part {
	p := new(part)
	for range examples {
		var points [items][2]float32
		var class [items]int
		for i := range items {
			class[i] = rng.IntN(classes)
			angle := 2 * math.Pi * float64(class[i]) / classes
			points[i] = [2]float32{
				float32(math.Cos(angle) + 0.3*rng.NormFloat64()), float32(math.Sin(angle) + 0.3*rng.NormFloat64()),
			}
		}
		p.points, p.class = append(p.points, points), append(p.class, class)
	}
	return p
}

// Len implements neupsl.Examples, as do the methods below.
func (d data) Len(name learning.Part) int {
	if d[name] == nil {
		return 0
	}
	return examples
}

func (d data) Inputs(name learning.Part, which []int) []float32 {
	var x []float32
	for _, e := range which {
		for _, point := range d[name].points[e] {
			x = append(x, point[:]...)
		}
	}
	return x
}

func (d data) Label(example int, in *lcqp.Instance) error {
	return label(in, d[learning.TrainPart].class[example])
}

// Judge compares the class that was found for the second point.
func (d data) Judge(name learning.Part, example int, y []float64) (right, of int) {
	if nn.Argmax(y[classes:2*classes]) == d[name].class[example][1] {
		right = 1
	}
	return right, 1
}

// Class is Show.Class.
func (d data) Class(name learning.Part, example, point int) int { return d[name].class[example][point] }
