// Command own-task learns which boards of handwritten digits are valid: docs/TUTORIAL.md.
package main

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"

	command "hinge/app/train"
	"hinge/data/mnist"
	"hinge/models/mlp"
	"hinge/models/resnet18"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
	"hinge/train/half"
	"hinge/train/learning"
	"hinge/train/neupsl"
)

func main() { command.Main(sudoku{}) }

//go:embed rules.psl
var rules []byte

const cells, classes = 16, 4

type options struct {
	Boards int `toml:"boards" range:"[2, 2600]" flag:"boards" doc:"boards to learn from, half of them valid"`
}

type sudoku struct{}

func (sudoku) Names() []string { return []string{"visual-sudoku"} }

func (sudoku) Defaults(choice config.Config) (config.Config, error) {
	c := config.Defaults(choice)
	c.Options, c.Training.Epochs = &options{Boards: 2600}, 24
	return c, nil
}

func (sudoku) Open(cfg config.Config, data string) (learning.Model, error) {
	own, err := config.OptionsOf[options](&cfg)
	if err != nil {
		return nil, err
	}
	set, err := mnist.Load(data)
	if err != nil {
		return nil, &learning.DataError{Err: err}
	}
	e, rng := &examples{images: set.All()}, rand.New(rand.NewPCG(uint64(cfg.Split), 4))
	learn, test := draw(e.images, 0, own.Boards+200, rng), draw(e.images, mnist.TrainSize, 400, rng)
	e.boards = map[learning.Part][][]int32{learning.TrainPart: learn[200:], learning.ValidPart: learn[:200], learning.TestPart: test}
	b := ground.NewBuilder()
	for i := range cells * classes {
		b.Deep("Neural", fmt.Sprint(i/classes), fmt.Sprint(i%classes))
	}
	e.valid = b.Target("Valid", "board")
	for _, p := range peers() {
		b.Observe("Peers", fmt.Sprint(p[0]), fmt.Sprint(p[1]))
		b.Target("Same", fmt.Sprint(p[0]), fmt.Sprint(p[1]))
	}
	template, err := half.CompileRules(cfg.Rules, "rules.psl", rules, b)
	if err == nil {
		e.augment, err = mnist.NewAugmenter(mnist.Strong().Scaled(0.5), cfg.Seed)
	}
	if err != nil {
		return nil, err
	}
	return neupsl.New(cfg, neupsl.Setup{
		Examples: e,
		Program:  neupsl.Program{Template: template},
		Network: neupsl.Reader{
			Logits: resnet18.Define[float32](resnet18.Config{Widths: [4]int{16, 16, 32, 64}, Head: mlp.Config{Out: classes}}),
			Shape:  []int{mnist.Side, mnist.Side}, Rows: cells,
		},
		Inputs: neupsl.Inputs{Training: e.distorted},
	})
}

// examples are the boards by part: valid ones at even places, each with a spoilt twin.
type examples struct {
	images  *mnist.Part
	boards  map[learning.Part][][]int32 // of images
	augment *mnist.Augmenter
	valid   int // the target Valid
}

func (e *examples) pixels(part learning.Part, which []int, aug *mnist.Augmenter, step int) []float32 {
	var images []int32
	for _, n := range which {
		images = append(images, e.boards[part][n]...)
	}
	return e.images.Pixels(images, aug, uint64(step))
}

func (e *examples) distorted(step learning.Step, which []int) ([]float32, error) {
	return e.pixels(learning.TrainPart, which, e.augment, step.Number), nil
}

func (e *examples) Len(part learning.Part) int { return len(e.boards[part]) }
func (e *examples) Inputs(part learning.Part, which []int) []float32 {
	return e.pixels(part, which, nil, 0)
}
func (e *examples) Label(n int, in *lcqp.Instance) error { return in.Fix(e.valid, float64(1-n%2)) }
func (e *examples) Judge(_ learning.Part, n int, y []float64) (right, of int) {
	return (n + int(y[e.valid]+0.5)) % 2, 1 // found valid at an even place, or not at an odd one
}

// peers are the pairs of cells that share a row, a column or a block.
func peers() (pairs [][2]int) {
	for b := range cells {
		for a := range b {
			if a/4 == b/4 || a%4 == b%4 || a/8 == b/8 && a%4/2 == b%4/2 {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	return pairs
}

// legal reports whether the first cells, whose digits these are, have no equal peers.
func legal(d []int) bool {
	return !slices.ContainsFunc(peers(), func(p [2]int) bool { return p[1] < len(d) && d[p[0]] == d[p[1]] })
}

// draw fills boards with images from one on, each taken once, and spoils their twins.
func draw(images *mnist.Part, from, boards int, rng *rand.Rand) (out [][]int32) {
	fresh := make([][]int32, 10) // by digit
	for _, i := range rng.Perm(min(images.Len()-from, mnist.TrainSize)) {
		fresh[images.Label(from+i)] = append(fresh[images.Label(from+i)], int32(from+i))
	}
	for d := make([]int, cells); len(out) < boards; {
		for i := 0; i < cells; { // cell by cell, from the start again when stuck
			k := slices.IndexFunc(rng.Perm(classes), func(k int) bool { d[i] = k; return legal(d[:i+1]) })
			if i++; k < 0 {
				i = 0
			}
		}
		b := make([]int32, cells)
		for i, k := range d {
			b[i], fresh[k] = fresh[k][0], fresh[k][1:]
		}
		out, b = append(out, b), slices.Clone(b)
		for swap := rng.IntN(2) == 0; legal(d) || rng.IntN(2) == 0; {
			i, j := rng.IntN(cells), rng.IntN(cells)
			if b[j], b[i], d[j], d[i] = b[i], b[j], d[i], d[j]; !swap {
				b[i], d[i] = b[j], d[j]
			}
		}
		out = append(out, b)
	}
	return out[:boards]
}
