package inference

import (
	"math"
	"math/rand/v2"

	"hinge/symbolic/infer"
	"hinge/symbolic/lcqp"
	"hinge/train/mnistadd"
)

// images is the number of images a test set of additions is made of, as in the
// published experiments; each is in one addition.
const images = 10000

// Logits of generated outputs: normal ones, that of the true digit raised by
// margin, all sharpened. The largest is a wrong one for one image in fifty.
const margin, sharpness = 4, 3

// additions is the problem of a set of additions.
type additions struct {
	*mnistadd.Symbolic
	outputs [][]float64 // by addition
	sums    []int
}

// newAdditions draws a set of additions of two d-digit numbers of n images.
func newAdditions(d, n int, seed uint64) (*additions, error) {
	sym, err := mnistadd.NewSymbolic(d, "")
	if err != nil {
		return nil, err
	}
	const stream = 0x6164646e // "addn"
	rng := rand.New(rand.NewPCG(seed, stream+uint64(d)))
	a := &additions{Symbolic: sym}
	for range n / (2 * d) {
		g := make([]float64, 0, 20*d)
		sum := 0
		for range 2 {
			number := 0
			for range d {
				x := rng.IntN(10)
				number = 10*number + x
				g = append(g, outputs(rng, x)...)
			}
			sum += number
		}
		a.outputs, a.sums = append(a.outputs, g), append(a.sums, sum)
	}
	return a, nil
}

// outputs is what a network says of an image of digit x.
func outputs(rng *rand.Rand, x int) []float64 {
	g, total := make([]float64, 10), 0.0
	for k := range g {
		logit := rng.NormFloat64()
		if k == x {
			logit += margin
		}
		g[k] = math.Exp(sharpness * logit)
		total += g[k]
	}
	for k := range g {
		g[k] /= total
	}
	return g
}

func (a *additions) instances(epsilon float64) ([]*lcqp.Instance, error) {
	t, err := lcqp.Compile(a.Template.Program())
	if err != nil {
		return nil, err
	}
	list := make([]*lcqp.Instance, len(a.sums))
	for i, g := range a.outputs {
		in, err := t.NewInstance(epsilon)
		if err != nil {
			return nil, err
		}
		if err := in.SetWeights(a.Weights()); err != nil {
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
		if a.Answer(r.Y) == a.sums[i] {
			right++
		}
	}
	return 100 * float64(right) / float64(len(a.sums)), nil
}
