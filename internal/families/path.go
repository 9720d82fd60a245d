package families

import "math"

// chain is a path of n states, each with a sensor. The true state jumps now
// and then.
func chain(b *builder, n int) {
	b.declare("Next", 2)
	b.declare("State", 1)
	b.declare("Sensor", 1)
	ids := numbers(n)
	state := b.rng.Float64()
	for i, id := range ids {
		if b.rng.IntN(50) == 0 {
			state = b.rng.Float64()
		}
		b.target("State", id)
		b.deep("Sensor", b.noisy(state, 0.2), id)
		if i > 0 {
			b.observe("Next", 1, ids[i-1], id)
		}
	}
	b.terms = 2*(n-1) + 2*n
}

// grid is a square image of about n pixels: a disc on a dark ground, seen
// through noise.
func grid(b *builder, n int) {
	side := max(1, int(math.Round(math.Sqrt(float64(n)))))
	b.declare("Right", 2)
	b.declare("Below", 2)
	b.declare("Ink", 1)
	b.declare("Pixel", 1)
	ids := numbers(side * side)
	for y := range side {
		for x := range side {
			i := y*side + x
			dx, dy := float64(x)/float64(side)-0.5, float64(y)/float64(side)-0.5
			ink := 0.1
			if dx*dx+dy*dy < 0.1 {
				ink = 0.9
			}
			b.target("Ink", ids[i])
			b.deep("Pixel", b.noisy(ink, 0.3), ids[i])
			if x > 0 {
				b.observe("Right", 1, ids[i-1], ids[i])
			}
			if y > 0 {
				b.observe("Below", 1, ids[i-side], ids[i])
			}
		}
	}
	b.terms = 4*side*(side-1) + 2*side*side
}
