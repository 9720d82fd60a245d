package mnistadd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gorgonia.org/gorgonia"

	"hinge/data/mnist"
	"hinge/models/resnet18"
	"hinge/nn"
	"hinge/optim"
	"hinge/train"
	"hinge/train/checkpoint"
)

// reader is the neural half of every system: the images of a split, distorted
// where so configured, in front of ResNet18. What the network's output means,
// and the loss on it, is the system's.
type reader struct {
	cfg    train.Config
	part   *mnist.Part
	split  *mnist.Split
	aug    *mnist.Augmenter // nil without augmentation
	viewer *mnist.Augmenter // of test-time averaging; nil without
	group  int              // images an example of the network has

	net     *nn.Net[float32]
	graph   *nn.Graph[float32]
	params  []optim.Param
	buffers []optim.Param
	images  []float32 // of a training batch
	last    tested
}

// body turns the images of a batch, N×28×28, into the network's output.
type body func(b *nn.Builder[float32], x *gorgonia.Node) *gorgonia.Node

// Streams of the seed, beside those of package nn.
const (
	initStream = 0x696e6974   // "init"
	viewStream = 0x7669657773 // "views"
)

// newReader makes the network and its training graph. An example of the network
// is a group of images, laid out one below the other: 1 where each image is
// read by itself, all of an addition where they are read together.
func newReader(cfg train.Config, part *mnist.Part, split *mnist.Split, group int, define body) (*reader, error) {
	r := &reader{cfg: cfg, part: part, split: split, group: group}
	if batch := cfg.Training.Batch; batch > split.Train.Len() {
		return nil, &train.UsageError{Key: "training.batch",
			Problem: fmt.Sprintf("%d is more than the %d training additions", batch, split.Train.Len())}
	}
	n := &cfg.Neural
	var err error
	if settings := augmentation(n.Augment); settings != (mnist.Settings{}) {
		if r.aug, err = mnist.NewAugmenter(settings, cfg.Seed); err != nil {
			return nil, err
		}
		if n.Views > 0 {
			if r.viewer, err = mnist.NewAugmenter(settings.Scaled(n.ViewStrength), cfg.Seed^viewStream); err != nil {
				return nil, err
			}
		}
	}
	r.net, err = nn.New([]int{group * mnist.Side, mnist.Side}, nn.Definition[float32](define),
		rand.New(rand.NewPCG(cfg.Seed, initStream)))
	if err != nil {
		return nil, err
	}
	r.net.State().Seed = cfg.Seed
	images := cfg.Training.Batch * 2 * split.Digits
	r.images = make([]float32, images*mnist.Pixels)
	if r.graph, err = r.net.Graph(images/group, true); err != nil {
		return nil, err
	}
	return r, nil
}

// augmentation is the distortion of a name that Validate has checked.
func augmentation(name string) mnist.Settings {
	switch name {
	case "light":
		return mnist.Light()
	case "strong":
		return mnist.Strong()
	}
	return mnist.Settings{}
}

// backbone is the published network's configuration.
func backbone(cfg *train.Config) resnet18.Config {
	return resnet18.MNISTAddition(cfg.Neural.Channels, cfg.Neural.Dropout)
}

// Examples implements train.Model.
func (r *reader) Examples() int { return r.split.Train.Len() }

// MoreTest implements train.MoreTester.
func (r *reader) MoreTest() int { return r.split.More.Len() }

// FreshTest implements train.FreshTester.
func (r *reader) FreshTest() int { return r.split.Fresh.Len() }

// Params implements train.Model.
func (r *reader) Params() []optim.Param { return r.params }

// Buffers implements train.Model.
func (r *reader) Buffers() []optim.Param { return r.buffers }

// run loads the images of the additions and runs the training graph.
func (r *reader) run(step train.Step, examples []int) error {
	state := r.net.State()
	state.Step, state.Temperature = uint64(step.Number), step.Temperature
	var images []int32
	for _, e := range examples {
		images = append(images, r.split.Train.Row(e)...)
	}
	aug, err := r.distortion(step)
	if err != nil {
		return err
	}
	r.load(r.images, images, aug, uint64(step.Number))
	return r.graph.Run(r.images)
}

// distortion is that of a training step, nil for none.
func (r *reader) distortion(step train.Step) (*mnist.Augmenter, error) {
	ramp := r.cfg.Neural.AugmentRamp
	if r.aug == nil || step.Progress >= ramp {
		return r.aug, nil
	}
	return mnist.NewAugmenter(r.aug.Settings().Scaled(step.Progress/ramp), r.cfg.Seed)
}

