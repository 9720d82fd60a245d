package paths

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"

	"hinge/data/mnist"
	"hinge/data/paths"
	"hinge/nn"
	"hinge/symbolic/lcqp"
	"hinge/train/config"
	"hinge/train/half"
	"hinge/train/learning"
)

// source is the grids of a part with the pictures of their cells.
type source struct {
	*paths.Grids
	// cells appends the pictures of a grid's cells, by number, to ids.
	cells func(ids []int32, grid int) []int32
	// inputs returns what the network sees of pictures, distorted as in a training step
	// unless aug is nil.
	inputs func(ids []int32, aug *mnist.Augmenter, step uint64) []float32
	// picture returns a picture as people see it.
	picture func(id int32) image.Image
}

// grids are the examples.
type grids struct {
	*flow
	cfg   config.Config
	parts map[learning.Part]source

	distort, view *mnist.Augmenter // nil without augmentation, without views

	network *half.Network // set by the model that has it
}

// heldOut is the number of grids of digits for validation, and again for the test.
const heldOut = 1000

func newDigits(cfg config.Config, set *mnist.Set, held int) (*grids, error) {
	split, err := paths.NewDigits(set, cmp.Or(OptionsOf(&cfg).Side, defaultSide), OptionsOf(&cfg).Grids, OptionsOf(&cfg).Layouts, held, cfg.Split)
	if err != nil {
		return nil, err
	}
	g := &grids{cfg: cfg, parts: make(map[learning.Part]source)}
	all := set.All()
	for part, digits := range map[learning.Part]*paths.Digits{learning.TrainPart: &split.Train, learning.ValidPart: &split.Valid, learning.TestPart: &split.Test} {
		g.parts[part] = source{
			&digits.Grids, func(ids []int32, grid int) []int32 { return append(ids, digits.Images(grid)...) }, all.Pixels, func(id int32) image.Image { return all.Picture(int(id)) },
		}
	}
	n := &cfg.Neural
	if s := mnist.Named(n.Augment); s != (mnist.Settings{}) {
		if g.distort, err = mnist.NewAugmenter(s, cfg.Seed); err == nil && n.Views > 0 {
			g.view, err = mnist.NewViewer(s, n.ViewStrength, cfg.Seed)
		}
	}
	return g, err
}

func newMaps(cfg config.Config, split *paths.MapSplit) (*grids, error) {
	if n, most := OptionsOf(&cfg).Grids, split.Train.Len(); n > most {
		return nil, config.Usage("options.grids", "%d, but there are %d training maps", n, most)
	}
	g := &grids{cfg: cfg, parts: make(map[learning.Part]source)}
	for part, maps := range map[learning.Part]*paths.Maps{learning.TrainPart: &split.Train, learning.ValidPart: &split.Valid, learning.TestPart: &split.Test} {
		cells := maps.Side * maps.Side
		g.parts[part] = source{&maps.Grids, func(ids []int32, grid int) []int32 {
			for cell := range cells {
				ids = append(ids, int32(grid*cells+cell))
			}
			return ids
		}, func(ids []int32, _ *mnist.Augmenter, _ uint64) []float32 {
			x := make([]float32, len(ids)*tilePixels)
			for i, id := range ids {
				maps.Tile(x[i*tilePixels:][:tilePixels], int(id)/cells, int(id)%cells)
			}
			return x
		}, func(id int32) image.Image {
			tile := make([]float32, tilePixels)
			maps.Tile(tile, int(id)/cells, int(id)%cells)
			m := image.NewRGBA(image.Rect(0, 0, paths.TileSide, paths.TileSide))
			for i := range tilePixels / 3 {
				level := func(colour int) uint8 { return uint8(math.Round(255 * float64(tile[colour*tilePixels/3+i]))) }
				m.SetRGBA(i%paths.TileSide, i/paths.TileSide, color.RGBA{level(0), level(1), level(2), 255})
			}
			return m
		}}
	}
	return g, nil
}

// tilePixels are the numbers of a tile.
const tilePixels = 3 * paths.TileSide * paths.TileSide

func (g *grids) Len(part learning.Part) int {
	s, ok := g.parts[part]
	switch {
	case !ok:
		return 0
	case part == learning.TrainPart:
		return OptionsOf(&g.cfg).examples()
	}
	return s.Len()
}

