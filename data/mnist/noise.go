package mnist

import (
	"errors"
	"math"
)

// Noise is the elastic displacement of Simard, Steinkraus and Platt (2003), as image
// libraries draw it: on each axis uniform noise in [−1, 1) at every pixel, smoothed
// by a Gaussian of Sigma pixels, times Alpha/2 pixels. The Gaussian is cut off at
// four Sigma, and the noise beyond the border is its mirror image.
//
// Inside the image the root mean square displacement is close to
// Alpha/(4·Sigma·√(3π)) pixels on each axis: 2.0 for the usual 125 and 5.
type Noise struct {
	// Alpha is 0 (no displacement) to 1000.
	Alpha float64
	// Sigma is .5 to 6.5.
	Sigma float64
}

// check reports values out of range.
func (n *Noise) check() error {
	switch {
	case !(n.Alpha >= 0 && n.Alpha <= 1000):
		return errors.New("mnist: augmentation Noise.Alpha must be 0 to 1000")
	case n.Alpha > 0 && !(n.Sigma >= .5 && n.Sigma <= 6.5):
		return errors.New("mnist: augmentation Noise.Sigma must be .5 to 6.5")
	}
	return nil
}

// square is a number a pixel.
type square [Side][Side]float32

// smoothing holds the matrix S of a Gaussian over one axis, so scaled that S·N·Sᵀ
// is the displacement in pixels for noise N, and its transpose.
type smoothing struct{ matrix, transpose square }

func (n *Noise) smoothing() *smoothing {
	radius := int(8*n.Sigma+1) / 2
	tap := func(k int) float64 { return math.Exp(-.5 * float64(k*k) / (n.Sigma * n.Sigma)) }
	total := 0.0
	for k := -radius; k <= radius; k++ {
		total += tap(k)
	}
	s, scale := new(smoothing), math.Sqrt(n.Alpha/2)/total
	for x := range Side {
		for k := -radius; k <= radius; k++ {
			from := x + k
			if from < 0 {
				from = -from
			}
			if from >= Side {
				from = 2*(Side-1) - from
			}
			s.matrix[x][from] += float32(scale * tap(k))
			s.transpose[from][x] = s.matrix[x][from]
		}
	}
	return s
}

// noiseField is a displacement of every pixel.
type noiseField struct{ u, v square }

func (f *noiseField) draw(g *generator, s *smoothing) {
	s.draw(g, &f.u)
	s.draw(g, &f.v)
}

// draw writes S·N·Sᵀ for fresh noise N to out.
func (s *smoothing) draw(g *generator, out *square) {
	var noise, half square
	for y := range noise {
		for x := range noise[y] {
			noise[y][x] = float32(int32(g.Uint64()>>32)) * 0x1p-31
		}
	}
	half.multiply(&s.matrix, &noise)
	out.multiply(&half, &s.transpose)
}

// multiply sets c to a·b.
func (c *square) multiply(a, b *square) {
	for y := range c {
		out, in := &c[y], &a[y]
		*out = [Side]float32{}
		for k := 0; k < Side; k += 4 { // four rows of b at a time: fewer stores
			w0, w1, w2, w3 := in[k], in[k+1], in[k+2], in[k+3]
			b0, b1, b2, b3 := &b[k], &b[k+1], &b[k+2], &b[k+3]
			for x := range out {
				out[x] += w0*b0[x] + w1*b1[x] + w2*b2[x] + w3*b3[x]
			}
		}
	}
}

// displace adds the field to the places of row y.
func (f *noiseField) displace(r *row, y int) {
	for x := range r.u {
		r.u[x] += f.u[y][x]
		r.v[x] += f.v[y][x]
	}
}
