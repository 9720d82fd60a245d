package kernel

import "math"

// A scheme computes one line of a convolution with three taps, stride one and one
// pixel of padding,
//
//	y[i] = w[0]·x[i−1] + w[1]·x[i] + w[2]·x[i+1],
//
// as y = Aᵀ[(G·w) ⊙ (B·x)]: with one product for each row of B and A instead of 3·L−2.
// Products that meet the same row of G share the form of the weights. The same matrices give
// the gradients, as they do for every bilinear map: the gradient of x is the line with the
// taps in reverse order, the gradient of w is Gᵀ[(A·dy) ⊙ (B·x)], with the products of a form
// added up.
type scheme struct {
	g             [][]float64 // forms × 3
	taps, tapGrad lineKind    // of G and Gᵀ
	segments      []segment
}

// segment is a part of a line: n output pixels from pixel at on. It has one
// product for each of its forms, which follow one another.
type segment struct {
	at, n         int
	from          int // first input pixel
	form          int // first form
	b, a          [][]float64
	in, out, grad lineKind // of B, Aᵀ and A
}

// products is the number of products of a scheme.
func (s *scheme) products() int {
	n := 0
	for i := range s.segments {
		n += len(s.segments[i].b)
	}
	return n
}

// length is the number of pixels.
func (s *scheme) length() int {
	n := 0
	for i := range s.segments {
		n += s.segments[i].n
	}
	return n
}

// schemeFor returns the scheme of a line of n pixels. A line of two has a scheme of its own;
// longer lines are one or two segments of four or three. Other lengths have none: a line of
// one meets one tap, five is no sum of segments, and with more than eight the products of an
// image would be too large for the cache.
func schemeFor(n int) (scheme, bool) {
	switch n {
	case 2:
		return pair, true
	case 3, 4:
		return toomCook(n), true
	case 6, 7, 8:
		return toomCook((n+1)/2, n/2), true
	}
	return scheme{}, false
}

// pair is Karatsuba's way to share a product between the two pixels of a line:
//
//	y[0] = w[1]·(x[0] + x[1]) + (w[2] − w[1])·x[1]
//	y[1] = w[1]·(x[0] + x[1]) + (w[0] − w[1])·x[0]
var pair = scheme{
	g:    [][]float64{{0, 1, 0}, {0, -1, 1}, {1, -1, 0}},
	taps: tapsPair, tapGrad: tapGradPair,
	segments: []segment{{
		n: 2, b: [][]float64{{1, 1}, {0, 1}, {1, 0}}, a: [][]float64{{1, 1}, {1, 0}, {0, 1}},
		in: inPair, out: outPair, grad: gradPair,
	}},
}

// Segments of three and four pixels follow Toom and Cook, and Winograd,
// "Arithmetic Complexity of Computations" (1980); Lavin and Gray, "Fast
// Algorithms for Convolutional Neural Networks" (CVPR 2016), brought them to
// networks. A product of polynomials w(t)·d(t) of degrees 2 and m−1 has degree
// m+1 and follows from its values at m+2 points, of which infinity, the leading
// coefficient, may be one:
//
//	w·d = Σ_p w(p)·d(p)·f_p·ℓ_p,   ℓ_p(t) = Π_{q≠p} (t − q),   f_p = 1/ℓ_p(p)
//
// (f = 1 for infinity). The segment is the transpose of this map of d, which has
// the coefficients of ℓ_p as rows of B, the powers of p as rows of G, and f_p
// times the powers of p as rows of A. Pixels beyond the ends of the line are zero
// and left out.
//
// Segments of three take a subset of the points of those of four, so that both
// share the forms. The points decide how much of the accuracy is lost. Of twenty
// sets that were tried these, whose powers are exact, lose least; with 0, ±1, ±2
// and infinity, the usual ones, errors are twice as large in the mean and four
// times at worst. The assembly relies on the order 0, a, −a, b, −b, infinity.
const (
	pointA = 5.0 / 8
	pointB = 3.0 / 2
)

var points = []float64{0, pointA, -pointA, pointB, -pointB, math.Inf(1)}

// toomCook puts segments of three and four pixels together.
func toomCook(segments ...int) scheme {
	s := scheme{taps: taps6, tapGrad: tapGrad6}
	for _, p := range points {
		s.g = append(s.g, powers(p, 3, 1))
	}
	at := 0
	for i, m := range segments {
		s.segments = append(s.segments, newSegment(at, m, i == 0, i == len(segments)-1))
		at += m
	}
	return s
}

// newSegment makes a segment of m pixels, perhaps the first or last of its line.
func newSegment(at, m int, first, last bool) segment {
	s := segment{at: at, n: m, from: at - 1, in: in4L, out: out4, grad: grad4}
	if m == 3 {
		s.form, s.in, s.out, s.grad = 1, in3L, out3, grad3
	}
	switch {
	case first && last:
		s.in += in4LR - in4L
	case last:
		s.in += in4R - in4L
	}
	for _, p := range points[s.form:] {
		l, f := lagrange(p, points[s.form:])
		if first {
			l = l[1:]
		}
		if last {
			l = l[:len(l)-1]
		}
		s.b, s.a = append(s.b, l), append(s.a, powers(p, m, f))
	}
	if first {
		s.from++
	}
	return s
}

// powers returns f·(1, p, p², …), n of them: what evaluates a polynomial at p.
func powers(p float64, n int, f float64) []float64 {
	v := make([]float64, n)
	if math.IsInf(p, 0) {
		v[n-1] = f
		return v
	}
	for i := range v {
		v[i] = f
		f *= p
	}
	return v
}

// lagrange returns the coefficients of ℓ_p for the given points, and f_p.
func lagrange(p float64, points []float64) (l []float64, f float64) {
	l, f = make([]float64, len(points)), 1
	l[0] = 1
	degree := 0
	for _, q := range points {
		if q == p || math.IsInf(q, 0) {
			continue
		}
		degree++
		for i := degree; i >= 0; i-- {
			l[i] *= -q
			if i > 0 {
				l[i] += l[i-1]
			}
		}
		if !math.IsInf(p, 0) {
			f /= p - q
		}
	}
	return l, f
}

// toomConstants are the constants of the assembly, which knows the structure of
// the matrices, but not the points.
var toomConstants = newToomConstants()

func newToomConstants() *[23]float32 {
	const a2, b2 = pointA * pointA, pointB * pointB
	list := []float64{pointA, pointB, a2, b2, -a2, -b2, a2 * b2, -(a2 + b2)}
	_, f := lagrange(0, points)
	list = append(list, f)
	for form, m := range []int{4, 3} {
		for _, p := range []float64{pointA, pointB} {
			_, f := lagrange(p, points[form:])
			list = append(list, powers(p, m, f)...)
		}
	}
	c := new([23]float32)
	for i, v := range list {
		c[i] = float32(v)
	}
	return c
}
