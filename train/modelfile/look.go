package modelfile

import (
	"fmt"
	"slices"

	"hinge/data/mnist"
	"hinge/nn"
	"hinge/train/config"
)

// look is how networks read inputs in evaluation mode.
type look struct {
	temperature float64
	// views distorted views of an image, beside the plain one, are averaged over.
	views   int
	distort *mnist.Augmenter
	// relaxed leaves integer predicates between 0 and 1, as V has them: a search takes long.
	relaxed bool
}

// newLook returns how the weights that are tested look at inputs.
func newLook(cfg *config.Config) (look, error) {
	n := &cfg.Neural
	distort, err := mnist.NewViewer(mnist.Named(n.Augment), n.ViewStrength, cfg.Seed)
	return look{temperature: n.TestTemperature, views: n.Views, distort: distort}, err
}

// plain is a look without views and without whole numbers.
func (l look) plain() look { return look{temperature: l.temperature, relaxed: true} }

// at returns the outputs of a network for inputs, [count][features], in evaluation mode. With
// views they are the mean (nn.MeanOfViews) of those for the plain images and for the views.
func (n *network[T]) at(l look, x []T, count int) ([]T, error) {
	n.net.State().Temperature = l.temperature
	views := 1
	if mnist.IsShape(n.table.Shape) {
		views += l.views
	}
	outputs, err := nn.MeanOfViews(views, func(view int) ([]T, error) {
		seen := x
		if view > 0 {
			seen = slices.Clone(x)
			distort(l.distort, seen, uint64(view-1))
		}
		return n.net.Forward(seen, count)
	}, n.outputs()...)
	if err != nil {
		return nil, fmt.Errorf("the network of %s: %w", n.name, err)
	}
	return outputs, nil
}

// distort distorts images of MNIST's size in place.
func distort[T nn.Float](a *mnist.Augmenter, x []T, stream uint64) {
	var pixels [mnist.Pixels]float32
	for row := range len(x) / mnist.Pixels {
		image := x[row*mnist.Pixels:][:mnist.Pixels]
		for i, v := range image {
			pixels[i] = float32(v)
		}
		a.Distort(pixels[:], stream, uint64(row))
		for i, v := range pixels {
			image[i] = T(v)
		}
	}
}
