// Command own-task learns to tell valid 4×4 sudoku boards of handwritten digits from
// others. It is told which boards are valid and never a digit. docs/TUTORIAL.md builds
// it step by step.
package main

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"

	"hinge/data/mnist"
	"hinge/models/mlp"
	"hinge/models/resnet18"
	"hinge/symbolic/ground"
	"hinge/symbolic/lcqp"
	"hinge/train"
	"hinge/train/command"
)

func main() { command.Main(sudoku{}) }

//go:embed rules.psl
var rules []byte

const cells, classes = 16, 4

// options is the task's own section of a configuration.
type options struct {
	Boards int `toml:"boards"` // boards to learn from, half of them valid
}

func (o *options) Validate(*train.Config) error {
	if o.Boards < 2 || o.Boards > 2600 {
		return &train.UsageError{Key: "options.boards", Problem: "want 2 to 2600: MNIST has no images for more"}
	}
	return nil
}

type sudoku struct{}

func (sudoku) Names() []string { return []string{"visual-sudoku"} }

func (sudoku) Defaults(choice train.Config) (train.Config, error) {
	c := train.Defaults(choice)
	c.Options = &options{Boards: 2000}
	c.Training.Batch, c.Training.Epochs, c.Training.ValidEvery = 20, 5, 50
	return c, nil
}

func (sudoku) Open(cfg train.Config, data string) (train.Model, error) {
	own, err := train.OptionsOf[options](&cfg)
	if err != nil {
		return nil, err
	}
	set, err := mnist.Load(data)
	if err != nil {
		return nil, &train.DataError{Err: err}
	}
	e, rng := &examples{parts: map[train.Part]part{}}, rand.New(rand.NewPCG(uint64(cfg.Split), 4))
	fresh := byDigit(set.Train, rng)
	e.parts[train.TrainPart] = draw(set.Train, fresh, own.Boards, rng)
	e.parts[train.ValidPart] = draw(set.Train, fresh, 200, rng)
	e.parts[train.TestPart] = draw(set.Test, byDigit(set.Test, rng), 400, rng)
	program, err := train.ParseRules(cfg.Rules, "rules.psl", rules)
	if err != nil {
		return nil, err
	}
	b := ground.NewBuilder()
	for i := range cells * classes {
		b.Deep("Neural", fmt.Sprint(i/classes), fmt.Sprint(i%classes))
	}
	e.valid = b.Target("Valid", "board")
	for _, p := range peers() {
		b.Observe("Peers", fmt.Sprint(p[0]), fmt.Sprint(p[1]))
		b.Target("Same", fmt.Sprint(p[0]), fmt.Sprint(p[1]))
	}
	if b.Err != nil {
		return nil, b.Err
	}
	template, err := train.CompileRules(program, b.DB)
	if err != nil {
		return nil, err
	}
	return train.NewNeuPSL(cfg, train.Setup{
		Template: template, Examples: e, Shape: []int{mnist.Side, mnist.Side}, Rows: cells,
		Logits: resnet18.Define[float32](resnet18.Config{Widths: [4]int{8, 16, 16, 32}, Head: mlp.Config{Out: classes}}),
	})
}

// examples are the boards by part: valid ones at even places, each followed by its
// spoilt twin.
type examples struct {
	parts map[train.Part]part
	valid int // the target Valid
}

type part struct {
	images *mnist.Part
	boards [][cells]int // of images
}

func (e *examples) Len(name train.Part) int { return len(e.parts[name].boards) }

func (e *examples) Inputs(name train.Part, which []int) []float32 {
	x, p := make([]float32, len(which)*cells*mnist.Pixels), e.parts[name]
	for k := range len(which) * cells {
		p.images.Image(x[k*mnist.Pixels:][:mnist.Pixels], p.boards[which[k/cells]][k%cells])
	}
	return x
}

func (e *examples) Label(n int, in *lcqp.Instance) error { return in.Fix(e.valid, float64(1-n%2)) }

func (e *examples) Judge(_ train.Part, n int, y []float64) (right, of int) {
	if (y[e.valid] > 0.5) == (n%2 == 0) {
		right = 1
	}
	return right, 1
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

// legal tells whether no peers among the first cells, whose digits these are, are equal.
func legal(digits []int) bool {
	return !slices.ContainsFunc(peers(), func(p [2]int) bool {
		return p[1] < len(digits) && digits[p[0]] == digits[p[1]]
	})
}

// draw makes boards, valid ones of fresh images. The twin is spoilt by swapping cells or
// copying one over another.
func draw(images *mnist.Part, fresh [][]int, boards int, rng *rand.Rand) (p part) {
	for p.images = images; len(p.boards) < boards; {
		digits := make([]int, cells)
		for i := 0; i < cells; {
			k := slices.IndexFunc(rng.Perm(classes), func(k int) bool { digits[i] = k; return legal(digits[:i+1]) })
			if i++; k < 0 {
				i = 0
			}
		}
		var b [cells]int
		for i, k := range digits {
			b[i], fresh[k] = fresh[k][0], fresh[k][1:]
		}
		p.boards = append(p.boards, b)
		for legal(digits) || rng.IntN(2) == 0 {
			i, j := rng.IntN(cells), rng.IntN(cells)
			if b[j], digits[j] = b[i], digits[i]; rng.IntN(2) == 0 {
				last := p.boards[len(p.boards)-1]
				b[i], digits[i] = last[j], images.Label(last[j])
			}
		}
		p.boards = append(p.boards, b)
	}
	return p
}

// byDigit are the images of each digit in random order.
func byDigit(images *mnist.Part, rng *rand.Rand) [][]int {
	by := make([][]int, 10)
	for _, i := range rng.Perm(images.Len()) {
		by[images.Label(i)] = append(by[images.Label(i)], i)
	}
	return by
}
