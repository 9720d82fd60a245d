package kernel

import "math"

// A scheme computes one line of a convolution with three taps, stride one and one
// pixel of padding,
//
//	y[i] = w[0]·x[i−1] + w[1]·x[i] + w[2]·x[i+1],
//
// as y = Aᵀ[(G·w) ⊙ (B·x)]: with one product for each row of B and A instead of
// 3·L−2. Products whose rows of G are equal share one, their form. The same
// matrices give the gradients, as every bilinear map does: that of x is the line
// with the taps in reverse order, that of w is Gᵀ[(A·dy) ⊙ (B·x)], added up over
// the products of a form.
type scheme struct {
	g    [][]float64 // forms × 3
	b, a [][]float64 // products × L
	form []int       // per product, ascending
}

// schemeFor returns the scheme of a line of n pixels: a line of two has one of
// its own, longer ones are cut into segments of four and three. There is none
// where that is not possible, and none for one pixel, which meets one tap.
func schemeFor(n int) (scheme, bool) {
	if n == 2 {
		return pair, true
	}
	for fours := n / 4; fours >= 0; fours-- {
		if threes := n - 4*fours; threes > 0 || fours > 0 && threes == 0 {
			if threes%3 == 0 {
				return toomCook(n, fours, threes/3), true
			}
		}
	}
	return scheme{}, false
}

// pair is Karatsuba's way to share a product between the two pixels of a line:
//
//	y[0] = w[1]·(x[0] + x[1]) + (w[2] − w[1])·x[1]
//	y[1] = w[1]·(x[0] + x[1]) + (w[0] − w[1])·x[0]
var pair = scheme{
	g:    [][]float64{{0, 1, 0}, {0, -1, 1}, {1, -1, 0}},
	b:    [][]float64{{1, 1}, {0, 1}, {1, 0}},
	a:    [][]float64{{1, 1}, {1, 0}, {0, 1}},
	form: []int{0, 1, 2},
}

// Segments of m pixels follow Toom and Cook, and Winograd, "Arithmetic
// Complexity of Computations" (1980); Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks" (CVPR 2016) brought them to networks. A product
// of polynomials w(t)·d(t) of degrees 2 and m−1 has degree m+1 and follows from
// its values at m+2 points, of which infinity, the leading coefficient, may be
// one:
//
//	w·d = Σ_p w(p)·d(p)·ℓ_p
//
// with Lagrange's basis polynomials ℓ_p. The segment is the transpose of this map
// of d, which has the coefficients of ℓ_p as rows of B and the powers of p as
// rows of G and A. Pixels beyond the ends of the line are zero and left out.
//
// points4 are the points of segments of four, points3 of those of three: a
// subset, so that all segments share the forms.
var (
	infinity = math.Inf(1)
	points4  = []float64{0, 1, -1, 0.5, -2, infinity}
	points3  = []float64{0, 1, -1, 0.5, infinity}
)

// toomCook cuts a line of n pixels into the given numbers of segments.
func toomCook(n, fours, threes int) scheme {
	var s scheme
	for f, p := range points4 {
		if fours == 0 && !contains(points3, p) {
			continue
		}
		s.g = append(s.g, powers(p, 3))
		for at := 0; at < n; {
			points := points4
			if at >= 4*fours {
				points = points3
			}
			m := len(points) - 2
			if contains(points, p) {
				b, a := make([]float64, n), make([]float64, n)
				for k, c := range lagrange(p, points) {
					if i := at + k - 1; i >= 0 && i < n {
						b[i] = c
					}
				}
				copy(a[at:], powers(p, m))
				s.b, s.a, s.form = append(s.b, b), append(s.a, a), append(s.form, len(s.g)-1)
			}
			at += m
		}
		_ = f
	}
	return s
}

func contains(points []float64, p float64) bool {
	for _, q := range points {
		if p == q {
			return true
		}
	}
	return false
}

// powers returns 1, p, p², …, n of them: what evaluates a polynomial at p.
func powers(p float64, n int) []float64 {
	v := make([]float64, n)
	if math.IsInf(p, 0) {
		v[n-1] = 1
		return v
	}
	for i := range v {
		v[i] = math.Pow(p, float64(i))
	}
	return v
}

// lagrange returns the coefficients of the basis polynomial of p among the
// points: one at p, zero at the others. That of infinity has the leading
// coefficient one.
func lagrange(p float64, points []float64) []float64 {
	v := make([]float64, len(points))
	v[0] = 1
	degree, value := 0, 1.0
	for _, q := range points {
		if q == p || math.IsInf(q, 0) {
			continue
		}
		degree++
		for i := degree; i >= 0; i-- {
			v[i] *= -q
			if i > 0 {
				v[i] += v[i-1]
			}
		}
		if !math.IsInf(p, 0) {
			value *= p - q
		}
	}
	for i := range v {
		v[i] /= value
	}
	return v
}