// load writes images to dst, distorted as image k of the given step unless aug
// is nil.
func (r *reader) load(dst []float32, images []int32, aug *mnist.Augmenter, step uint64) {
	var g errgroup.Group
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		g.Go(func() error {
			for k := worker; k < len(images); k += workers {
				pixels := dst[k*mnist.Pixels : (k+1)*mnist.Pixels]
				if aug == nil {
					r.part.Image(pixels, int(images[k]))
				} else {
					aug.Apply(pixels, r.part.Raw(int(images[k])), step, uint64(k))
				}
			}
			return nil
		})
	}
	_ = g.Wait() // the workers return no errors
}

// additions are those of a part.
func (r *reader) additions(part train.Part) (*mnist.Additions, error) {
	switch part {
	case train.TrainPart:
		return &r.split.Train, nil
	case train.ValidPart, train.FinalValidPart:
		return &r.split.Valid, nil
	case train.TestPart:
		return &r.split.Test, nil
	case train.MoreTestPart, train.MoreValidPart:
		return &r.split.More, nil
	case train.FreshTestPart:
		return &r.split.Fresh, nil
	}
	return nil, fmt.Errorf("mnistadd: no data part %q", part)
}

// views is the number of distorted views that the answers on a part average over,
// beside the plain images.
func (r *reader) views(part train.Part) int {
	if part == train.ValidPart {
		return 0
	}
	return r.cfg.Neural.Views
}

// predict runs the network in evaluation mode and returns its outputs,
// [additions][images][10] where images are read one by one. With distorted views
// of the images beside the plain ones, it is the softmax of the mean of their
// logits: the normalised geometric mean of their outputs, which stays sharp where
// the mean of a few views that disagree would be flat, and an inference among
// near ties.
func (r *reader) predict(adds *mnist.Additions, views int) ([]float32, error) {
	r.net.State().Temperature = r.cfg.Neural.TestTemperature
	images := make([]float32, len(adds.Images)*mnist.Pixels)
	r.load(images, adds.Images, nil, 0)
	outputs, err := r.net.Forward(images, len(adds.Images)/r.group)
	if err != nil || views == 0 {
		return outputs, err
	}
	mean := make([]float64, len(outputs))
	addLogs(mean, outputs)
	for view := range views {
		r.load(images, adds.Images, r.viewer, uint64(view))
		out, err := r.net.Forward(images, len(adds.Images)/r.group)
		if err != nil {
			return nil, err
		}
		addLogs(mean, out)
	}
	for i := range mean {
		mean[i] /= float64(views + 1)
	}
	width := len(outputs) / (len(adds.Images) / r.group)
	for lo := 0; lo < len(mean); lo += width {
		exponentials(outputs[lo:lo+width], mean[lo:lo+width])
	}
	return outputs, nil
}

// leastOutput stands for outputs that are zero in single precision, lest one view
// rule out a class.
const leastOutput = 1e-7

// addLogs adds the logarithms of a network's outputs to sum.
func addLogs(sum []float64, outputs []float32) {
	for i, v := range outputs {
		sum[i] += math.Log(max(float64(v), leastOutput))
	}
}

// exponentials writes the softmax of x to dst.
func exponentials(dst []float32, x []float64) {
	top, total := slices.Max(x), 0.0
	for i, v := range x {
		x[i] = math.Exp(v - top)
		total += x[i]
	}
	for i, v := range x {
		dst[i] = float32(v / total)
	}
}

// digits is the fraction of the images of adds whose most probable digit is
// right, given predict's outputs.
func (r *reader) digits(adds *mnist.Additions, outputs []float32) float64 {
	right := 0
	for i, image := range adds.Images {
		if argmax(outputs[i*mnist.Classes:(i+1)*mnist.Classes]) == r.part.Label(int(image)) {
			right++
		}
	}
	return float64(right) / float64(len(adds.Images))
}

// argmax returns the index of the largest value, the smallest such index.
func argmax(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// Export implements train.Model: names and layout are torchvision's.
func (r *reader) Export() []checkpoint.Tensor { return train.NetworkTensors(r.net.Params()) }

// Import implements train.Model.
func (r *reader) Import(get func(name string) (checkpoint.Tensor, error)) error {
	return train.RestoreNetwork(r.net.Params(), get)
}
