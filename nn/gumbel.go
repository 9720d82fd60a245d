package nn

import (
	"cmp"
	"math"
	"math/rand/v2"

	"gorgonia.org/gorgonia"

	"hinge/nn/kernel"
)

// gumbelFloor keeps the logarithm finite; the value is the reference
// implementation's.
const gumbelFloor = 1e-12

// gumbel maps an exponential variable of rate one to a standard Gumbel one.
func gumbel(e float64) float64 { return -math.Log(e + gumbelFloor) }

// GumbelSoftmax draws K relaxed one-hot samples of each row of logits [N][C],
// giving [K][N][C] (Jang et al., 2017, without straight-through):
//
//	softmax((logits + σ_k·G)/τ_k),  G = -log(E + 1e-12),  E = -log U exponential
//
// The temperatures τ_k of the K = s.Draws samples grow geometrically from τ to s.Spread·τ,
// the scales σ_k of the noise from 1 to s.Noise. With both at the same f, the last sample
// is one of softmax(logits/f), which still draws classes that a confident network excludes.
//
// E is drawn directly, without the inner logarithm of a uniform U.
// The network in front runs once for all K samples; the gradient of logits is
// the sum over them. τ is State.Temperature at the time of the run, and the
// noise a function of the network's State and the name.
func (b *Builder[T]) GumbelSoftmax(name string, logits *gorgonia.Node, s Sampling) *gorgonia.Node {
	if b.failed(name, logits) {
		return nil
	}
	in, samples := logits.Shape(), s.Draws
	spread, loud := cmp.Or(s.Spread, 1), cmp.Or(s.Noise, 1)
	if len(in) != 2 || samples < 1 || !(spread >= 1) || !(loud >= 1) {
		return b.Fail(name, "Gumbel softmax wants N×C, at least one sample, and a spread and noise of at least 1, not shape %v, %d samples, spread %v and noise %v", in, samples, spread, loud)
	}
	scale := make([]T, samples) // 1/τ_k of the run
	n, classes := in[0], in[1]
	d := newDraws[T](name, n, classes, samples, loud)
	return b.unary("gumbel "+name, logits, []int{samples, n, classes}, func(x, y []T) error {
		for k := range scale {
			scale[k] = T(geometric(spread, -k, samples) / b.state.Temperature)
		}
		return d.each(b.state, x, y, func(k int, row []T) { softmaxRow(row, row, scale[k]) })
	}, readsY, func(dy, _, y, dx []T) {
		kernel.Parallel(n, max(1, softmaxGrain/(samples*classes)), func(lo, hi int) {
			clear(dx[lo*classes : hi*classes])
			for k := range samples {
				at := k * n * classes
				softmaxGrad(dx, y[at:], dy[at:], lo, hi, classes, scale[k])
			}
		})
	})
}

// geometric is member k of n numbers that grow geometrically from 1 to top; of a
// negative k it is the inverse.
func geometric(top float64, k, n int) float64 {
	return math.Pow(top, float64(k)/float64(max(1, n-1)))
}

// noiseRows is the number of rows that draw from one stream. It is fixed, so that
// the noise does not depend on the number of threads.
const noiseRows = 64

// draws is the noise of K samples of logits N×C.
type draws[T Float] struct {
	n, classes int
	sigma      []T      // the scale of the noise of each sample
	noise      []stream // of each block of rows
}

// stream is the generator of one block of rows.
type stream struct {
	pcg     *rand.PCG
	source  *rand.Rand
	purpose uint64
}

// newDraws makes the generators of a layer; scales grow geometrically from 1 to loud.
func newDraws[T Float](layer string, n, classes, samples int, loud float64) *draws[T] {
	d := &draws[T]{n: n, classes: classes, sigma: make([]T, samples), noise: make([]stream, (samples*n+noiseRows-1)/noiseRows)}
	for k := range d.sigma {
		d.sigma[k] = T(geometric(loud, k, samples))
	}
	for i := range d.noise {
		pcg := rand.NewPCG(0, 0)
		d.noise[i] = stream{pcg, rand.New(pcg), purposeOf("gumbel "+layer) + uint64(i)}
	}
	return d
}

// each writes the logits with noise to every row of K×N×C samples for the coming run, and
// calls f with the sample and the row.
func (d *draws[T]) each(state *State, logits, samples []T, f func(k int, row []T)) error {
	if err := state.check(); err != nil {
		return err
	}
	kernel.Parallel(len(d.noise), 1, func(lo, hi int) {
		for block := lo; block < hi; block++ {
			s := &d.noise[block]
			state.stream(s.pcg, s.purpose)
			for r := block * noiseRows; r < min((block+1)*noiseRows, len(d.sigma)*d.n); r++ {
				row, x := samples[r*d.classes:][:d.classes], logits[r%d.n*d.classes:]
				for i := range row {
					row[i] = x[i] + d.sigma[r/d.n]*T(gumbel(s.source.ExpFloat64()))
				}
				f(r/d.n, row)
			}
		}
	})
	return nil
}
