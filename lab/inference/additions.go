package inference

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"hinge/data/mnist"
	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/tasks/mnistadd"
	"hinge/train/half"
)

// Sizes of a set of additions, in images: the published text reads either way.
const (
	images    = 10000
	fewImages = 1000
)

//go:embed outputs/*.gz
var outputFiles embed.FS

// An image of an outputs file: the digit it shows, and the network's probability of
// each digit in units of 1/65535, little endian.
const (
	outputUnits = 1<<16 - 1
	outputBytes = 1 + 2*10
)

// reading is what a trained network says of an image of digit.
type reading struct {
	digit   int
	outputs [10]float64 // a distribution
}

// readings reads what a network trained on additions of d-digit numbers says of the
// 10,000 images of MNIST's test part.
func readings(d int) ([]reading, error) {
	name := fmt.Sprintf("outputs/add%d.gz", d)
	packed, err := outputFiles.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("inference: no outputs for additions of %d digits", d)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("inference: %s: %w", name, err)
	}
	data, err := io.ReadAll(z)
	if err != nil || len(data) != images*outputBytes {
		return nil, fmt.Errorf("inference: %s has %d bytes: %v", name, len(data), err)
	}
	list := make([]reading, images)
	for i := range list {
		x := data[i*outputBytes:]
		r, total := &list[i], 0.0
		r.digit = int(x[0])
		for k := range r.outputs {
			r.outputs[k] = float64(binary.LittleEndian.Uint16(x[1+2*k:]))
			total += r.outputs[k]
		}
		for k := range r.outputs {
			r.outputs[k] /= total
		}
	}
	return list, nil
}

// additions is the problem of a set of additions.
type additions struct {
	*mnistadd.Symbolic
	outputs [][]float64 // by addition
	sums    []mnist.Sum
}

// newAdditions draws a set of additions of two d-digit numbers from n of MNIST's test
// images; each is in one addition.
func newAdditions(d, n int, seed uint64) (*additions, error) {
	sym, err := mnistadd.NewSymbolic(d, "")
	if err != nil {
		return nil, err
	}
	read, err := readings(d)
	if err != nil {
		return nil, err
	}
	const stream = 0x6164646e // "addn"
	order := rand.New(rand.NewPCG(seed, stream+uint64(d))).Perm(len(read))
	a := &additions{Symbolic: sym}
	for range n / (2 * d) {
		g := make([]float64, 0, 20*d)
		sum := 0
		for range 2 {
			number := 0
			for range d {
				r := &read[order[0]]
				order = order[1:]
				number = 10*number + r.digit
				g = append(g, r.outputs[:]...)
			}
			sum += number
		}
		a.outputs, a.sums = append(a.outputs, g), append(a.sums, mnist.NewSum(sum, d))
	}
	return a, nil
}

func (a *additions) instances(epsilon float64) ([]*lcqp.Instance, error) {
	t, err := lcqp.Compile(a.Template.Program())
	if err != nil {
		return nil, err
	}
	w, err := half.StartWeights(a.Template)
	if err != nil {
		return nil, err
	}
	list := make([]*lcqp.Instance, len(a.sums))
	for i, g := range a.outputs {
		in, err := t.NewInstance(epsilon)
		if err != nil {
			return nil, err
		}
		if err := in.SetWeights(w); err != nil {
			return nil, err
		}
		if err := in.SetDeep(g); err != nil {
			return nil, err
		}
		list[i] = in
	}
	return list, nil
}

// score is the share of right sums.
func (a *additions) score(results []*infer.Result) (float64, error) {
	right := 0
	for i, r := range results {
		if slices.Equal(a.Answer(r.Y), a.sums[i]) {
			right++
		}
	}
	return 100 * float64(right) / float64(len(a.sums)), nil
}
