package mnist

import (
	"math"
	"math/rand/v2"
)

// generator is a PCG whose seed is a hash of the counters.
type generator struct{ rand.PCG }

func newGenerator(seed, step, position uint64) generator {
	var g generator
	g.Seed(scramble(seed^scramble(step)), scramble(position))
	return g
}

// scramble is a bijection of 64-bit words that spreads every bit (the finaliser
// of SplitMix64).
func scramble(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit returns a uniform number in [0, 1).
func (g *generator) unit() float64 { return float64(g.Uint64()>>11) * 0x1p-53 }

// symmetric returns a uniform number in [−width, width).
func (g *generator) symmetric(width float64) float64 { return width * (2*g.unit() - 1) }

// below returns a uniform integer in [0, n).
func (g *generator) below(n int) int { return int(g.unit() * float64(n)) }

// normals returns two independent standard Gaussians (Box and Muller).
func (g *generator) normals() (a, b float64) {
	r := math.Sqrt(-2 * math.Log(1-g.unit()))
	sin, cos := math.Sincos(2 * math.Pi * g.unit())
	return r * cos, r * sin
}