// pictures returns the pictures of the cells of some examples. A training example is a run
// of grids with the same pictures, of which the first has their own order.
func (g *grids) pictures(part learning.Part, examples []int) (ids []int32) {
	each := 1
	if part == learning.TrainPart {
		each = OptionsOf(&g.cfg).Layouts
	}
	for _, example := range examples {
		ids = g.parts[part].cells(ids, example*each)
	}
	return ids
}

func (g *grids) Inputs(part learning.Part, examples []int) []float32 {
	return g.parts[part].inputs(g.pictures(part, examples), nil, 0)
}

// TrainingInputs is Inputs.Training.
func (g *grids) TrainingInputs(step learning.Step, examples []int) ([]float32, error) {
	aug, err := g.distort.Ramped(step.Progress, g.cfg.Neural.AugmentRamp)
	return g.parts[learning.TrainPart].inputs(g.pictures(learning.TrainPart, examples), aug, step.Stream()), err
}

// atOnce is how many pictures are read at once in an evaluation.
const atOnce = 1 << 12

// Outputs is Inputs.Outputs: a picture that several cells show is read once.
// Tests and the last validation average beliefs over distorted views, beside the plain
// pictures.
func (g *grids) Outputs(part learning.Part, examples []int) ([]float32, error) {
	views := g.cfg.Neural.Views
	switch part {
	case learning.TrainPart, learning.ValidPart:
		views = 0
	case learning.FinalValidPart:
		part = learning.ValidPart
	}
	s := g.parts[part]
	cells := g.pictures(part, examples)
	ids := slices.Clone(cells)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	beliefs := make([]float32, 0, len(ids)*classes)
	for some := range slices.Chunk(ids, atOnce) {
		mean, err := nn.MeanOfViews(views+1, func(view int) ([]float32, error) {
			var aug *mnist.Augmenter
			if view > 0 {
				aug = g.view
			}
			return g.network.Forward(s.inputs(some, aug, uint64(view)), len(some), g.cfg.Neural.TestTemperature)
		}, nn.Head{To: classes})
		if err != nil {
			return nil, err
		}
		beliefs = append(beliefs, mean...)
	}
	out := make([]float32, 0, len(cells)*classes)
	for _, id := range cells {
		i, _ := slices.BinarySearch(ids, id)
		out = append(out, beliefs[i*classes:][:classes]...)
	}
	return out, nil
}

// Label implements neupsl.Examples: the path of each grid is known.
func (g *grids) Label(example int, in *lcqp.Instance) error {
	labels := make([][]int, OptionsOf(&g.cfg).Layouts)
	for k := range labels {
		var err error
		if labels[k], err = paths.Order(g.next, g.parts[learning.TrainPart].On(example*len(labels)+k)); err != nil {
			return err
		}
	}
	return g.fix(in, labels...)
}

// Judge implements neupsl.Examples: the path that follows the flow is right if its true
// cost is the least one.
func (g *grids) Judge(part learning.Part, example int, y []float64) (right, of int) {
	if g.dearer(part, example, y) <= 0 {
		return 1, 1
	}
	return 0, 1
}

// dearer returns what the path that follows the flow truly costs more than the least cost; +Inf
// without a path. It is 0 where rounding alone may have made it: the costs of maps are tenths in half
// precision, of 11 bits, so that each cell on only one of the two paths may be wrong by 2⁻¹¹ of its cost.
// Paths that truly differ do so by a tenth, over digits by 1; that is more than the rounding of cells
// that cost 100 together, or 2,000.
func (g *grids) dearer(part learning.Part, example int, y []float64) float64 {
	s := g.parts[part]
	path := g.follow(y)
	if path == nil {
		return math.Inf(1)
	}
	extra, apart := 0.0, 0.0
	for cell, cost := range s.Costs(example) {
		switch on := slices.Contains(path, cell); {
		case on && s.On(example)[cell] == 0:
			extra, apart = extra+cost, apart+cost
		case !on && s.On(example)[cell] != 0:
			extra, apart = extra-cost, apart+cost
		}
	}
	if math.Abs(extra) <= math.Ldexp(apart, -11) {
		return 0
	}
	return extra
}
