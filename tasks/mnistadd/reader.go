package mnistadd

import (
	"fmt"
	"io"
	"slices"

	"hinge/data/mnist"
	"hinge/models/lenet"
	"hinge/models/mlp"
	"hinge/models/plain"
	"hinge/models/resnet18"
	"hinge/nn"
	"hinge/tasks/mnistadd/cnn"
	"hinge/train/config"
	"hinge/train/half"
	"hinge/train/learning"
)

// reader is the neural half of every system: the images of a split, distorted if configured,
// in front of the network. The system decides the meaning of the outputs and the loss on them.
type reader struct {
	cfg    config.Config
	part   *mnist.Part
	split  *mnist.Split
	aug    *mnist.Augmenter // nil without augmentation
	viewer *mnist.Augmenter // of test-time averaging; nil without
	group  int              // images an example of the network has
	each   int              // images of an addition

	network *half.Network // of the model that has the reader
	windows windows       // of training
	lead    *lead         // how training begins; nil for as it goes on
}

// newReader prepares the images. An example of the network is a group of images, laid
// out one below the other: 1 where each image is read by itself, all of an addition
// where they are read together.
func newReader(cfg config.Config, part *mnist.Part, split *mnist.Split, group int) (*reader, error) {
	r := &reader{cfg: cfg, part: part, split: split, group: group, each: 2 * split.Digits, windows: windowsOf(&cfg, split.Digits), lead: newLead(&cfg, split.Digits)}
	n := &cfg.Neural
	settings := mnist.Named(n.Augment)
	if settings == (mnist.Settings{}) {
		return r, nil
	}
	var err error
	if r.aug, err = mnist.NewAugmenter(settings, cfg.Seed); err == nil && n.Views > 0 {
		r.viewer, err = mnist.NewViewer(settings, n.ViewStrength, cfg.Seed)
	}
	return r, err
}

// backbone is the published network's configuration.
func backbone(cfg *config.Config) resnet18.Config {
	return resnet18.MNISTAddition(cfg.Neural.Channels, cfg.Neural.Dropout)
}

// logits is the network that reads one image.
func logits(cfg *config.Config) nn.Definition[float32] {
	network := OptionsOf(cfg).Network
	if network == plainNetwork {
		return plain.Define[float32](plain.Config{Channels: cfg.Neural.Channels, Dropout: cfg.Neural.Dropout, Out: mnist.Classes})
	}
	if widths, ok := lenets[network]; ok {
		return lenet.Define[float32](lenet.Config{Widths: widths, Channels: cfg.Neural.Channels,
			Head: mlp.Config{Hidden: []int{64}, Out: mnist.Classes, Dropout: cfg.Neural.Dropout}})
	}
	return resnet18.Define[float32](backbone(cfg))
}

// of returns the additions of a part, nil for a part that is none.
func (r *reader) of(part learning.Part) *mnist.Additions {
	switch part.Data() {
	case learning.TrainPart:
		return &r.split.Train
	case learning.ValidPart:
		return &r.split.Valid
	case learning.TestPart:
		return &r.split.Test
	case learning.MoreTestPart:
		return &r.split.More
	case learning.FreshTestPart:
		return &r.split.Fresh
	}
	return nil
}

// Len implements neupsl.Examples: training examples are windows of additions.
func (r *reader) Len(part learning.Part) int {
	a := r.of(part)
	switch {
	case a == nil:
		return 0
	case part == learning.TrainPart:
		return a.Len() * r.windows.parts()
	}
	return a.Len()
}

// images returns the images of some examples of a part.
func (r *reader) images(part learning.Part, examples []int) []int32 {
	w, lead := windows{r.split.Digits, r.split.Digits}, (*lead)(nil)
	if part == learning.TrainPart {
		w, lead = r.windows, r.lead
	}
	var images []int32
	for _, e := range examples {
		if at, ok := lead.window(e); ok {
			images = lead.images(images, r.of(part), at)
		} else {
			images = w.images(images, r.of(part), e)
		}
	}
	return images
}

func (r *reader) Inputs(part learning.Part, examples []int) []float32 {
	return r.part.Pixels(r.images(part, examples), nil, 0)
}

// digestSums writes the labels of the parts that are not learned from: the sums and the digits of the images.
func (r *reader) digestSums(w io.Writer, parts []learning.Part) {
	for _, part := range parts {
		if a := r.of(part); a != nil && part != learning.TrainPart {
			fmt.Fprintln(w, a.Sums)
			for _, image := range r.images(part, learning.All(a.Len())) {
				fmt.Fprintln(w, r.part.Label(int(image)))
			}
		}
	}
}

// TrainingInputs is Inputs.Training.
func (r *reader) TrainingInputs(step learning.Step, examples []int) ([]float32, error) {
	aug, err := r.aug.Ramped(step.Progress, r.cfg.Neural.AugmentRamp)
	return r.part.Pixels(r.images(learning.TrainPart, examples), aug, step.Stream()), err
}

// Class is Show.Class: an image's digit.
func (r *reader) Class(part learning.Part, example, image int) int {
	return r.part.Label(int(r.images(part, []int{example})[image]))
}

// Outputs is Inputs.Outputs. Tests and the last validation average over
// distorted views, beside the plain images.
func (r *reader) Outputs(part learning.Part, examples []int) ([]float32, error) {
	views := r.cfg.Neural.Views
	if part == learning.TrainPart || part == learning.ValidPart {
		views = 0
	}
	return r.predict(r.images(part, examples), views)
}

// right tells, as 1, whether the answer to an addition is right.
func (r *reader) right(part learning.Part, addition int, answer mnist.Sum) int {
	if slices.Equal(answer, r.of(part).Sums[addition]) {
		return 1
	}
	return 0
}

// predict runs the network in evaluation mode and returns its outputs, [images][10] if images
// are read one by one. Distorted views of the images go into the mean with the plain ones.
func (r *reader) predict(images []int32, views int) ([]float32, error) {
	n, width := len(images)/r.group, mnist.Classes
	if r.group > 1 {
		width = cnn.Sums(r.split.Digits)
	}
	read := func(view int) ([]float32, error) {
		x := r.part.Pixels(images, nil, 0)
		if view > 0 {
			x = r.part.Pixels(images, r.viewer, uint64(view-1))
		}
		return r.network.Forward(x, n, r.cfg.Neural.TestTemperature)
	}
	return nn.MeanOfViews(views+1, read, nn.Head{To: width})
}
