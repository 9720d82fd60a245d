package simclr

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"hinge/data/mnist"
	"hinge/models/resnet18"
	"hinge/optim"
)

// Config are the settings of a pre-training.
type Config struct {
	// Backbone is the network; its head is ignored.
	Backbone resnet18.Config
	// Projection is the width of both layers of the projection head.
	Projection int
	// Views are the distortions of the images.
	Views mnist.Settings
	// Epochs over the images; Batch images a step, at most all there are. The
	// remainder of an epoch is left out.
	Epochs, Batch int
	// Temperature is τ of InfoNCE.
	Temperature float64
	// LearningRate is Adam's step; from epoch DecayStart on it is multiplied by
	// DecayFactor every DecayEvery epochs.
	LearningRate           float64
	DecayStart, DecayEvery int
	DecayFactor            float64
	// Seed decides initial weights, order and views.
	Seed uint64
}

// Reference are the settings of the reference experiments.
func Reference(seed uint64) Config {
	return Config{
		Backbone: resnet18.MNISTAddition(3, 0), Projection: 128, Views: mnist.SimCLR(),
		Epochs: 250, Batch: 1024, Temperature: 0.07,
		LearningRate: 3e-4, DecayStart: 10, DecayEvery: 30, DecayFactor: 0.9, Seed: seed,
	}
}

// Mild is a quicker pre-training whose views keep the digits recognisable, so that no 6 is
// taught to be a 9: batches of 120, a larger step, 100 epochs.
func Mild(seed uint64) Config {
	c := Reference(seed)
	c.Views = mnist.Strong()
	c.Views.Stroke = 0
	c.Views.Erase = mnist.Erase{Probability: .7, MinArea: .02, MaxArea: .2, MinRatio: .3, MaxRatio: 3.3}
	c.Epochs, c.Batch, c.Temperature, c.LearningRate = 100, 120, 0.2, 1e-3
	return c
}

func (c *Config) check(images int) error {
	switch {
	case c.Epochs < 1 || c.Batch < 2 || c.Projection < 1:
		return fmt.Errorf("simclr: %d epochs, %d images a batch and %d projections, want 1, 2 and 1 or more", c.Epochs, c.Batch, c.Projection)
	case images < 2:
		return fmt.Errorf("simclr: %d images, want 2 or more", images)
	case !(c.LearningRate > 0) || !(c.DecayFactor > 0):
		return errors.New("simclr: the step and its decay must be positive")
	}
	return nil
}

// rate is the step size by epoch.
func (c *Config) rate() optim.StepDecay {
	return optim.StepDecay{Base: c.LearningRate, Gamma: c.DecayFactor, Every: c.DecayEvery, Start: c.DecayStart}
}

// digest identifies a pre-training: the settings, the images and their order.
func (c *Config) digest(part *mnist.Part, images []int32) string {
	settings, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("simclr: a Config always encodes: %v", err))
	}
	h := sha256.New()
	h.Write(settings)
	for _, i := range images {
		_ = binary.Write(h, binary.LittleEndian, i) // a hash takes everything
		h.Write(part.Raw(int(i)))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
