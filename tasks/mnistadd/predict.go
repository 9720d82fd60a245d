package mnistadd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"hinge/data/mnist"
	"hinge/nn"
	"hinge/train/config"
	"hinge/train/half"
	"hinge/train/learning"
	"hinge/train/mapstate"
)

// Prediction is a model's answer to images from outside MNIST.
type Prediction struct {
	Task   string `json:"task"`
	System string `json:"system"`
	// Images are in the order they were named, Additions take 2d of them each.
	Images    []ImagePrediction    `json:"images"`
	Additions []AdditionPrediction `json:"additions"`
	// Note tells why there are no additions.
	Note string `json:"note,omitempty"`
}

// ImagePrediction is the reading of an image by the network alone.
type ImagePrediction struct {
	Name string `json:"name"`
	// DarkInk and AsIs are the findings of mnist.Normalise.
	DarkInk bool `json:"dark_ink"`
	AsIs    bool `json:"as_is"`
	// Digit is the most probable digit, Beliefs are the probabilities of 0 to 9.
	Digit   int       `json:"digit"`
	Beliefs []float32 `json:"beliefs"`
}

// AdditionPrediction is the answer to one addition.
type AdditionPrediction struct {
	// Images are the names, most significant digit of the first number first; Constants are
	// their names in the rules.
	Images    []string  `json:"images"`
	Constants []string  `json:"constants,omitempty"`
	Answer    mnist.Sum `json:"answer"`
	// Tied reports whether other sums are as good as Answer in the MAP state, up to its certified accuracy.
	Tied bool `json:"tied,omitempty"`
	// Explanation is MAP inference's; nil for systems without rules.
	*mapstate.Explanation
}

// Predict implements learning.Predictor, like Model.Predict, for systems that read digits.
func (m *Baseline) Predict(paths []string) (learning.Prediction, error) {
	p, g, err := m.readOwn(paths)
	if err != nil {
		return nil, err
	}
	for a := range p.Additions {
		n := 2 * m.split.Digits * mnist.Classes
		p.Additions[a].Answer, err = m.sys.answer(context.Background(), nn.Widen(g[a*n:][:n]))
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// readOwn reads the images and fills in all of a prediction but the answers. g are
// the outputs, [images][10].
func (r *reader) readOwn(paths []string) (p *Prediction, g []float32, err error) {
	if err := r.readsDigits("predict"); err != nil {
		return nil, nil, err
	}
	pictures, part, err := mnist.ReadPictures(paths...)
	if err != nil {
		return nil, nil, &learning.DataError{Err: err}
	}
	if g, err = r.beliefs(part); err != nil {
		return nil, nil, err
	}
	p = &Prediction{Task: r.cfg.Task, System: cmp.Or(r.cfg.System, "neupsl"), Additions: []AdditionPrediction{}}
	for i, picture := range pictures {
		row := g[i*mnist.Classes:][:mnist.Classes]
		p.Images = append(p.Images, ImagePrediction{picture.Name, picture.Layout.DarkInk, picture.Layout.AsIs, nn.Argmax(row), row})
	}
	per := r.each
	if len(pictures)%per != 0 {
		p.Note = fmt.Sprintf("no addition answered: %s takes %d images, there are %d", p.Task, per, len(pictures))
		return p, g, nil
	}
	for lo := 0; lo < len(pictures); lo += per {
		var add AdditionPrediction
		for _, picture := range pictures[lo : lo+per] {
			add.Images = append(add.Images, picture.Name)
		}
		p.Additions = append(p.Additions, add)
	}
	return p, g, nil
}

// beliefs are the outputs for images that are not of the split, with the views of a
// test.
func (r *reader) beliefs(part *mnist.Part) ([]float32, error) {
	own, err := r.quiet()
	if err != nil {
		return nil, err
	}
	own.part = part
	return own.predict(numbered(0, part.Len()), r.cfg.Neural.Views)
}

// numbered returns the images from one number up to another.
func numbered(from, to int) (images []int32) {
	for i := from; i < to; i++ {
		images = append(images, int32(i))
	}
	return images
}

// quiet returns a reader with a copy of the network and the current weights that never draws
// noise. It has no images.
func (r *reader) quiet() (*reader, error) {
	net, err := nn.New([]int{mnist.Side, mnist.Side}, nn.Beliefs(logits(&r.cfg), nn.Sampling{}), rand.New(rand.NewPCG(0, 0)))
	if err != nil {
		return nil, err
	}
	if err := net.Params().CopyFrom(r.network.Net.Params()); err != nil {
		return nil, err
	}
	return &reader{cfg: r.cfg, viewer: r.viewer, group: r.group, each: r.each, network: &half.Network{Net: net}}, nil
}

// ONNX implements learning.NeuralHalf, for systems that read digits.
func (m *Baseline) ONNX() ([]learning.ONNXFile, error) {
	if err := m.readsDigits("export"); err != nil {
		return nil, err
	}
	return m.Network.ONNX()
}

// readsDigits refuses a flag to a network that reads all images of an addition at
// once.
func (r *reader) readsDigits(flag string) error {
	if r.group > 1 {
		return config.Usage(flag, "%s reads no digits, but sums from all images of an addition; -predict and an .onnx file are for neupsl, deepproblog, ltn", r.cfg.System)
	}
	return nil
}

func (p *Prediction) Print(w io.Writer) error {
	var out strings.Builder
	for _, x := range p.Images {
		fmt.Fprintf(&out, "%s: %d (", x.Name, x.Digit)
		for digit, belief := range x.Beliefs {
			fmt.Fprintf(&out, "%d %.2f, ", digit, belief)
		}
		switch {
		case x.AsIs:
			out.WriteString("image as it is)\n")
		case x.DarkInk:
			out.WriteString("dark on light)\n")
		default:
			out.WriteString("light on dark)\n")
		}
	}
	for _, a := range p.Additions {
		for i, name := range a.Images {
			switch {
			case i == len(a.Images)/2:
				out.WriteString(" + ")
			case i > 0:
				out.WriteString(" ")
			}
			out.WriteString(name)
			if a.Constants != nil {
				fmt.Fprintf(&out, " [%s]", a.Constants[i])
			}
		}
		fmt.Fprintf(&out, " = %v", a.Answer)
		if a.Tied {
			out.WriteString(", one of several sums that are equally good")
		}
		out.WriteString("\n")
		if a.Explanation != nil {
			a.Print(&out)
		}
	}
	if p.Note != "" {
		out.WriteString(p.Note + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

var (
	_ learning.Predictor = (*Model)(nil)
	_ learning.Predictor = (*Baseline)(nil)
)
